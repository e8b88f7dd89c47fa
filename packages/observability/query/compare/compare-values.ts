import type { StepAspect, ComparedValue } from "#contract.ts";
import type { Aligned } from "./align-steps.ts";
import type { LoadedStep, LoadedRun } from "./load-run.ts";
import type { Query } from "#schema.ts";
import { findBlobs } from "#query/steps/blobs.store.ts";
import { findComparedValues, type ComparedValues } from "./compared-steps.store.ts";
import { resolveBlobs } from "#query/steps/resolve-blobs.ts";
import { findDifferences } from "./find-differences.ts";

/** What of two runs is to be read side by side: of each the events that began and ended it. */
export type ValuePair = {
  readonly aspects: readonly ValueAspect[];
  readonly a: EventPair;
  readonly b: EventPair;
};

type EventPair = { readonly startEvent: string | null; readonly endEvent: string | null };

export type PairAnswer = {
  /** The requested aspects that differ, ids and times of a run aside, or that could not be read. */
  readonly aspects: readonly ValueAspect[];
  readonly value: ComparedValue;
};

type Sides = { readonly a: LoadedRun; readonly b: LoadedRun };

/** Bytes that are read in one go; of one pair; and of all of them. */
const BATCH = 4 * 1024 * 1024;
const MAX_PAIR = 2 * 1024 * 1024;
const MAX_TOTAL = 32 * 1024 * 1024;

const UNREAD: ComparedValue = { outcome: "unread", differences: [], cut: false };

/** Reads the values that digests tell apart, as far as they can be held, and says where they differ. */
export async function compareValues<Pair extends ValuePair>(
  query: Query,
  sides: Sides,
  pairs: readonly Pair[],
): Promise<ReadonlyMap<Pair, PairAnswer>> {
  const answers = new Map<Pair, PairAnswer>();
  let batch: Pair[] = [];
  let [inBatch, inAll] = [0, 0];
  for (const pair of pairs) {
    const size = sizeOf(sides, pair);
    if (size === undefined || size > MAX_PAIR || inAll + size > MAX_TOTAL) {
      answers.set(pair, { aspects: pair.aspects, value: UNREAD });
      continue;
    }
    if (inBatch + size > BATCH) {
      await compareBatch(query, sides, batch, answers);
      [batch, inBatch] = [[], 0];
    }
    batch.push(pair);
    [inBatch, inAll] = [inBatch + size, inAll + size];
  }
  await compareBatch(query, sides, batch, answers);
  return answers;
}

/** Undefined when it is not known. */
function sizeOf({ a, b }: Sides, pair: ValuePair): number | undefined {
  let size = 0;
  for (const [{ digests }, events] of [
    [a, pair.a],
    [b, pair.b],
  ] as const) {
    for (const event of idsOf(events)) {
      const part = digests.get(event)?.size ?? (digests.has(event) ? undefined : 0);
      if (part === undefined) {
        return undefined;
      }
      size += part;
    }
  }
  return size;
}

async function compareBatch<Pair extends ValuePair>(
  query: Query,
  { a, b }: Sides,
  batch: readonly Pair[],
  answers: Map<Pair, PairAnswer>,
): Promise<void> {
  if (batch.length === 0) {
    return;
  }
  const ofA = await readValues(
    query,
    a,
    batch.flatMap((pair) => idsOf(pair.a)),
  );
  const ofB = await readValues(
    query,
    b,
    batch.flatMap((pair) => idsOf(pair.b)),
  );
  for (const pair of batch) {
    answers.set(pair, comparePair(pair, partsOf(pair.a, ofA), partsOf(pair.b, ofB)));
  }
}

async function readValues(
  query: Query,
  { trace: { run } }: LoadedRun,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, ComparedValues>> {
  const rows = await resolveBlobs(await findComparedValues(query, run, eventIds), (hashes) => findBlobs(query, run.projectId, hashes));
  return new Map(rows.map((row) => [row.event_id, row]));
}

type Parts = Readonly<Record<ValueAspect, unknown>>;

function partsOf({ startEvent, endEvent }: EventPair, values: ReadonlyMap<string, ComparedValues>): Parts {
  const [start, end] = [values.get(startEvent ?? ""), values.get(endEvent ?? "")];
  return {
    input: start?.value ?? end?.tool_entry?.parameters ?? undefined,
    output: end?.value ?? end?.tool_entry?.result ?? undefined,
    parameters: start?.attributes ?? undefined,
  };
}

function comparePair({ aspects }: ValuePair, a: Parts, b: Parts): PairAnswer {
  const found = aspects
    .map((aspect) => ({ aspect, ...findDifferences(a[aspect], b[aspect]) }))
    .filter(({ differences }) => differences.length > 0);
  return {
    aspects: found.map(({ aspect }) => aspect),
    value: {
      outcome: found.length === 0 ? "same" : "changed",
      differences: found.flatMap(({ aspect, differences }) =>
        differences.map(({ path, ...texts }) => ({ path: `${aspect}${path === "" || path.startsWith("[") ? "" : "."}${path}`, ...texts })),
      ),
      cut: found.some(({ isCut }) => isCut),
    },
  };
}

function idsOf({ startEvent, endEvent }: EventPair): readonly string[] {
  return [startEvent, endEvent].filter((event) => event !== null);
}

const ASPECTS: readonly StepAspect[] = ["status", "error", "model", "parameters", "input", "output", "code"];
const VALUES = ["input", "output", "parameters"] as const;

export type ValueAspect = (typeof VALUES)[number];

export type JudgedStep = Aligned<LoadedStep> & {
  readonly aspects: ReadonlySet<StepAspect>;
};

/** What tells two aligned steps apart as far as digests can say: of values only that they are not the same text. */
export function judgeStep(row: Aligned<LoadedStep>): JudgedStep {
  const { a, b } = row;
  const differ = (aspect: StepAspect): boolean =>
    a !== undefined && b !== undefined && (a.digests[aspect] !== b.digests[aspect] || a.digests[aspect] === undefined);
  return { ...row, aspects: new Set(ASPECTS.filter(differ)) };
}

export function isValueAspect(aspect: StepAspect): aspect is ValueAspect {
  return VALUES.some((value) => value === aspect);
}

export function findOutcome({ a, b, aspects }: JudgedStep): "same" | "changed" | "only_a" | "only_b" {
  if (a === undefined) {
    return "only_b";
  }
  if (b === undefined) {
    return "only_a";
  }
  // Another commit runs every step at another one; what came of it is what counts.
  return [...aspects].some((aspect) => aspect !== "code") ? "changed" : "same";
}
