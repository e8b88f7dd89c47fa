import { fitItems } from "@sightline/foundation/fit-items";
import { orRefuse } from "@sightline/foundation/errors";
import { z } from "zod";
import {
  describeDivergence,
  type Observation,
  type AlignedStep,
  type ComparedStep,
  type ComparedTrace,
  type Comparison,
} from "#contract.ts";
import { compareTraces } from "#query/compare/compare-traces.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import { fenced, NOTICE, recordedLine, codeText, costText, durationText, plural, timeText } from "./recorded-text.ts";
import { traceUnknown } from "./tools.errors.ts";
import type { Reading, ToolDefinition } from "./trace-tool.ts";

const id = z.uuid("a trace's id, as list_traces names it");

const inputSchema = z.strictObject({
  a: id.describe("The run to compare with, mostly the one that went well."),
  b: id.describe("The run that is asked about."),
});

type Side = {
  readonly id: string;
  readonly name: string;
  readonly status: Observation["status"];
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly steps: number;
  readonly failures: number;
  readonly cost: number | null;
  readonly error: string | null;
};

type Difference = {
  readonly path: string;
  readonly a: string | null;
  readonly b: string | null;
};

type Changed = {
  readonly outcome: "changed" | "only_a" | "only_b";
  /** Kind and name */
  readonly step: string;
  /** The last digits of its id in a, for get_observation. */
  readonly a: string | null;
  readonly b: string | null;
  /** What differs. */
  readonly aspects: readonly string[];
  readonly detail: readonly string[];
  readonly differences: readonly Difference[];
};

export const compareTracesTool: ToolDefinition<typeof inputSchema> = {
  name: "compare_traces",
  title: "Compare two runs",
  description: `What differed between two runs of one project: status, cost, commits of the code, and their steps side by side with what changed in each.
Take a run that went well as a and the one that failed as b.`,
  inputSchema,
  answer: async ({ a, b }, reading) => {
    const { query, reader } = reading;
    const trace = orRefuse(await findTrace(query, { reader, traceId: a }), traceUnknown);
    const wanted = { reader, projectId: trace.project_id, a, b, show: "different", cursor: undefined, limit: STEPS } as const;
    return answerFor(await compareTraces(query, wanted), reading);
  },
};

const STEPS = 300;
const NAME = 100;
const ERROR = 200;
const VALUE = 160;
const DIFFERENCES = 4;
const COMMITS = 3;
const REPOSITORIES = 5;
const DIGITS = 8;
const OVERHEAD_TOKENS = 200;
/** The part of the answer that differences of the runs as a whole may take. */
const WHOLE_PART = 0.5;

function answerFor(comparison: Comparison, { call }: Reading): string {
  const sides = [renderSide("a", presentSide(comparison.a)), renderSide("b", presentSide(comparison.b))];
  const left = call.maxTokens - OVERHEAD_TOKENS - call.countTokens(sides.join("\n"));
  const whole = [
    ...presentDifferences(comparison.input.differences).map((each) => ({ of: "input", ...each })),
    ...presentDifferences(comparison.output.differences).map((each) => ({ of: "output", ...each })),
  ];
  const shownWhole = left > 0 ? fitItems(whole, { ...call, maxTokens: left * WHOLE_PART, render: renderWhole }) : [];
  const code = comparison.commits
    .filter(({ a, b }) => a.join() !== b.join())
    .slice(0, REPOSITORIES)
    .map(codeLine);
  const spent = [...shownWhole.map(renderWhole), ...code].reduce((sum, text) => sum + call.countTokens(text) + 2, 0);
  const changed = tellOnce(comparison.steps.flatMap(presentStep), whole);
  const steps = fitItems(changed, { ...call, maxTokens: left - spent, render: renderStep });
  const untold = comparison.steps_total - steps.length;
  const notes = [
    ...(untold > 0 ? [`${plural(untold, "step")} that differ are not shown: ask with a larger max_tokens.`] : []),
    ...(shownWhole.length < whole.length ? ["Not all differences of input and output are shown."] : []),
    ...(comparison.input.outcome === "unread" ? ["The inputs differ, but are too long to say where."] : []),
    ...comparison.cut.map((each) => `Of what there is, only ${each}.`),
  ];
  const { same, changed: count, only_a: onlyA, only_b: onlyB } = comparison.counts;
  const lines = [
    ...sides,
    ...(comparison.first_divergence === null ? [] : [recordedLine(`b ${describeDivergence(comparison.first_divergence)}`, ERROR)]),
    `steps: ${same} the same, ${count} changed, ${onlyA} only in a, ${onlyB} only in b`,
    ...code.map((line) => `code: ${line}`),
    ...shownWhole.map(renderWhole),
    ...steps.map(renderStep),
  ];
  return [NOTICE, fenced(lines.join("\n")), ...notes].join("\n");
}

/** A change that one step hands to the next is told where it is first seen, and only counted after that. */
function tellOnce(steps: readonly Changed[], whole: readonly Difference[]): readonly Changed[] {
  const seen = new Set(whole.map(changeOf));
  return steps.map(({ differences, ...step }) => {
    const fresh = differences.filter((difference) => !seen.has(changeOf(difference)));
    fresh.forEach((difference) => seen.add(changeOf(difference)));
    const again = differences.length - fresh.length;
    const repeated = again === 0 ? [] : [`${plural(again, "change")} as told above`];
    return { ...step, differences: fresh, detail: [...step.detail, ...fresh.map(renderDifference), ...repeated] };
  });
}

function changeOf({ a, b }: Difference): string {
  return JSON.stringify([a, b]);
}

function renderDifference({ path, a, b }: Difference): string {
  return `${path}: ${a ?? "nothing"} → ${b ?? "nothing"}`;
}

function presentSide({ id: trace, name, status, started_at: at, duration_ms: ms, steps, failures, cost, error }: ComparedTrace): Side {
  const named = recordedLine(name, NAME);
  return {
    id: trace,
    name: named,
    status,
    started_at: at,
    duration_ms: ms,
    steps,
    failures,
    cost,
    error: error === null ? null : recordedLine(error, ERROR),
  };
}

function presentDifferences(differences: readonly Difference[]): readonly Difference[] {
  const shorten = (text: string | null) => (text === null ? null : recordedLine(text, VALUE));
  return differences.slice(0, DIFFERENCES).map(({ path, a, b }) => ({ path: recordedLine(path, NAME), a: shorten(a), b: shorten(b) }));
}

type RepositoryCommits = Comparison["commits"][number];

function codeLine({ repo, a, b }: RepositoryCommits): string {
  const commits = (all: readonly string[]) =>
    all
      .slice(0, COMMITS)
      .map((commit) => commit.slice(0, 12))
      .join(", ") || "none";
  return recordedLine(`${repo ?? "?"}: ${commits(a)} in a, ${commits(b)} in b`, NAME * 3);
}

function presentStep({ outcome, kind, name, aspects, a, b, values }: AlignedStep): readonly Changed[] {
  if (outcome === "same") {
    return [];
  }
  return [
    {
      outcome,
      step: recordedLine(`${kind} ${name}`, NAME),
      a: a?.id.slice(-DIGITS) ?? null,
      b: b?.id.slice(-DIGITS) ?? null,
      aspects: [...aspects],
      detail: stepDetail(a, b, aspects),
      differences: presentDifferences(values?.differences ?? []),
    },
  ];
}

function stepDetail(a: ComparedStep | null, b: ComparedStep | null, aspects: AlignedStep["aspects"]): readonly string[] {
  const only = a ?? b;
  if (a === null || b === null || only === null) {
    return [`${only?.status ?? ""}, ${durationText(only?.duration_ms ?? null)}`, ...errorOf(only)];
  }
  return [
    ...(aspects.includes("status") ? [`${a.status} → ${b.status}`] : []),
    ...(aspects.includes("model") ? [recordedLine(`${a.model ?? "none"} → ${b.model ?? "none"}`, NAME * 2)] : []),
    ...(aspects.includes("error") ? errorOf(b) : []),
    ...(b.code !== null && b.status === "failure" ? [`at ${codeText(b.code)}`] : []),
  ];
}

function errorOf(step: ComparedStep | null): readonly string[] {
  return step === null || step.error === null ? [] : [recordedLine(step.error, ERROR)];
}

function renderSide(
  name: "a" | "b",
  { id: trace, name: named, status, started_at: at, duration_ms: ms, steps, failures, cost, error }: Side,
): string {
  const head = `${name}: ${named} ${trace}: ${status}, ${timeText(at)}, ${durationText(ms)}, ${plural(steps, "step")}, ${failures} failed, ${costText(cost)}`;
  return error === null ? head : `${head}\n  ${error}`;
}

function renderWhole({ of, path, a, b }: Difference & { readonly of: string }): string {
  return `${of}${path === "" || path === of ? "" : ` ${path}`}: ${a ?? "nothing"} → ${b ?? "nothing"}`;
}

function renderStep({ outcome, step, a, b, aspects, detail }: Changed): string {
  const where = outcome === "changed" ? `${a ?? ""} → ${b ?? ""}` : (a ?? b ?? "");
  const what = outcome === "changed" ? `changed ${aspects.join(", ")}` : outcome === "only_a" ? "only in a" : "only in b";
  return [`${step} (${where}): ${what}`, ...detail.map((line) => `  ${line}`)].join("\n");
}
