import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-folder-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a folder is made with those above it, by many at once, and may be there", async () => {
  const path = join(folder, "a", "b", "c");
  await Promise.all(Array.from({ length: 10 }, () => makeFolder(path, { mode: 0o700 })));
  await makeFolder(path);
  expect([(await stat(path)).mode & 0o777, (await stat(join(folder, "a"))).mode & 0o777]).toEqual([0o700, 0o700]);
});

test("many who make folders below one that is not there yet all get theirs", async () => {
  for (let round = 0; round < 20; round++) {
    const paths = Array.from({ length: 30 }, (_, index) => join(folder, `round-${round}`, "below", `${index}`));
    await Promise.all(paths.map((path) => makeFolder(path)));
  }
  expect((await stat(join(folder, "round-19", "below", "29"))).isDirectory()).toBe(true);
});

test("a file in its place or above it is an error", async () => {
  await writeFile(join(folder, "file"), "");
  await expect(makeFolder(join(folder, "file"))).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolder(join(folder, "file", "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

test("where the system makes none, as below /proc, it is an error and not a wait without end", async () => {
  await expect(makeFolder("/proc/sightline/data")).rejects.toMatchObject({ syscall: "mkdir" });
});
