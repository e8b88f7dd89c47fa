import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTrigramsCollector } from "./collect-trigrams.ts";
import { readList, listTrigrams } from "./trigrams.ts";

const text = fc
  .array(fc.constantFrom("a", "B", "_", "7", " ", "(", "é", "É", "Σ", "ς", "語", "😀", "\u212A"), { maxLength: 40 })
  .map((parts) => parts.join(""));

function indexOf(contents: readonly string[]) {
  const collector = createTrigramsCollector();
  for (const content of contents) {
    collector.add(content);
  }
  return [...collector.packed()];
}

test("a chunk that holds a literal, in either case, is in the list of each of its trigrams", () => {
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 200 }),
      fc.nat(),
      fc.nat(40),
      fc.integer({ min: 3, max: 12 }),
      (contents, pick, from, length) => {
        const literal = (contents[pick % Math.max(1, contents.length)] ?? "").slice(from, from + length);
        const blocks = indexOf(contents);

        for (const written of [literal, literal.toUpperCase(), literal.toLowerCase()]) {
          const holding = contents.flatMap((content, ordinal) => (content.includes(written) ? [ordinal] : []));
          for (const trigram of listTrigrams(written)) {
            expect(readList(blocks, trigram)).toEqual(expect.arrayContaining(holding));
          }
        }
        for (const trigram of listTrigrams(literal)) {
          const list = readList(blocks, trigram);
          expect(list).toEqual(contents.flatMap((content, ordinal) => (listTrigrams(content).includes(trigram) ? [ordinal] : [])));
        }
      },
    ),
  );
});

test("chunks that are far apart are in one list", () => {
  const far = [0, 127, 128, 256, 16_639, 16_640];
  const contents = Array.from({ length: 20_000 }, (_, ordinal) => (far.includes(ordinal) ? "key" : ""));

  expect(readList(indexOf(contents), listTrigrams("key")[0] ?? 0)).toEqual(far);
});

test("what is not three characters in a row on a line has no trigram", () => {
  expect(["", "ab", "=>", "a\nb\nc", "(\r\n)"].flatMap(listTrigrams)).toEqual([]);
  expect(listTrigrams("=> {")).toHaveLength(2);
  expect(listTrigrams("if (line")).toHaveLength(6);
  expect(listTrigrams("abcabc")).toHaveLength(3);
  expect(listTrigrams("ABC")).toEqual(listTrigrams("abc"));
  expect(listTrigrams("\u212Aey")).toEqual(listTrigrams("key"));
});

test("the first block begins with the least trigram there may be, and large lists are spread over blocks", () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `word${index.toString(36)}`);
  const blocks = indexOf(words);

  expect(indexOf(["…"])).toEqual([{ first: 0, lists: expect.any(Buffer) }]);
  expect(indexOf([])).toEqual([]);
  expect(blocks[0]?.first).toBe(0);
  expect(blocks.length).toBeGreaterThan(2);
  expect(listTrigrams("ord").map((trigram) => readList(blocks, trigram).length)).toEqual([5_000]);
});
