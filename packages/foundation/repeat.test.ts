import { expect, test, vi } from "vitest";
import { createLog } from "./log.ts";
import { createAlarm, repeat } from "./repeat.ts";

function recordingLog() {
  const lines: string[] = [];
  return { lines, log: createLog({ name: "test", level: "debug", destination: { write: (line) => lines.push(line) } }) };
}

test("a loop runs at the start, at once again while more waits, and then after its period", async () => {
  const { log } = recordingLog();
  const began: number[] = [];
  const run = async () => began.push(performance.now()) < 3;
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 100, run }] });
  loop.start();
  await vi.waitFor(() => expect(began.length).toBeGreaterThan(3));
  await loop.stop();
  expect((began[2] ?? 0) - (began[0] ?? 0)).toBeLessThan(90);
  expect((began[3] ?? 0) - (began[2] ?? 0)).toBeGreaterThan(90);
});

test("a loop that finds nothing rests longer each time, up to its rest, until it finds something", async () => {
  const { log } = recordingLog();
  const began: number[] = [];
  const run = async () => (began.push(performance.now()) === 4 ? undefined : false);
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 50, restMs: 150, run }] });
  loop.start();
  await vi.waitFor(() => expect(began.length).toBe(6), { timeout: 5_000 });
  await loop.stop();
  const pauses = began.slice(1).map((at, index) => at - (began[index] ?? 0));
  [50, 100, 150, 50, 50].forEach((least, index) => expect(pauses[index]).toBeGreaterThan(least - 5));
  expect(Math.max(pauses[0] ?? 0, pauses[3] ?? 0)).toBeLessThan(150);
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
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 3_600_000, run }] });
  loop.start();
  await vi.waitFor(() => expect(runs).toBe(2), { timeout: 5_000 });
  await loop.stop();
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({ loop: "test", retryInMs: 1_000, err: expect.objectContaining({ message: "no database" }) }),
  ]);
});

test("stopping wakes a loop that waits, breaks off a run and waits for its end", async () => {
  const { lines, log } = recordingLog();
  let hasEnded = false;
  const loop = repeat({
    log,
    tasks: [
      {
        name: "test",
        everyMs: 3_600_000,
        run: async (signal) => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          hasEnded = true;
          throw new Error("broken off");
        },
      },
    ],
  });
  loop.start();
  await loop.stop();
  expect(hasEnded).toBe(true);
  expect(lines).toEqual([]);
});

test("stopping does not wait for ever for a run that does not end", { timeout: 15_000 }, async () => {
  const { lines, log } = recordingLog();
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 1, run: () => new Promise(() => undefined) }] });
  loop.start();
  await loop.stop();
  expect(lines.join("")).toContain("did not end in time");
});

test("the same failure is logged once until it goes well again", { timeout: 15_000 }, async () => {
  const { lines, log } = recordingLog();
  let runs = 0;
  const run = async () => {
    runs += 1;
    if (runs !== 3) {
      throw new Error("no database");
    }
    return true;
  };
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 1, run }] });
  loop.start();
  await vi.waitFor(() => expect(runs).toBe(4), { timeout: 10_000 });
  await loop.stop();
  expect(lines).toHaveLength(2);
});

test("a task that may take half of the time pauses as long as it took, and the first run may be later", async () => {
  const { log } = recordingLog();
  const began: number[] = [];
  const run = async () => {
    began.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, 60));
  };
  const startedAt = performance.now();
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 1, run, share: 1 / 2, firstInMs: 50 }] });
  loop.start();
  await vi.waitFor(() => expect(began).toHaveLength(2));
  await loop.stop();
  expect((began[0] ?? 0) - startedAt).toBeGreaterThan(45);
  expect((began[1] ?? 0) - (began[0] ?? 0)).toBeGreaterThan(150);
});

test("a wake ends a long rest at once, but not the pause that a loop takes in any case", async () => {
  const { log } = recordingLog();
  const began: number[] = [];
  const { ring, wakenBy } = createAlarm();
  const run = async () => {
    began.push(performance.now());
    return false;
  };
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 100, restMs: () => 60_000, wakenBy, run }] });
  loop.start();
  // 0, 100, 300, 700: then it rests for 800 ms.
  await vi.waitFor(() => expect(began).toHaveLength(4), { timeout: 5_000 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const rungAt = performance.now();
  ring();
  await vi.waitFor(() => expect(began).toHaveLength(5));
  expect((began[4] ?? 0) - rungAt).toBeLessThan(90);
  ring();
  await vi.waitFor(() => expect(began).toHaveLength(6));
  expect((began[5] ?? 0) - (began[4] ?? 0)).toBeGreaterThan(95);
  await loop.stop();
});

test("what is told while a loop runs is not missed", async () => {
  const { log } = recordingLog();
  const { ring, wakenBy } = createAlarm();
  const began: number[] = [];
  const run = async () => {
    if (began.push(performance.now()) === 5) {
      ring();
    }
    return false;
  };
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 50, restMs: 60_000, wakenBy, run }] });
  loop.start();
  // Without it the sixth would be 800 ms after the fifth.
  await vi.waitFor(() => expect(began).toHaveLength(6), { timeout: 5_000 });
  await loop.stop();
  expect((began[5] ?? 0) - (began[4] ?? 0)).toBeLessThan(400);
});

test("a failure is not tried sooner for being woken", async () => {
  const { log } = recordingLog();
  const { ring, wakenBy } = createAlarm();
  let runs = 0;
  const run = async () => {
    runs += 1;
    throw new Error("no database");
  };
  const loop = repeat({ log, tasks: [{ name: "test", everyMs: 20, wakenBy, run, onFailure: () => 60_000 }] });
  loop.start();
  await vi.waitFor(() => expect(runs).toBe(1));
  ring();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await loop.stop();
  expect(runs).toBe(1);
});
