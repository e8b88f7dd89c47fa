import { RE2JS } from "re2js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readList } from "#store/index/trigrams.ts";
import { createTrigramsCollector } from "#store/index/collect-trigrams.ts";
import { toTrigramClass } from "#store/index/trigrams.ts";
import { compilePattern, splitLines } from "./compile-pattern.ts";
import { findChunks } from "./trigram-query.ts";

function literal(source: string, isCaseSensitive = true) {
  return compilePattern({ source, isRegex: false, isCaseSensitive });
}

function regex(source: string, isCaseSensitive = true) {
  return compilePattern({ source, isRegex: true, isCaseSensitive });
}

/** Whether the index would offer a chunk of this text. */
function isOffered(pattern: ReturnType<typeof regex>, text: string): boolean {
  const collector = createTrigramsCollector();
  collector.add(text);
  const { trigrams, isMultiline } = pattern;
  const blocks = [...collector.packed()];
  const listOf = (trigram: number) => Uint16Array.from(readList(blocks, trigram));
  return trigrams.kind === "any" || findChunks(trigrams, { listOf, isMultiline }).length > 0;
}

const PIECES = ["foo", "Bar", "a", "b", "_1", " ", "(", ")", ".", "%", "\t", "é", "ſ", "σς", "語", "😀", "\n", "\r\n"];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((parts) => parts.join(""));

/** Expressions with all that matters to trigrams: alternatives, options, repetitions, classes, groups. */
const expression = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(
      "foo",
      "Bar",
      "a",
      "b",
      "_1",
      " ",
      "\\(",
      "é",
      "ſ",
      "s",
      "k",
      "語",
      "😀",
      "\\.",
      ".",
      "[ab]",
      "[^a]",
      "\\s",
      "\\w",
      "^",
      "$",
      "\\b",
      "[f-h]oo",
    ),
    fc.constantFrom("(?i)", "\\x61", "\\Q.b\\E", "[[:alpha:]]", "\\pL", "\\n", "(?s).", "[\\s\\S]"),
  ),
  sequence: fc.array(tie("node"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
  node: fc.oneof(
    { maxDepth: 3 },
    tie("leaf"),
    tie("sequence"),
    fc.tuple(tie("node"), tie("node")).map(([one, other]) => `(${String(one)}|${String(other)})`),
    fc
      .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "+?"))
      .map(([one, times]) => `(?:${String(one)})${times}`),
  ),
})).sequence;

test("the lines of a text that match are those that match alone, and no text that has one is kept from the index's offer", () => {
  fc.assert(
    fc.property(expression, text, fc.boolean(), (source, given, isCaseSensitive) => {
      const pattern = regex(source, isCaseSensitive);
      const lines = pattern.linesOf(given);
      const single = RE2JS.compile(source, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
      const alone = splitLines(given).flatMap((line, index) => (single.test(line) ? [index] : []));

      // A class that takes line ends finds at least what it finds within lines.
      expect(pattern.isMultiline && lines.length >= Math.min(1, alone.length) ? alone : lines).toEqual(alone);
      expect(pattern.matches(given)).toBe(pattern.isMultiline ? pattern.matches(given) : lines.length > 0);
      expect(lines.length === 0 || isOffered(pattern, given)).toBe(true);
      const texts = splitLines(given);
      pattern.rangesIn(given, lines).forEach((ranges, index) => {
        expect(ranges.length).toBeGreaterThan(0);
        for (const [from, to] of ranges) {
          expect(from).toBeLessThanOrEqual(to);
          expect(to).toBeLessThanOrEqual(texts[lines[index] ?? -1]?.length ?? -1);
        }
      });
    }),
    { numRuns: 500 },
  );
});

test("a literal is found whatever it is made of, on one line or several", () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.integer({ min: 1, max: 12 }), (given, from, length) => {
      const source = given.slice(from % Math.max(1, given.length)).slice(0, length);
      fc.pre(source !== "" && !/^\n|\r$/.test(source) && source.isWellFormed());
      const pattern = literal(source);

      expect(pattern.matches(given)).toBe(true);
      expect(isOffered(pattern, given)).toBe(true);
      expect(literal(source.toUpperCase(), false).matches(given) || source.toUpperCase().toLowerCase() !== source.toLowerCase()).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("letters that are one to whoever ignores case are one to the trigrams", () => {
  const cased = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).filter(
    (letter) => letter.toLowerCase() !== letter || letter.toUpperCase() !== letter,
  );
  const all = cased.join("");
  for (const letter of cased) {
    const same = [...RE2JS.compile(letter, RE2JS.CASE_INSENSITIVE).matchAll(all)].map(([other]) => other);
    expect({ letter, classes: new Set(same.map((other) => toTrigramClass(other.charCodeAt(0)))) }).toEqual({
      letter,
      classes: new Set([toTrigramClass(letter.charCodeAt(0))]),
    });
  }
});

test("lines end as Windows or Unix has them, and a pattern may speak of their ends", () => {
  const given = "one;\r\ntwo;\nthree\r\n";
  expect(regex(";$").linesOf(given)).toEqual([0, 1]);
  expect(regex("^$").linesOf(given)).toEqual([]);
  expect(literal("one;\ntwo").linesOf(given)).toEqual([0, 1]);
  expect(literal("one;\r\ntwo").rangesIn(given, [0, 1])).toEqual([[[0, 4]], [[0, 3]]]);
  expect(regex("two;\\nth").linesOf(given)).toEqual([1, 2]);
  expect(regex("[^x]e").linesOf("a\neb")).toEqual([]);
  expect(regex("o[\\s\\S]*?h").linesOf("one\ntwo\nthree")).toEqual([0, 1, 2]);
});

test.for(["(", "[a", "a**", "\\C", "(?=x)", "(a)\\1", "x{1001}", "\\", "(?P<n", "((a{100}){100}){100}"])(
  "%s is refused with what is wrong with it",
  (source) => {
    expect(() => regex(source)).toThrow(expect.objectContaining({ code: "invalid_pattern", status: 400 }));
  },
);

test.for(["(a+)+$", "(a|a)*b", "(.*)(.*)(.*)(.*)[xy]z", "(a?){200}a{200}", "(x+x+)+y", "(\\pL{1,50}){10}!"])(
  "%s takes no longer than its text is long",
  (source) => {
    const began = performance.now();
    regex(source).linesOf("a".repeat(100_000));
    expect(performance.now() - began).toBeLessThan(20_000);
  },
);

test("a large expression lets others have their turn between lines, and is not tried on a line that takes seconds", async () => {
  const pattern = regex(String.raw`[ab][^Z\n]{1000}[^Z\n]{1000}[^Z\n]{900}[XY]`);
  const lines = Array.from({ length: 6_000 }, (_, line) => "abcdefgh ".repeat(100) + "ab".repeat(line % 300));
  const many = lines.join("\n");
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  const matching = `${"a".repeat(2_901)}X`;
  expect(pattern.isTooMuch(many)).toBe(false);
  expect(await pattern.findLines(`${many}\n${matching}\n`)).toEqual([6_000]);
  clearInterval(others);
  expect(turns).toBeGreaterThan(1);

  const line = "abcdefgh ".repeat(20_000);
  expect(pattern.isTooMuch(line)).toBe(true);
  // It does not; nobody tried.
  expect(pattern.mayMatch(line)).toBe(true);
  expect(regex("a.*b").isTooMuch(line.repeat(5))).toBe(false);
});
