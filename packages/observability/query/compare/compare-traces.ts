import { fromCursor, toCursor } from "@sightline/foundation/cursor";
import { z } from "zod";
import type { AlignedStep, AlignmentFilter, ComparedTrace, ComparedValue, Comparison, CompareRequest } from "#contract.ts";
import { compareTwo } from "#divergence/compare-two.ts";
import { nodeFactsOf } from "#divergence/node-facts.ts";
import { loadTraceOf } from "#query/trace/load-trace.ts";
import { presentTraceSummary } from "#query/steps/present-trace.ts";
import type { Query } from "#schema.ts";
import { MAX_COMPARED_STEPS } from "./compared-steps.store.ts";
import { countLostEventsOfTrace } from "#query/steps/lost-events.store.ts";
import type { Reader } from "#store/reader.ts";
import { alignSteps, type Aligned } from "./align-steps.ts";
import { compareCommits } from "./compare-commits.ts";
import { compareValues, isValueAspect, judgeStep, findOutcome, type ValuePair, type JudgedStep } from "./compare-values.ts";
import { loadRun, type LoadedRun, type LoadedStep } from "./load-run.ts";

type CompareOptions = Omit<CompareRequest, "a" | "b"> & {
  readonly reader: Reader;
  readonly projectId: string;
  readonly a: string;
  readonly b: string;
};
type Compared = JudgedStep & { readonly outcome: AlignedStep["outcome"]; readonly values: ComparedValue | null };

const offsetSchema = z.tuple([z.int().min(0)]);

/** Together less than the 5 MB that an answer may have. */
const STEPS_BYTES = 3_000_000;
const COMMITS = { count: 500, bytes: 300_000 };

/**
 * What differed between two traces of a project: their steps side by side, what they took in, gave back and cost, and at which commits they ran.
 *
 * @throws {AppError} 404 `trace_not_found`, naming which of the two; 400 `invalid_cursor`.
 */
export async function compareTraces(query: Query, wanted: CompareOptions): Promise<Comparison> {
  const { reader, projectId, show, cursor, limit } = wanted;
  const [offset] = cursor === undefined ? [0] : fromCursor(cursor, offsetSchema);
  const [a, b] = await Promise.all([
    loadRun(query, "a", { reader, projectId, traceId: wanted.a }),
    loadRun(query, "b", { reader, projectId, traceId: wanted.b }),
  ]);
  const all = await compareSteps(query, { a, b });
  const shown = all.filter(({ outcome }) => isShown(show, outcome));
  const page = takeWithin(shown.slice(offset, offset + limit).map(presentStep), { count: limit, bytes: STEPS_BYTES });
  const next = offset + page.length;
  const whole = await compareWhole(query, { a, b });
  const commits = compareCommits({ a: a.steps, b: b.steps });
  const cut: string[] = [];
  const shownCommits = takeWithin(commits, COMMITS);
  if (shownCommits.length < commits.length) {
    cut.push(`${shownCommits.length} of ${commits.length} repositories`);
  }
  for (const [name, { steps: loaded }] of [
    ["a", a],
    ["b", b],
  ] as const) {
    if (loaded.length === MAX_COMPARED_STEPS) {
      cut.push(`the first ${MAX_COMPARED_STEPS} steps of ${name}`);
    }
  }
  const unread = all.filter(({ values }) => values?.outcome === "unread").length;
  if (unread > 0) {
    cut.push(`values of ${unread} steps: they differ, but there is too much of them to say where`);
  }
  return {
    project_id: projectId,
    a: await presentCompared(query, a),
    b: await presentCompared(query, b),
    first_divergence: await findDivergence(query, a, b),
    counts: countsOf(all),
    ...whole,
    commits: shownCommits,
    steps: page,
    steps_total: shown.length,
    next_cursor: next < shown.length ? toCursor([next]) : null,
    cut,
  };
}

async function compareSteps(query: Query, sides: { readonly a: LoadedRun; readonly b: LoadedRun }): Promise<readonly Compared[]> {
  const judged = alignSteps(sides.a.steps, sides.b.steps).map(judgeStep);
  const pairs = judged.flatMap((row) => {
    const aspects = [...row.aspects].filter(isValueAspect);
    return row.a === undefined || row.b === undefined || aspects.length === 0 ? [] : [{ row, aspects, a: row.a, b: row.b }];
  });
  const answers = await compareValues(query, sides, pairs);
  const answerOf = new Map(pairs.map((pair) => [pair.row, answers.get(pair)]));
  return judged.map((row) => {
    const answer = answerOf.get(row);
    if (answer === undefined) {
      return { ...row, outcome: findOutcome(row), values: null };
    }
    const aspects = new Set([...row.aspects].filter((aspect) => !isValueAspect(aspect) || answer.aspects.includes(aspect)));
    return { ...row, aspects, outcome: findOutcome({ ...row, aspects }), values: answer.value.outcome === "same" ? null : answer.value };
  });
}

/** Steps of one trace, of which nearly all that an answer of it holds is read. */
const MAX_READ_STEPS = 1_000;

async function findDivergence(query: Query, a: LoadedRun, b: LoadedRun): Promise<Comparison["first_divergence"]> {
  if (Math.max(a.steps.length, b.steps.length) > MAX_READ_STEPS) {
    return null;
  }
  const facts = async ({ trace }: LoadedRun) => nodeFactsOf(await loadTraceOf(query, trace), trace.project_id);
  return compareTwo(await facts(a), await facts(b));
}

/** What the runs as a whole took in and gave back. */
async function compareWhole(
  query: Query,
  sides: { readonly a: LoadedRun; readonly b: LoadedRun },
): Promise<Pick<Comparison, "input" | "output">> {
  const { a, b } = sides;
  const pair = (aspect: "input" | "output"): ValuePair => ({ aspects: [aspect], a: eventsOf(a, aspect), b: eventsOf(b, aspect) });
  const [input, output] = [pair("input"), pair("output")];
  const answers = await compareValues(query, sides, [input, output]);
  const valueOf = (of: ValuePair): ComparedValue => answers.get(of)?.value ?? { outcome: "unread", differences: [], cut: false };
  return { input: valueOf(input), output: valueOf(output) };
}

function eventsOf({ trace }: LoadedRun, aspect: "input" | "output") {
  return { startEvent: aspect === "input" ? trace.start_event : null, endEvent: aspect === "output" ? trace.end_event : null };
}

async function presentCompared(query: Query, { trace, steps }: LoadedRun): Promise<ComparedTrace> {
  const lostEvents = await countLostEventsOfTrace(query, trace.run);
  const { observations, ...summary } = presentTraceSummary(trace, lostEvents);
  return { ...summary, steps: Math.max(observations, steps.length), error: trace.error };
}

function presentStep({ outcome, depth, isMoved, aspects, a, b, values }: Compared): AlignedStep {
  const step: LoadedStep | undefined = b ?? a;
  return {
    outcome,
    kind: step?.kind ?? "span",
    name: step?.name ?? "",
    depth,
    moved: isMoved,
    aspects: [...aspects],
    a: a?.shown ?? null,
    b: b?.shown ?? null,
    values,
  };
}

function countsOf(rows: readonly (Compared & Aligned<LoadedStep>)[]): Comparison["counts"] {
  const count = (outcome: AlignedStep["outcome"]): number => rows.filter((row) => row.outcome === outcome).length;
  return {
    same: count("same"),
    changed: count("changed"),
    only_a: count("only_a"),
    only_b: count("only_b"),
    moved: rows.filter(({ isMoved }) => isMoved).length,
  };
}

function isShown(show: AlignmentFilter, outcome: AlignedStep["outcome"]): boolean {
  return show === "all" || show === outcome || (show === "different" && outcome !== "same");
}

/** The first items, as many as their number and the bytes they have as JSON allow; of items there are, one at the least. */
function takeWithin<Item>(items: readonly Item[], { count, bytes }: { readonly count: number; readonly bytes: number }): Item[] {
  const taken: Item[] = [];
  let used = 0;
  for (const item of items.slice(0, count)) {
    used += Buffer.byteLength(JSON.stringify(item));
    if (used > bytes && taken.length > 0) {
      break;
    }
    taken.push(item);
  }
  return taken;
}
