import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { FAULT_NAMES } from "#testing/faults.ts";

const run = promisify(execFile);
const application = fileURLToPath(new URL("../testing/fault-run.ts", import.meta.url));

const report = z.object({
  started: z.boolean(),
  underFault: z.object({ ok: z.boolean(), enabled: z.boolean(), redis: z.string(), consumer: z.string(), reason: z.string().optional() }),
  startMilliseconds: z.number(),
  slowdown: z.number(),
  memoryGrowth: z.number(),
  heldBytes: z.number(),
  bufferBytes: z.number(),
  answers: z.array(z.number()),
  closed: z.object({ milliseconds: z.number(), given: z.number(), accounted: z.number() }),
  escaped: z.array(z.string()),
  warnings: z.array(z.string()),
});

const REASONS: Readonly<Record<string, RegExp>> = {
  absent: /cannot be reached \(E(NOTFOUND|AI_AGAIN)\)/,
  refused: /cannot be reached \(ECONNREFUSED\)/,
  hung: /no answer|does not answer/,
  "out of memory": /out of memory/,
  "wrong type": /something else than a stream/,
  "read only": /does not accept writes/,
  "wrong password": /refuses the credentials/,
};

describe.concurrent("An application whose Redis is", () => {
  it.each(FAULT_NAMES)("%s never notices, neither while it publishes nor when it closes", async (fault) => {
    const { stdout, stderr } = await run(process.execPath, [application, fault]);
    const seen = report.parse(JSON.parse(stdout));
    expect([seen.escaped, stderr]).toEqual([[], ""]);
    expect(seen.answers[1]).toBe(seen.answers[0]);
    // Generous, because some of them run at once, on few cores.
    expect(seen.slowdown).toBeLessThan(8);
    expect(seen.memoryGrowth).toBeLessThan(1.6);
    expect(seen.heldBytes).toBeLessThanOrEqual(seen.bufferBytes);
    // Every number that was given is of an event that was published, or was counted as dropped.
    expect(seen.closed.given).toBeGreaterThan(500);
    expect(seen.closed.accounted).toBe(seen.closed.given);
    expect(Math.max(seen.closed.milliseconds, seen.startMilliseconds)).toBeLessThan(5000);
    expect([seen.started, seen.underFault.enabled]).toEqual([true, true]);
    expect(seen.underFault.reason ?? "").toMatch(REASONS[fault] ?? "");
    expect(seen.warnings.join()).toMatch(REASONS[fault] ?? "");
  });
});
