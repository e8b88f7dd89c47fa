import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFolder } from "./replace-folder.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-replace-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("what several put into one place at once is there whole, of one of them, and nothing else is left", async () => {
  const place = join(folder, "dist");
  const makers = Array.from({ length: 20 }, async (_, maker) => {
    const fresh = join(folder, `fresh-${maker}`);
    await mkdir(join(fresh, "assets"), { recursive: true });
    await Promise.all(Array.from({ length: 20 }, (__, file) => writeFile(join(fresh, "assets", `${file}.js`), `${maker}`)));
    await replaceFolder(place, fresh);
  });
  await Promise.all(makers);
  expect(await readdir(folder)).toEqual(["dist"]);
  const files = await readdir(join(place, "assets"));
  const made = await Promise.all(files.map((file) => readFile(join(place, "assets", file), "utf8")));
  expect([files.length, new Set(made).size]).toEqual([20, 1]);
});
