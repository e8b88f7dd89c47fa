import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { chunkId, boundColumns, computeImpact, unpackPostings, type BoundedColumns, type Columns } from "#store/index/postings.ts";
import { encodePostings } from "#testing/packed-postings.ts";
import { joinForms } from "./join-forms.ts";
import type { QueryTerm } from "#retrieval/query/parse-query.ts";
import { createSegmentMemory } from "./segment-memory.ts";
import { scorePostings, type Scores } from "./score-postings.ts";
import { joinVisible, type VisibleChunks } from "#retrieval/scope/visible-chunks.ts";

const SEGMENT = 7;
const memory = createSegmentMemory();

type Row = { readonly term: string; readonly segment: number; readonly list: Columns };

type Given = { readonly queryTerms: readonly QueryTerm[]; readonly segments: readonly VisibleChunks[]; readonly postings: readonly Row[] };

function score({ queryTerms, segments, postings }: Given, limit = 1_000): Promise<Scores> {
  const listIn = (segmentId: number, term: string) => postings.find((held) => held.segment === segmentId && held.term === term)?.list;
  return scorePostings({
    memory,
    queryTerms: queryTerms.map(({ terms, weight }) => {
      const holding = segments.filter(({ segmentId }) => terms.some((term) => listIn(segmentId, term) !== undefined));
      const joined = holding.map(({ segmentId, capacity }): [number, BoundedColumns] => [
        segmentId,
        boundColumns(
          joinForms(
            memory.joinScratch,
            terms.map((term) => listIn(segmentId, term)),
            capacity,
          ),
          capacity,
        ),
      ]);
      return { weight, postings: new Map(joined) };
    }),
    segments,
    limit,
  });
}

function listOf(given: readonly { readonly ordinal: number; readonly impact: number }[]): Columns {
  return unpackPostings(encodePostings(given), given.length, 2 ** 20);
}

function queryTerm(...terms: string[]): QueryTerm {
  return { terms, weight: 1 };
}

/** A segment all of whose chunks are seen. */
function whole(segmentId: number, chunks: number): VisibleChunks {
  return { segmentId, home: 1, capacity: chunks, count: chunks, ordinals: null, digest: "" };
}

/** Postings of a segment in which every term has the same impact on the chunks given. */
function row(term: string, ordinals: readonly number[], impact = 1, segment = SEGMENT): Row {
  return { term, segment, list: listOf(ordinals.map((ordinal) => ({ ordinal, impact }))) };
}

async function ranking(queryTerms: readonly QueryTerm[], postings: readonly Row[], chunks = 100): Promise<readonly number[]> {
  const { best } = await score({ queryTerms, segments: [whole(SEGMENT, chunks)], postings }, 10);
  return best.map((hit) => hit.chunkId - chunkId(SEGMENT, 0));
}

test("a chunk with more of the words comes first, and a rare word counts more than a common one", async () => {
  expect((await ranking([queryTerm("a"), queryTerm("b")], [row("a", [1, 2]), row("b", [2, 3])]))[0]).toBe(2);
  expect((await ranking([queryTerm("rare"), queryTerm("common")], [row("rare", [1]), row("common", [2, 3, 4, 5, 6])]))[0]).toBe(1);
});

test("a word in several forms counts once, by its best", async () => {
  const postings = [row("append", [1, 2]), row("appends", [1]), row("appended", [1])];
  const scores = await score({
    queryTerms: [queryTerm("append", "appends", "appended")],
    segments: [whole(SEGMENT, 9)],
    postings,
  });
  const [first, second] = scores.best;
  expect(first?.score).toBeCloseTo(second?.score ?? 0);
});

test("what other forms a chunk has beside the best one changes its score by no digit", async () => {
  const impacts = Array.from({ length: 200 }, (_, index) => 0.1 + ((index * 0.37) % 1.7));
  const pairs = (impact: (index: number) => number) =>
    listOf(impacts.flatMap((_, index) => [2 * index, 2 * index + 1].map((ordinal) => ({ ordinal, impact: impact(index) }))));
  const firsts = listOf(impacts.map((impact, index) => ({ ordinal: 2 * index, impact: impact / 9 })));
  const { best } = await score({
    queryTerms: [queryTerm("a"), queryTerm("b", "c")],
    segments: [whole(SEGMENT, 400)],
    postings: [
      { term: "a", segment: SEGMENT, list: pairs((index) => impacts.at(-index) ?? 1) },
      { term: "b", segment: SEGMENT, list: firsts },
      { term: "c", segment: SEGMENT, list: pairs((index) => impacts[index] ?? 1) },
    ],
  });
  const scores = new Map(best.map((hit) => [hit.chunkId - chunkId(SEGMENT, 0), hit.score]));
  expect(impacts.map((_, index) => scores.get(2 * index))).toEqual(impacts.map((_, index) => scores.get(2 * index + 1)));
});

test("a rare form of a common word is as common as the word", async () => {
  const postings = [
    row(
      "sample",
      Array.from({ length: 60 }, (_, index) => index),
    ),
    row("sampled", [99]),
    row("head", [98]),
  ];
  expect((await ranking([queryTerm("sample", "sampled"), queryTerm("head")], postings))[0]).toBe(98);
});

test("how rare a word is counts over all segments given", async () => {
  const segments = [whole(1, 10), whole(2, 10)];
  const postings = [row("x", [0], 1, 1), row("y", [1], 1, 1), row("y", [0, 1, 2, 3, 4], 1, 2)];
  const { best } = await score({ queryTerms: [queryTerm("x"), queryTerm("y")], segments, postings });
  expect(best[0]?.chunkId).toBe(chunkId(1, 0));
});

test("what each word adds to a chunk's score is told of every visible chunk; a word that is nowhere weighs nothing", async () => {
  const scores = await score({
    queryTerms: [queryTerm("a"), queryTerm("b"), queryTerm("nowhere")],
    segments: [whole(SEGMENT, 10)],
    postings: [row("a", [1, 2]), row("b", [2, 3])],
  });
  const scoreOf = new Map(scores.best.map(({ chunkId: id, score: best }) => [id, best]));
  const [alone = 0, ...others] = scores.contributionsOf(chunkId(SEGMENT, 1));
  expect(alone).toBeCloseTo(scoreOf.get(chunkId(SEGMENT, 1)) ?? 0);
  expect(others).toEqual([0, 0]);
  const both = scores.contributionsOf(chunkId(SEGMENT, 2));
  expect(both[0] === both[1] && both[2] === 0 && both.reduce((sum, added) => sum + added)).toBeCloseTo(
    scoreOf.get(chunkId(SEGMENT, 2)) ?? 0,
  );
  expect(scores.contributionsOf(chunkId(SEGMENT, 4))).toEqual([0, 0, 0]);
  expect(scores.contributionsOf(chunkId(99, 4))).toEqual([0, 0, 0]);
  expect(scores.weights).toEqual([scores.weights[1], scores.weights[1], 0]);
});

test("scores are BM25's: the inverse document frequency times the impact", async () => {
  const impact = computeImpact({ frequency: 3, length: 80 });
  const scores = await score({
    queryTerms: [queryTerm("a")],
    segments: [whole(SEGMENT, 100)],
    postings: [row("a", [5], impact)],
  });
  expect(scores.best[0]?.score).toBeCloseTo(Math.log(1 + 99.5 / 1.5) * impact, 2);
});

test("the best chunks are those that sorting everything would give", async () => {
  const impacts = fc.array(fc.double({ min: 0.01, max: 2, noNaN: true }), { minLength: 1, maxLength: 3_000 });
  await fc.assert(
    fc.asyncProperty(impacts, fc.integer({ min: 1, max: 20 }), async (given, limit) => {
      const list = listOf(given.map((impact, ordinal) => ({ ordinal, impact })));
      const scoring = {
        queryTerms: [queryTerm("a")],
        segments: [whole(SEGMENT, given.length)],
        postings: [{ term: "a", segment: SEGMENT, list }],
      };
      expect((await score(scoring, limit)).best).toEqual((await score(scoring, given.length)).best.slice(0, limit));
    }),
    { numRuns: 30 },
  );
});

test("of several words in segments of many blocks, those that are passed over could not have been among the best", async () => {
  const terms = ["a", "b", "c", "d", "e"];
  const holds = fc.record({
    segment: fc.integer({ min: 1, max: 3 }),
    ordinal: fc.nat(1_999),
    term: fc.constantFrom(...terms),
    impact: fc.double({ min: 0.01, max: 2, noNaN: true }),
  });
  const queryTerms = [queryTerm("a"), queryTerm("b", "c"), { terms: ["d"], weight: 0.3 }, { terms: ["e"], weight: 0.1 }];
  await fc.assert(
    fc.asyncProperty(fc.array(holds, { maxLength: 2_000, size: "max" }), fc.integer({ min: 1, max: 20 }), async (given, limit) => {
      const postings = [...Map.groupBy(given, ({ segment, term }) => `${segment} ${term}`).values()].map((of): Row => {
        const byOrdinal = [...new Map(of.map((held) => [held.ordinal, held])).values()].toSorted(
          (one, other) => one.ordinal - other.ordinal,
        );
        const [{ term, segment } = { term: "", segment: 0 }] = of;
        return { term, segment, list: unpackPostings(encodePostings(byOrdinal), byOrdinal.length, 2_000) };
      });
      const scoring = { queryTerms, segments: [1, 2, 3].map((id) => whole(id, 2_000)), postings };
      expect((await score(scoring, limit)).best).toEqual((await score(scoring, 6_000)).best.slice(0, limit));
    }),
    { numRuns: 60 },
  );
});

test("whoever waits for something else gets a turn in between", async () => {
  const segments = Array.from({ length: 40 }, (_, id) => whole(id + 1, 20_000));
  const ordinals = Array.from({ length: 10_000 }, (_, index) => index * 2);
  const postings = segments.flatMap(({ segmentId }) => [row("a", ordinals, 1, segmentId), row("b", ordinals, 1, segmentId)]);
  const scored = new AbortController();
  let turns = 0;
  const others = async () => {
    while (!scored.signal.aborted) {
      await setImmediate();
      turns++;
    }
  };
  const scoring = score({ queryTerms: [queryTerm("a"), queryTerm("b")], segments, postings }, 400_000);
  await Promise.all([others(), scoring.then(() => scored.abort())]);
  expect(turns).toBeGreaterThan(2);
});

// What differs from an index built of the seen chunks alone is only the mean length that an impact was made with:
// it is that of the segment, with the chunks that are not seen any more. So the impacts are the same here.
test("chunks that are not seen are as if they had never been indexed: same chunks, scores, order and contributions", async () => {
  const chunk = fc.record({
    seen: fc.boolean(),
    impacts: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.double({ min: 0.01, max: 2, noNaN: true })),
  });
  const queryTerms = [queryTerm("a", "b"), queryTerm("c"), { terms: ["d"], weight: 0.1 }];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(chunk, { minLength: 1, maxLength: 60 }), { maxLength: 4 }), fc.nat(99), async (given, fork) => {
      const all = given.map((chunks, index) => ({ id: index + 1, chunks }));
      const seen = given.map((chunks, index) => ({ id: index + 1, chunks: chunks.filter((one) => one.seen) }));
      // Seen by two builds, each a part of it.
      const visible = all.flatMap(({ id, chunks }) =>
        [0, 1].map((build) => ({
          segment_id: id,
          home: 1,
          capacity: chunks.length,
          ordinals: bitmapOf(chunks.map((one, ordinal) => one.seen && ((ordinal * 7 + fork) % 3) % 2 === build)),
        })),
      );
      const filtered = await score({ queryTerms, segments: joinVisible(visible), postings: all.flatMap(postingsOf) });
      const alone = await score({
        queryTerms,
        segments: seen.map(({ id, chunks }) => whole(id, chunks.length)),
        postings: seen.flatMap(postingsOf),
      });
      const newIds = new Map(
        all.flatMap(({ id, chunks }) => {
          const ordinals = chunks.flatMap((one, ordinal) => (one.seen ? [ordinal] : []));
          return ordinals.map((ordinal, rank) => [chunkId(id, ordinal), chunkId(id, rank)] as const);
        }),
      );
      expect(filtered.best.map((hit) => ({ chunkId: newIds.get(hit.chunkId), score: hit.score }))).toEqual(alone.best);
      for (const [id, alike] of newIds) {
        expect(filtered.contributionsOf(id)).toEqual(alone.contributionsOf(alike));
      }
    }),
    { numRuns: 300 },
  );
});

type Segment = { readonly id: number; readonly chunks: readonly { readonly impacts: Readonly<Record<string, number>> }[] };

function postingsOf({ id, chunks }: Segment): readonly Row[] {
  return ["a", "b", "c", "d"].flatMap((term) => {
    const postings = chunks.flatMap(({ impacts: { [term]: impact } }, ordinal) => (impact === undefined ? [] : [{ ordinal, impact }]));
    return postings.length === 0 ? [] : [{ term, segment: id, list: listOf(postings) }];
  });
}

/** Cut where nothing more is seen, as a writer may. */
function bitmapOf(seen: readonly boolean[]): Buffer {
  const bitmap = Buffer.alloc((seen.lastIndexOf(true) >> 3) + 1);
  seen.forEach((isSeen, ordinal) => {
    if (isSeen) {
      bitmap[ordinal >> 3] = (bitmap[ordinal >> 3] ?? 0) | (1 << (ordinal & 7));
    }
  });
  return bitmap;
}
