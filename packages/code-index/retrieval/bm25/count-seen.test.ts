import { expect, test } from "vitest";
import { toBitmap } from "#store/index/bitmap.ts";
import { createColumns } from "#store/index/postings.ts";
import { countSeen, type SeenCounts } from "./count-seen.ts";
import { joinVisible } from "#retrieval/scope/visible-chunks.ts";

const CHUNKS = 40;

function seeing(ordinals: readonly number[] | null) {
  const bits = ordinals === null ? null : toBitmap(ordinals, CHUNKS);
  const [segment] = joinVisible([{ segment_id: 1, home: 1, capacity: CHUNKS, ordinals: bits }]);
  if (segment === undefined) {
    throw new Error("No segment.");
  }
  return segment;
}

test("a list that searches share is counted for what each of them sees", () => {
  const counted: SeenCounts = new WeakMap();
  const list = createColumns(4, CHUNKS);
  list.ordinals.set([0, 8, 9, 39]);
  expect(countSeen(counted, list, seeing([8, 9, 10]))).toBe(2);
  expect(countSeen(counted, list, seeing([8, 10, 11]))).toBe(1);
  expect(countSeen(counted, list, seeing(null))).toBe(4);
  expect(countSeen(counted, list, seeing([]))).toBe(0);
  expect(countSeen(counted, list, seeing([8, 9, 10]))).toBe(2);
  expect(countSeen(counted, list, seeing([8, 9, 10]))).toBe(2);
});
