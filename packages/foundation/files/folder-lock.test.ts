import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withFolderLock } from "./folder-lock.ts";
import { thisProcess } from "#process-table.ts";

let folder: string;
const signal = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-lock-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("of many at once one works at a time, and all of them come to it", async () => {
  let working = 0;
  let most = 0;
  const done: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      withFolderLock(folder, signal, async () => {
        most = Math.max(most, ++working);
        await turn();
        await turn();
        working--;
        done.push(number);
      }),
    ),
  );
  expect(most).toBe(1);
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, number) => number));
  expect(await readdir(folder)).toHaveLength(1);
});

test("processes take turns: a counter in a file loses nothing", async () => {
  const counter = join(folder, "counter");
  await writeFile(counter, "0");
  const script = `
    import { withFolderLock } from ${JSON.stringify(join(import.meta.dirname, "folder-lock.ts"))};
    import { readFile, writeFile } from "node:fs/promises";
    const [folder, counter] = process.argv.slice(1);
    for (let round = 0; round < 5; round++) {
      await withFolderLock(folder, new AbortController().signal, async () => {
        const before = Number(await readFile(counter, "utf8"));
        await new Promise((resolve) => setImmediate(resolve));
        await writeFile(counter, String(before + 1));
      });
    }
  `;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script, folder, counter], { stdio: "inherit" }),
  );
  await Promise.all(children.map((child) => once(child, "exit")));
  expect(await readFile(counter, "utf8")).toBe("20");
});

test("the lock of a process that was killed is taken over at once, also when its number is in use again", async () => {
  await writeFile(join(folder, "lock.7"), JSON.stringify({ ...(await thisProcess()), startedAt: "1" }));
  expect(await withFolderLock(folder, signal, async () => "done")).toBe("done");
  expect(await readdir(folder)).toEqual(["lock.8"]);
});

test("another machine's lock is waited for while it is kept fresh, and taken over when it is not", async () => {
  const path = join(folder, "lock.1");
  await writeFile(path, JSON.stringify({ ...(await thisProcess()), machine: "elsewhere" }));
  const waiting = withFolderLock(folder, AbortSignal.timeout(300), async () => "done");
  await expect(waiting).rejects.toMatchObject({ name: "TimeoutError" });
  const old = new Date(Date.now() - 10 * 60_000);
  await utimes(path, old, old);
  expect(await withFolderLock(folder, signal, async () => "done")).toBe("done");
});

test("work that fails gives the lock back", async () => {
  await expect(withFolderLock(folder, signal, () => Promise.reject(new Error("no")))).rejects.toThrowError("no");
  expect(await withFolderLock(folder, signal, async () => "done")).toBe("done");
});
