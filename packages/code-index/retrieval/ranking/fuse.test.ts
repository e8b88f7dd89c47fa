import { expect, test } from "vitest";
import { fuse } from "./fuse.ts";

const nothing = { semantic: [], bm25: [], exact: [] };

test("a chunk that two legs found comes before one that only one did", () => {
  expect(fuse({ ...nothing, bm25: [1, 2], semantic: [3, 2] }, "natural")[0]).toMatchObject({ chunkId: 2, ranks: { bm25: 2, semantic: 2 } });
});

test("the exact leg is believed most for a symbol, BM25 for a question", () => {
  const legs = { ...nothing, bm25: [1], exact: [2] };
  expect(fuse(legs, "symbol")[0]?.chunkId).toBe(2);
  expect(fuse(legs, "natural")[0]?.chunkId).toBe(1);
});

test("legs that found nothing leave the others' order as it is", () => {
  expect(fuse({ ...nothing, semantic: [5, 3, 9] }, "natural").map((chunk) => chunk.chunkId)).toEqual([5, 3, 9]);
  expect(fuse(nothing, "natural")).toEqual([]);
});
