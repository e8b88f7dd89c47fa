import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockHome } from "./home-lock.ts";
import { findProcess } from "./process-table.ts";

const LOCKING = fileURLToPath(new URL("../testing/locking-child.ts", import.meta.url));

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sightline-lock-"));
});

afterEach(() => rm(home, { recursive: true }));

async function writeLock(pid: number, startedAt: string): Promise<void> {
  await writeFile(join(home, "lock"), JSON.stringify({ pid, startedAt }));
}

test("a home that a living process has is refused with its number", async () => {
  const parent = await findProcess(process.ppid);
  await writeLock(process.ppid, parent?.startedAt ?? "");
  await expect(lockHome(home)).rejects.toThrow(`Sightline already runs in ${home} (process ${process.ppid})`);
});

test("the lock of a process that is gone is taken over, even when its number belongs to another one now", async () => {
  await writeLock(process.ppid, "long ago");
  const lock = await lockHome(home);
  expect(await holder()).toBe(process.pid);
  await lock.release();
});

test("of many that take over the same lock at once exactly one gets it", async () => {
  const children = Array.from({ length: 4 }, () => fork(LOCKING, { execArgv: [] }));
  try {
    await Promise.all(children.map((child) => once(child, "message")));
    for (let round = 0; round < 25; round += 1) {
      await writeLock(process.ppid, `long ago ${round}`);
      const answers = children.map((child) => once(child, "message"));
      for (const child of children) {
        child.send(home);
      }
      const got = (await Promise.all(answers)).filter(([answer]) => answer === true);
      expect(got, `round ${round}`).toHaveLength(1);
      await rm(join(home, "lock"));
    }
  } finally {
    for (const child of children) {
      child.kill();
    }
  }
});

test("half a lock is no lock", async () => {
  await writeFile(join(home, "lock"), '{"pid":');
  await lockHome(home);
  expect(await holder()).toBe(process.pid);
});

test("a released home can be locked again", async () => {
  await (await lockHome(home)).release();
  await lockHome(home);
  expect(await holder()).toBe(process.pid);
});

async function holder(): Promise<unknown> {
  const lock: { pid: unknown } = JSON.parse(await readFile(join(home, "lock"), "utf8"));
  return lock.pid;
}
