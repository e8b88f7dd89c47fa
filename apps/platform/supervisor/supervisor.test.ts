import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFinished, test } from "vitest";
import type { Output } from "./log-lines.ts";
import type { ChildTimings } from "./restart-child.ts";
import { createSupervisor, type Supervisor } from "./supervisor.ts";
import { isAlive, waitUntil } from "#testing/wait-until.ts";

const PROGRAM = fileURLToPath(new URL("../testing/small-child.ts", import.meta.url));
const PARENT = fileURLToPath(new URL("../testing/supervising-parent.ts", import.meta.url));

const supervisors: Supervisor[] = [];
let lines: string[] = [];

afterEach(async () => {
  await Promise.all(supervisors.splice(0).map((supervisor) => supervisor.stop()));
  lines = [];
});

const output: Output = { childLine: (name, line) => lines.push(`${name}: ${line}`), say: (text) => lines.push(text) };

function supervise({ stopMs, noticeMs, ...timings }: Partial<ChildTimings> & { stopMs?: number; noticeMs?: number } = {}): Supervisor {
  const supervisor = createSupervisor({
    output,
    timings: { pauseMs: 10, firstAttempts: 2, ...timings },
    ...(stopMs === undefined ? {} : { stopMs }),
    ...(noticeMs === undefined ? {} : { noticeMs }),
  });
  supervisors.push(supervisor);
  return supervisor;
}

function child(name: string, behaviour: string) {
  return { name, program: PROGRAM, words: [behaviour], environment: process.env };
}

function pids(name: string): number[] {
  return lines.flatMap((line) => {
    const [, pid] = new RegExp(`^${name}: pid (\\d+)$`).exec(line) ?? [];
    return pid === undefined ? [] : [Number(pid)];
  });
}

test("a killed child is ready again within five seconds", async () => {
  const supervisor = supervise();
  await supervisor.start([child("one", "good")]);
  await waitUntil("the child wrote its number", () => pids("one").length === 1);
  const [first = 0] = pids("one");
  process.kill(first, "SIGKILL");
  await waitUntil("the child is ready again", () => lines.some((line) => line.startsWith("one is ready again")), 5_000);
  expect(lines).toContain("one ended (SIGKILL) and is started again");
  expect(pids("one")).toHaveLength(2);
});

test("the pause before a restart doubles while a child keeps ending", async () => {
  const supervisor = supervise();
  await supervisor.start([child("one", "good")]);
  for (let round = 1; round <= 4; round += 1) {
    await waitUntil(`the child runs for the ${round}. time`, () => pids("one").length === round);
    process.kill(pids("one").at(-1) ?? 0, "SIGKILL");
  }
  await waitUntil("the child runs again", () => pids("one").length === 5);
  expect(lines.filter((line) => line.startsWith("one ended"))).toEqual([
    "one ended (SIGKILL) and is started again",
    "one ended (SIGKILL) and is started again in 10 ms",
    "one ended (SIGKILL) and is started again in 20 ms",
    "one ended (SIGKILL) and is started again in 40 ms",
  ]);
});

test("a child that never gets ready fails the start, with its own words shown", async () => {
  await expect(supervise().start([child("broken", "never-ready")])).rejects.toThrow("broken does not start (exit code 1)");
  expect(lines.join("\n")).toContain("broken: Error: this child never starts");
});

test("a child that is too slow fails the start as well, instead of being started for ever", async () => {
  const slow = supervise({ readyMs: 1, soundMs: 1 });
  await expect(slow.start([child("slow", "good")])).rejects.toThrow("slow does not start (SIGKILL)");
  expect(lines.filter((line) => line.startsWith("slow is not ready"))).toHaveLength(2);
});

test("a child that takes long is waited for while it says what it does, and that it takes long is said", async () => {
  const supervisor = supervise({ readyMs: 5_000, noticeMs: 1_000 });
  await supervisor.start([child("talking", "talks-first"), child("quick", "good")]);
  expect(lines).toContain("talking: step 12");
  expect(lines).toContainEqual(expect.stringMatching(/^Still waiting for talking \(\d+ s\) …$/));
});

test("a child may have a patience of its own", async () => {
  const supervisor = supervise({ readyMs: 1 });
  await supervisor.start([{ ...child("store", "good"), readyMs: 60_000 }]);
  expect(pids("store")).toHaveLength(1);
});

test("children end in the reverse order of their start", async () => {
  const supervisor = supervise();
  await supervisor.start([child("first", "good")]);
  await supervisor.start([child("second", "good")]);
  await supervisor.stop();
  expect(lines.filter((line) => line.endsWith(": stopping"))).toEqual(["second: stopping", "first: stopping"]);
  expect([...pids("first"), ...pids("second")].filter(isAlive)).toEqual([]);
});

test("a child that does not end in time is killed, and only that one", async () => {
  const supervisor = supervise({ stopMs: 1_000 });
  await supervisor.start([child("good", "good"), child("stuck", "hangs")]);
  const startedAt = Date.now();
  await supervisor.stop();
  expect(Date.now() - startedAt).toBeLessThan(3_000);
  expect(lines).toContain("good: stopping");
  expect(lines).toContain("Not everything ended in time; the rest is killed.");
  expect([...pids("good"), ...pids("stuck")].filter(isAlive)).toEqual([]);
});

test("what was started first has time to end, however many of the later ones don't", async () => {
  const supervisor = supervise({ stopMs: 2_000 });
  await supervisor.start([child("store", "good")]);
  await supervisor.start(["a", "b", "c", "d"].map((name) => child(name, "hangs")));
  await supervisor.stop();
  const told = lines.filter((line) => line === "store: stopping" || line.startsWith("Not everything"));
  expect(told).toEqual(["store: stopping", "Not everything ended in time; the rest is killed."]);
});

test("a supervisor that is killed leaves no child behind, not even one that does not come to its end", async () => {
  const behaviours = ["good", "hangs", "hangs-at-exit"];
  const parent = spawn(process.execPath, [PARENT, PROGRAM, ...behaviours], { stdio: ["ignore", "pipe", "inherit"] });
  let told = "";
  parent.stdout.on("data", (data) => (told += String(data)));
  await waitUntil("all children are ready", () => told.includes("all are ready"));
  const children = [...told.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  onTestFinished(() => children.filter(isAlive).forEach((pid) => process.kill(pid, "SIGKILL")));
  expect(children.filter(isAlive)).toHaveLength(behaviours.length);
  parent.kill("SIGKILL");
  // They have 10 s; whoever adopts them may take a moment longer to clear them away.
  await waitUntil("the children are gone too", () => !children.some(isAlive), 12_000);
});
