import { expect, test } from "vitest";
import { numberFiles, type Candidate } from "./candidate.ts";
import { describeLikeness } from "./likeness.ts";

function candidates(given: readonly (readonly [path: string, likeness: number | undefined])[]): readonly Candidate[] {
  return given.map(([path, likeness], index) => ({
    fused: { chunkId: index, score: 1, ranks: {} },
    chunk: {
      chunk_id: index,
      repo: "o/r",
      ref: "main",
      commit: "c",
      path,
      language: "go",
      start_line: 1,
      end_line: 9,
      symbols: [],
      types: [],
    },
    contributions: [],
    likeness,
    subjectWords: "",
  }));
}

function likenessOf(given: readonly Candidate[]) {
  const likenessAt = describeLikeness(given, numberFiles(given));
  return given.map((_, index) => likenessAt(index));
}

test("likeness is a share of the best, and a file is as like as its best place", () => {
  const all = candidates([
    ["a.go", 0.8],
    ["a.go", 0.2],
    ["b.go", 0.4],
    ["b.go", -0.2],
  ]);
  const described = likenessOf(all);
  expect(described.map(({ likeness }) => likeness)).toEqual([1, 0.25, 0.5, 0]);
  expect(described.map(({ file_likeness: ofFile }) => ofFile)).toEqual([1, 1, 0.5, 0.5]);
  expect(described.map(({ likeness_above: above }) => Math.round(above * 100) / 100)).toEqual([1.39, -0.28, 0.28, -1.39]);
});

test("a place that has no vector is as unlike as can be, and where none has one nothing is told", () => {
  const some = candidates([
    ["a.go", 0.8],
    ["b.go", 0.7],
    ["c.go", undefined],
  ]);
  expect(likenessOf(some)[2]).toEqual({ likeness: 0, likeness_above: -3, file_likeness: 0 });
  const none = candidates([["a.go", undefined]]);
  expect(likenessOf(none)).toEqual([{ likeness: 0, likeness_above: 0, file_likeness: 0 }]);
});
