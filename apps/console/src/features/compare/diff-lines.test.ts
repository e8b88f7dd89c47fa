import { expect, test } from "vitest";
import { toDiffLines } from "./diff-lines.ts";

function inWords(a: string, b: string): readonly string[] {
  const marks = { same: " ", a: "-", b: "+", skipped: "~" };
  return toDiffLines(a, b).map(({ kind, text }) => `${marks[kind]}${text}`);
}

test("lines of one text alone stand beside those of both", () => {
  expect(inWords("one\ntwo\nthree", "one\n2\nthree")).toEqual([" one", "-two", "+2", " three"]);
  expect(inWords("same", "same\n")).toEqual([" same"]);
});

test("of long equal stretches only what surrounds a difference is shown", () => {
  const lead = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
  expect(inWords(`${lead}\nx`, `${lead}\ny`)).toEqual(["~17 equal lines", " line 17", " line 18", " line 19", "-x", "+y"]);
});

test("texts that have nothing in common are shown one after the other", () => {
  const lines = (letter: string) => Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join("\n");
  const diff = toDiffLines(lines("a"), lines("b"));
  expect([diff.filter(({ kind }) => kind === "a").length, diff.filter(({ kind }) => kind === "b").length]).toEqual([5_000, 5_000]);
});
