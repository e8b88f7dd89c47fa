import { expect, test } from "vitest";
import { createChunkedReading, inParts, type StreamEntry } from "./chunked-reading.ts";

const MEBI = 1024 * 1024;

test("a batch of small entries is gathered to its full count, and not one more", async () => {
  const source = sourceOf(Array.from({ length: 250 }, () => 2_000));
  const read = createChunkedReading();
  expect(await read(100, source.fetch)).toHaveLength(100);
  expect(await read(100, source.fetch)).toHaveLength(100);
  expect(await read(100, source.fetch)).toHaveLength(50);
});

test("of a hundred bodies of 16 MiB ten are in memory at the most, and one from then on", async () => {
  const source = sourceOf(Array.from({ length: 100 }, () => 16 * MEBI));
  const read = createChunkedReading();
  const batches: number[] = [];
  while (source.left() > 0) {
    batches.push((await read(100, source.fetch)).length);
  }
  expect(batches[0]).toBe(10);
  expect(new Set(batches.slice(1))).toEqual(new Set([1]));
});

test("of large bodies that come after small ones 25 are in memory at the most", async () => {
  const source = sourceOf([...Array.from({ length: 100 }, () => 2_000), ...Array.from({ length: 60 }, () => 16 * MEBI)]);
  const read = createChunkedReading();
  await read(100, source.fetch);
  expect(await read(100, source.fetch)).toHaveLength(25);
  expect(await read(100, source.fetch)).toHaveLength(1);
});

test("after large entries, small ones are read in large chunks again", async () => {
  const source = sourceOf([16 * MEBI, ...Array.from({ length: 300 }, () => 2_000)]);
  const read = createChunkedReading();
  await read(1, source.fetch);
  await read(100, source.fetch);
  expect(await read(100, source.fetch)).toHaveLength(100);
  expect(source.asked.slice(-4)).toEqual([25, 25, 25, 25]);
});

test("what was gathered before a command failed is given, and the failure is the next call's", async () => {
  const source = sourceOf(Array.from({ length: 100 }, () => 2_000));
  const read = createChunkedReading();
  const entries = await read(100, async (count, isFirst) => (isFirst ? source.fetch(count) : Promise.reject(new Error("gone"))));
  expect(entries).toHaveLength(10);
  await expect(read(100, () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
});

test("entries are written in parts of at most 16 Mi characters, in their order; a larger one is alone", () => {
  const entries = [8, 7, 2, 20, 1, 1].map((size) => entryOf(size * MEBI));
  expect(inParts(entries).map((part) => part.map((entry) => entries.indexOf(entry)))).toEqual([[0, 1], [2], [3], [4, 5]]);
});

/** Entries of the given lengths, that share the text they are made of. */
function sourceOf(lengths: readonly number[]) {
  const entries = lengths.map(entryOf);
  const asked: number[] = [];
  return {
    asked,
    left: () => entries.length,
    fetch: async (count: number) => {
      asked.push(count);
      const taken = entries.splice(0, count);
      return { entries: taken, isLast: taken.length < count };
    },
  };
}

const texts = new Map<number, string>();

function entryOf(length: number): StreamEntry {
  const text = texts.get(length) ?? "x".repeat(length);
  texts.set(length, text);
  return { id: "1-1", fields: [text] };
}
