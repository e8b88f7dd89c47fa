import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findFolderHolder } from "@sightline/foundation/files/folder-lock";
import { findProcess } from "@sightline/foundation/process-table";
import { lockHome } from "./home-lock.ts";

const LOCKING = fileURLToPath(new URL("../testing/locking-child.ts", import.meta.url));
const ROUNDS = 10;

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), ".sightline-lock-"));
});

afterEach(() => rm(home, { recursive: true }));

test("a home that a living process has is refused with its number", async () => {
  const parent = await findProcess(process.ppid);
  await writeLock(process.ppid, parent?.startedAt ?? "");
  await expect(lockHome(home)).rejects.toThrow(`Sightline already runs in ${home} (process ${process.ppid})`);
});

test("who has a home is told without taking it", async () => {
  expect(await findFolderHolder(join(home, "not-made-yet"))).toBeUndefined();
  expect(await findFolderHolder(home)).toBeUndefined();
  const parent = await findProcess(process.ppid);
  await writeLock(process.ppid, parent?.startedAt ?? "");
  expect(await findFolderHolder(home)).toBe(process.ppid);
});

test("the fact of a taken home names a folder with a dot in it whole", async () => {
  const parent = await findProcess(process.ppid);
  await writeLock(process.ppid, parent?.startedAt ?? "");
  await expect(lockHome(home)).rejects.toMatchObject({ fact: `Sightline already runs in ${home} (process ${process.ppid})` });
});

test("the lock of a process that is gone is taken over, even when its number belongs to another one now", async () => {
  await writeLock(process.ppid, "long ago");
  await lockHome(home);
  expect(await locks()).toEqual([["lock.8", process.pid]]);
});

test("half a lock is no lock", async () => {
  await writeFile(join(home, "lock.1"), '{"pid":');
  await lockHome(home);
  expect(await locks()).toEqual([["lock.2", process.pid]]);
});

test("a released lock belongs to nobody, and its number is not given again", async () => {
  await (await lockHome(home)).release();
  expect(await locks()).toEqual([["lock.1", undefined]]);
  await lockHome(home);
  expect(await locks()).toEqual([["lock.2", process.pid]]);
});

test("of many that take over the same lock at once exactly one gets it", async () => {
  await withChildren(6, async (children) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await writeLock(process.ppid, `long ago ${round}`);
      const answers = await ask(children, { home });
      expect(
        answers.filter((answer) => answer === "got it"),
        `round ${round}`,
      ).toHaveLength(1);
      await rm(home, { recursive: true });
      await mkdir(home);
    }
  });
});

test("of many that lock and release again and again no two ever have it at once", async () => {
  await withChildren(6, async (children) => {
    const answers = await ask(children, { home, times: ROUNDS });
    expect(answers).not.toContain("two had it");
    expect(answers).toContain("got it");
  });
  expect(await locks()).toHaveLength(1);
});

async function writeLock(pid: number, startedAt: string): Promise<void> {
  await writeFile(join(home, "lock.7"), JSON.stringify({ pid, startedAt }));
}

/** The lock files of the home, each with the process in it. */
async function locks(): Promise<unknown> {
  const names = (await readdir(home)).filter((name) => name.startsWith("lock"));
  return Promise.all(names.map(async (name) => [name, pidIn(await readFile(join(home, name), "utf8"))]));
}

function pidIn(text: string): unknown {
  const lock: { pid?: unknown } = text === "" ? {} : JSON.parse(text);
  return lock.pid;
}

async function withChildren(count: number, work: (children: readonly ChildProcess[]) => Promise<void>): Promise<void> {
  const children = Array.from({ length: count }, () => fork(LOCKING, { execArgv: [] }));
  try {
    await Promise.all(children.map((child) => once(child, "message")));
    await work(children);
  } finally {
    for (const child of children) {
      child.kill();
    }
  }
}

async function ask(children: readonly ChildProcess[], task: { home: string; times?: number }): Promise<unknown[]> {
  const answers = children.map((child) => once(child, "message"));
  for (const child of children) {
    child.send(task);
  }
  return (await Promise.all(answers)).map(([answer]) => answer);
}
