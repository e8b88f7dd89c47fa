import { createLog } from "@sightline/foundation/log";
import { expect, test, vi } from "vitest";
import { createLoop } from "./loop.ts";

function recordingLog() {
  const lines: string[] = [];
  return { lines, log: createLog({ name: "test", level: "debug", destination: { write: (line) => lines.push(line) } }) };
}

test("a loop runs at the start, at once again while more waits, and then after its period", async () => {
  const { log } = recordingLog();
  const began: number[] = [];
  const run = async () => began.push(performance.now()) < 3;
  const loop = createLoop({ name: "test", everyMs: 100, run, log });
  await loop.start();
  await vi.waitFor(() => expect(began.length).toBeGreaterThan(3));
  await loop.stop();
  expect((began[2] ?? 0) - (began[0] ?? 0)).toBeLessThan(90);
  expect((began[3] ?? 0) - (began[2] ?? 0)).toBeGreaterThan(90);
});

test("a run that fails is logged and tried again, though its period is an hour", async () => {
  const { lines, log } = recordingLog();
  let runs = 0;
  const run = async () => {
    runs += 1;
    if (runs === 1) {
      throw new Error("no database");
    }
    return false;
  };
  const loop = createLoop({ name: "test", everyMs: 3_600_000, run, log });
  await loop.start();
  await vi.waitFor(() => expect(runs).toBe(2), { timeout: 5_000 });
  await loop.stop();
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({ loop: "test", retryInMs: 1_000, err: expect.objectContaining({ message: "no database" }) }),
  ]);
});

test("stopping wakes a loop that waits, breaks off a run and waits for its end", async () => {
  const { lines, log } = recordingLog();
  let hasEnded = false;
  const loop = createLoop({
    name: "test",
    everyMs: 3_600_000,
    run: async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      hasEnded = true;
      throw new Error("broken off");
    },
    log,
  });
  await loop.start();
  await loop.stop();
  expect(hasEnded).toBe(true);
  expect(lines).toEqual([]);
});

test("stopping does not wait for ever for a run that does not end", { timeout: 15_000 }, async () => {
  const { lines, log } = recordingLog();
  const loop = createLoop({ name: "test", everyMs: 1, run: () => new Promise(() => undefined), log });
  await loop.start();
  await loop.stop();
  expect(lines.join("")).toContain("did not end in time");
});
