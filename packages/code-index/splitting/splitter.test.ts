import { afterEach, expect, test } from "vitest";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createSplitter, type Splitter } from "./splitter.ts";

let splitter: Splitter;

afterEach(() => splitter.close());

const deadly = new URL(import.meta.resolve("#testing/deadly-splitting.ts"));

test("many files at once come back each with its own chunks", async () => {
  splitter = createSplitter({ log: silentLog, threads: 2 });
  const files = Array.from({ length: 60 }, (_, index) => `export function f${index}() {}\n`);

  const split = await Promise.all(files.map((file) => splitter.split(Buffer.from(file), "typescript")));

  expect(split.map(({ chunks }) => chunks[0]?.symbols)).toEqual(files.map((_, index) => [`f${index}`]));
});

test("a file that kills its thread is split by lines, and the others go on", async () => {
  splitter = createSplitter({ log: silentLog, threads: 1, worker: deadly });

  const [first, killed, good, again, last] = await Promise.all(
    ["before", "die", "live", "die", "after"].map((content) => splitter.split(Buffer.from(content), "typescript")),
  );

  expect([first, again, last].map((file) => file?.chunks[0]?.content)).toEqual(["BEFORE", "die", "AFTER"]);
  expect(killed?.chunks.map(({ content }) => content)).toEqual(["die"]);
  expect(good?.chunks.map(({ content }) => content)).toEqual(["LIVE"]);
});

test("a file that its thread hangs on is split by lines, and the others go on", async () => {
  splitter = createSplitter({ log: silentLog, threads: 1, worker: deadly, fileMs: 3_000 });

  const [hung, good] = await Promise.all([
    splitter.split(Buffer.from("hang"), "typescript"),
    splitter.split(Buffer.from("live"), "typescript"),
  ]);

  expect(hung.chunks.map(({ content }) => content)).toEqual(["hang"]);
  expect(good.chunks.map(({ content }) => content)).toEqual(["LIVE"]);
});
