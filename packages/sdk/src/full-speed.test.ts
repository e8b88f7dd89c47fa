import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const run = promisify(execFile);
const application = fileURLToPath(new URL("../testing/full-speed-run.ts", import.meta.url));
/** A million by hand. */
const EVENTS = Number(process.env["SDK_FULL_SPEED_EVENTS"] ?? 100_000);

const report = z.object({
  given: z.number(),
  published: z.number(),
  publishedMeanwhile: z.number(),
  dropped: z.number(),
  arrived: z.number(),
  length: z.number(),
  mostHeld: z.number(),
  bufferBytes: z.number(),
  memoryGrowth: z.number(),
  escaped: z.array(z.string()),
});

describe("An application that publishes as fast as it can", () => {
  it("loses none of its events without a number in a count, in bounded memory", { timeout: 600_000 }, async () => {
    const { stdout, stderr } = await run(process.execPath, [application, String(EVENTS)]);
    const seen = report.parse(JSON.parse(stdout));
    expect([seen.escaped, stderr]).toEqual([[], ""]);
    // Beside them hello, goodbye, the trace's start and end, and heartbeats.
    expect(seen.given).toBeGreaterThanOrEqual(EVENTS + 4);
    expect(seen.published + seen.dropped).toBe(seen.given);
    // What was on its way at the end may have arrived without an answer: at most one batch.
    expect(seen.arrived - seen.published).toBeGreaterThanOrEqual(0);
    expect(seen.arrived - seen.published).toBeLessThanOrEqual(256);
    expect(seen.length).toBeLessThan(101_000);
    expect(seen.mostHeld).toBeLessThanOrEqual(seen.bufferBytes);
    // The buffer, and what the garbage collector has not got round to.
    expect(seen.memoryGrowth).toBeLessThan(512 * 1024 * 1024);
  });

  it("has some of them published meanwhile, though they come faster than their texts are written", { timeout: 60_000 }, async () => {
    const { stdout } = await run(process.execPath, [application, "200", "long"]);
    const seen = report.parse(JSON.parse(stdout));
    // Hello alone would be one.
    expect(seen.publishedMeanwhile).toBeGreaterThan(20);
    expect(seen.published + seen.dropped).toBe(seen.given);
  });
});
