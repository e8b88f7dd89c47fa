import * as fc from "fast-check";
import { expect, test } from "vitest";
import { chunkId } from "#store/chunk-id.ts";
import { encodePostings, impactOf } from "#store/postings.ts";
import type { PostingsRow } from "#store/read-postings.store.ts";
import type { Concept } from "./query.ts";
import { scorePostings } from "./score-postings.ts";
import type { VisibleChunks } from "./visible-chunks.ts";

const SEGMENT = 7;

function concept(...terms: string[]): Concept {
  return { terms, weight: 1 };
}

/** A segment all of whose chunks are seen. */
function whole(segmentId: number, chunks: number): VisibleChunks {
  return { segmentId, capacity: chunks, count: chunks, ordinals: null };
}

/** Postings of a segment in which every term has the same impact on the chunks given. */
function row(term: string, ordinals: readonly number[], impact = 1, segment = SEGMENT): PostingsRow {
  return { term, segment_id: segment, df: ordinals.length, docs: encodePostings(ordinals.map((ordinal) => ({ ordinal, impact }))) };
}

function ranking(concepts: readonly Concept[], postings: readonly PostingsRow[], chunks = 100): readonly number[] {
  const scores = scorePostings({ concepts, segments: [whole(SEGMENT, chunks)], postings });
  return scores.top(10).map((hit) => hit.chunkId - chunkId(SEGMENT, 0));
}

test("a chunk with more of the words comes first, and a rare word counts more than a common one", () => {
  expect(ranking([concept("a"), concept("b")], [row("a", [1, 2]), row("b", [2, 3])])[0]).toBe(2);
  expect(ranking([concept("rare"), concept("common")], [row("rare", [1]), row("common", [2, 3, 4, 5, 6])])[0]).toBe(1);
});

test("a word in several forms counts once, by its best", () => {
  const postings = [row("append", [1, 2]), row("appends", [1]), row("appended", [1])];
  const scores = scorePostings({
    concepts: [concept("append", "appends", "appended")],
    segments: [whole(SEGMENT, 9)],
    postings,
  });
  const [first, second] = scores.top(2);
  expect(first?.score).toBeCloseTo(second?.score ?? 0);
});

test("a rare form of a common word is as common as the word", () => {
  const postings = [
    row(
      "sample",
      Array.from({ length: 60 }, (_, index) => index),
    ),
    row("sampled", [99]),
    row("head", [98]),
  ];
  expect(ranking([concept("sample", "sampled"), concept("head")], postings)[0]).toBe(98);
});

test("how rare a word is counts over all segments given", () => {
  const segments = [
    whole(1, 10),
    whole(2, 10),
  ];
  const postings = [row("x", [0], 1, 1), row("y", [1], 1, 1), row("y", [0, 1, 2, 3, 4], 1, 2)];
  const [best] = scorePostings({ concepts: [concept("x"), concept("y")], segments, postings }).top(1);
  expect(best?.chunkId).toBe(chunkId(1, 0));
});

test("coverage is the part of the query a chunk holds; words that are nowhere don't count", () => {
  const scores = scorePostings({
    concepts: [concept("a"), concept("b"), concept("nowhere")],
    segments: [whole(SEGMENT, 10)],
    postings: [row("a", [1, 2]), row("b", [2, 3])],
  });
  expect(scores.coverageOf(chunkId(SEGMENT, 1))).toBeCloseTo(0.5);
  expect(scores.coverageOf(chunkId(SEGMENT, 2))).toBeCloseTo(1);
  expect(scores.coverageOf(chunkId(SEGMENT, 4))).toBe(0);
  expect(scores.coverageOf(chunkId(99, 4))).toBe(0);
});

test("scores are BM25's: the inverse document frequency times the impact", () => {
  const impact = impactOf({ frequency: 3, length: 80, averageLength: 100 });
  const scores = scorePostings({
    concepts: [concept("a")],
    segments: [whole(SEGMENT, 100)],
    postings: [row("a", [5], impact)],
  });
  expect(scores.top(1)[0]?.score).toBeCloseTo(Math.log(1 + 99.5 / 1.5) * impact, 2);
});

test("the best chunks are those that sorting everything would give", () => {
  const impacts = fc.array(fc.double({ min: 0.01, max: 2, noNaN: true }), { minLength: 1, maxLength: 3_000 });
  fc.assert(
    fc.property(impacts, fc.integer({ min: 1, max: 20 }), (given, limit) => {
      const docs = encodePostings(given.map((impact, ordinal) => ({ ordinal, impact })));
      const postings = [{ term: "a", segment_id: SEGMENT, df: given.length, docs }];
      const scores = scorePostings({ concepts: [concept("a")], segments: [whole(SEGMENT, given.length)], postings });
      expect(scores.top(limit)).toEqual(scores.top(given.length).slice(0, limit));
    }),
    { numRuns: 30 },
  );
});
