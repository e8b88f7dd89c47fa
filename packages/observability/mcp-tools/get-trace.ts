import { countItem, fitItems } from "@sightline/foundation/fit-items";
import { z } from "zod";
import { repositoryName, type StackTrace, type Step } from "#contract.ts";
import { findFailures } from "#trace-facts/find-failures.ts";
import { ancestorPlaces, growTree, type StepTree } from "#trace-facts/step-tree.ts";
import { listScores, type ScoreSummary } from "#query/trace/scores.store.ts";
import { presentTraceSummary } from "#query/steps/present-trace.ts";
import { findPayloadTexts } from "#query/steps/payload-texts.store.ts";
import { scoreText } from "./list-experiments.ts";
import { loadTrace, type LoadedTrace } from "./load-trace.ts";
import { fenced, NOTICE, recordedLine, codeText, plural } from "./recorded-text.ts";
import { renderStack } from "./render-stack.ts";
import { renderLine, renderTop, type Failing, type Head, type Outlined } from "./render-outline.ts";
import { groupFailures, type Failure } from "./group-failures.ts";
import { failingPlaces, outlineSteps, type OutlineLine } from "./outline-steps.ts";
import { findStep, nameSteps } from "./step-ids.ts";
import type { Reading, ToolDefinition } from "./trace-tool.ts";

const inputSchema = z.strictObject({
  trace: z.uuid("a trace's id, as list_traces names it").describe("A trace's id, as list_traces names it."),
  step: z
    .string()
    .max(100)
    .optional()
    .describe("Only what is inside this step, named by the last digits of its id as in an answer before."),
});

export const getTraceTool: ToolDefinition<typeof inputSchema> = {
  name: "get_trace",
  title: "Outline of a run",
  description: `Outline of one run: why it failed first (the step it died of, the way to it, its error and the code that ran), then its steps with times.
Long runs are folded to fit: name a step to unfold it. get_observation shows a step's input and output, read_file its code.`,
  inputSchema,
  answer: async ({ trace, step }, reading) => {
    const loaded = await loadTrace(reading, trace);
    const tree = growTree(loaded.steps);
    const requested = step === undefined ? undefined : findStep(loaded.steps, step);
    const at = requested === undefined ? -1 : (tree.places.get(requested.id) ?? -1);
    const found = findFailures(tree, loaded.row);
    const first = requested === undefined ? found.reason : found.causeOf.get(requested.id);
    const stack = found.isOwn && requested === undefined ? await readOwnStack(reading, loaded) : null;
    const scores = at === -1 ? await readScores(reading, loaded) : [];
    return answerFor({ loaded, tree, at, isOwn: found.isOwn, stack, scores, failures: groupFailures(tree, found, { at, first }) }, reading);
  },
};

/** Of a failure that no step passed on: those of steps are told by get_observation. */
async function readOwnStack({ query }: Reading, { row }: LoadedTrace): Promise<StackTrace | null> {
  const eventIds = row.end_event === null ? [] : [row.end_event];
  const [end] = await findPayloadTexts(query, row.run, { eventIds, updatesOf: [] });
  return end?.stack ?? null;
}

/** The newest, with what judges and people said of them. */
async function readScores({ query, reader }: Reading, { row }: LoadedTrace): Promise<readonly ScoreSummary[]> {
  const wanted = { reader, projectId: row.project_id, traceId: row.id, name: undefined, after: undefined };
  return listScores(query, { ...wanted, limit: SIZES[0].stack });
}

/** The most of each: failures, characters of an error and of a name, names of a way, lines of a stack. */
type Size = Readonly<Record<"failures" | "error" | "name" | "path" | "stack", number>>;

/** Tried one after the other until they leave room for an outline. */
const SIZES: readonly [Size, ...Size[]] = [
  { failures: 5, error: 1_500, name: 100, path: 10, stack: 20 },
  { failures: 3, error: 500, name: 80, path: 6, stack: 10 },
  { failures: 2, error: 200, name: 60, path: 4, stack: 5 },
  { failures: 1, error: 100, name: 30, path: 2, stack: 2 },
  { failures: 1, error: 40, name: 12, path: 1, stack: 0 },
];
/** The part of the answer that the head and the failures may take. */
const HEAD_PART = 0.6;
const OVERHEAD_TOKENS = 150;
/** Tried one after the other until the outline fits whole. */
const DEPTHS = [Infinity, 8, 6, 5, 4, 3, 2, 1];

type TraceView = {
  readonly loaded: LoadedTrace;
  readonly tree: StepTree;
  /** Where the step stands that was asked for; -1 is the trace. */
  readonly at: number;
  readonly failures: readonly Failure[];
  /** The run failed with an error that no step passed on to it. */
  readonly isOwn: boolean;
  readonly stack: StackTrace | null;
  readonly scores: readonly ScoreSummary[];
};

function answerFor({ loaded, tree, at, failures, isOwn, stack, scores }: TraceView, { call }: Reading): string {
  const budget = call.maxTokens - OVERHEAD_TOKENS;
  const nameOf = nameSteps(loaded.steps);
  const { head, failing, size } = fitHead(
    { loaded, tree, failures, isOwn, stack, scores, nameOf },
    (text) => call.countTokens(text) <= budget * HEAD_PART,
  );
  const left = budget - call.countTokens(renderTop({ head, failing }));
  const { shown, hidden } = fitOutline(tree, { at, left, call, present: (line) => presentLine(line, { loaded, nameOf, head, size }) });
  const notes = [
    ...(failures.length > failing.length
      ? [`${failures.length - failing.length} more kinds of failure; ask with a larger max_tokens.`]
      : []),
    ...(hidden > 0
      ? [`${plural(hidden, "step")} folded or cut to max_tokens: name a step to unfold it, or ask with a larger max_tokens.`]
      : []),
    ...(loaded.unread > 0 ? [`The trace has ${loaded.unread} more steps than are looked at here.`] : []),
    ...(loaded.lostEvents > 0 ? [`${plural(loaded.lostEvents, "event")} of it never arrived: steps may be missing.`] : []),
    ...(head.status === "running" ? ["It still runs."] : []),
    ...(failing.some(({ code }) => code?.repo) ? ["read_file reads the indexed commit, whose lines may have moved since the run's."] : []),
  ];
  const lines = [renderTop({ head, failing }), "steps:", ...shown.map(renderLine)];
  return [NOTICE, fenced(lines.join("\n")), ...notes].join("\n");
}

type View = Pick<TraceView, "loaded" | "tree" | "failures" | "isOwn" | "stack" | "scores"> & { readonly nameOf: (id: string) => string };

function fitHead(view: View, isShort: (text: string) => boolean) {
  const made = (size: Size) => ({
    size,
    head: presentHead(view, size),
    failing: view.failures.slice(0, size.failures).map((failure) => presentFailure(failure, view, size)),
  });
  const fitting = SIZES.find((size) => isShort(renderTop(made(size))));
  return made(fitting ?? SIZES.at(-1) ?? SIZES[0]);
}

function presentHead({ loaded: { row, project, steps, unread, lostEvents }, isOwn, stack, scores }: View, size: Size): Head {
  const { id, name, status, started_at, duration_ms, failures, input_tokens, output_tokens, cost } = presentTraceSummary(row, lostEvents);
  return {
    id,
    project: recordedLine(project, size.name),
    name: recordedLine(name, size.name),
    status,
    started_at,
    duration_ms,
    steps: steps.length + unread,
    failures,
    input_tokens,
    output_tokens,
    cost,
    error: row.error === null ? null : recordedLine(row.error, size.error),
    isOwn,
    stack: stack === null ? [] : stackLines(stack, size),
    // As many as lines of a stack: both are given up where there is little room.
    scores: scores.slice(0, size.stack).map((score) => scoreLine(score, size)),
    code: commonCode(steps, size),
  };
}

function scoreLine({ name, source, value, text_value: text, comment, is_calibrated: isCalibrated }: ScoreSummary, size: Size): string {
  const by = isCalibrated === false ? `${source}, not calibrated` : source;
  const said = comment === null ? "" : `: ${recordedLine(comment, size.error)}`;
  return `  ${recordedLine(name, size.name)} ${value === null ? recordedLine(text ?? "", size.name) : scoreText(value)} (${by})${said}`;
}

function stackLines(stack: StackTrace, size: Size): readonly string[] {
  const lines = renderStack(stack).split("\n");
  const left = lines.length - size.stack;
  return [
    ...lines.slice(0, size.stack).map((line) => `  ${recordedLine(line, size.name * 2)}`),
    ...(left > 0 ? [`  + ${plural(left, "line")} of the stack`] : []),
  ];
}

/** Named once for all steps. */
function commonCode(steps: readonly Step[], size: Size): Head["code"] {
  const known = steps.flatMap(({ code }) =>
    code?.repo === undefined ? [] : [{ repo: repositoryName(code.repo), commit: code.commit ?? null }],
  );
  const [commonest] = [...Map.groupBy(known, (code) => JSON.stringify(code)).values()].toSorted((one, other) => other.length - one.length);
  const [code] = commonest ?? [];
  return code === undefined
    ? null
    : { repo: recordedLine(code.repo, size.name), commit: code.commit === null ? null : recordedLine(code.commit, 40) };
}

function presentFailure({ step, caughtBy, times }: Failure, { tree, nameOf }: View, size: Size): Failing {
  const around = ancestorPlaces(tree, tree.places.get(step.id) ?? -1)
    .slice(0, size.path)
    .toReversed()
    .flatMap((at) => tree.nodes[at]?.step ?? []);
  const names = [...around, step].map(({ name }) => recordedLine(name, size.name));
  const { code } = step;
  return {
    step: nameOf(step.id),
    kind: step.kind,
    path: names.length > size.path ? ["…", ...names.slice(1)] : names,
    error: step.error === null ? null : recordedLine(step.error, size.error),
    caught_by: caughtBy === undefined ? null : `${recordedLine(caughtBy.name, size.name)} (step ${nameOf(caughtBy.id)})`,
    times,
    code:
      code === null
        ? null
        : {
            repo: code.repo === undefined ? null : recordedLine(repositoryName(code.repo), size.name),
            commit: code.commit === undefined ? null : recordedLine(code.commit, 40),
            path: recordedLine(code.file, size.name * 2),
            line: code.line,
            function: code.function === undefined ? null : recordedLine(code.function, size.name),
          },
  };
}

type Lines = {
  readonly at: number;
  readonly left: number;
  readonly call: Reading["call"];
  readonly present: (line: OutlineLine) => Outlined;
};

function fitOutline(tree: StepTree, { at, left, call, present }: Lines) {
  const total = at < 0 ? tree.nodes.length : (tree.nodes[at]?.after ?? at) - at;
  const countOf = (lines: readonly Outlined[]) => lines.reduce((sum, { alike = 1 }) => sum + alike, 0);
  const failing = failingPlaces(tree);
  for (const depth of DEPTHS) {
    const lines = outlineSteps(tree, { at, failing, maxDepth: depth, maxLines: Math.max(Math.ceil(left / 10), 1) + 1 });
    const isLast = depth === DEPTHS.at(-1);
    // Nothing is shorter than ten tokens: far too many need not be counted.
    if (!isLast && lines.length * 10 > left) {
      continue;
    }
    const presented = lines.map(present);
    const cost = presented.reduce((sum, line) => sum + countItem(line, { ...call, render: renderLine }), 0);
    if (isLast || cost <= left) {
      const shown = cost <= left ? presented : fitItems(presented, { ...call, maxTokens: left, render: renderLine });
      return { shown, hidden: total - countOf(shown) };
    }
  }
  return { shown: [], hidden: total };
}

type Around = Pick<View, "loaded" | "nameOf"> & { readonly head: Head; readonly size: Size };

function presentLine({ depth, node, inside, alike, isClosed }: OutlineLine, { loaded, nameOf, head, size }: Around): Outlined {
  const { step } = node;
  const isMany = alike.length > 1;
  const duration = isMany ? alike.reduce((sum, each) => sum + (each.step.duration_ms ?? 0), 0) : step.duration_ms;
  return {
    step: nameOf(step.id),
    depth,
    kind: step.kind,
    name: recordedLine(step.name, size.name),
    status: step.status,
    at_ms: Date.parse(step.started_at) - loaded.row.sort_at.getTime(),
    duration_ms: duration === null ? null : Math.round(duration),
    ...(isMany ? { alike: alike.length } : {}),
    ...(isClosed ? { inside } : {}),
    ...(step.code === null ? {} : { code: recordedLine(shortCode(step.code, head), size.name * 2) }),
  };
}

function shortCode(code: NonNullable<Step["code"]>, { code: common }: Head): string {
  const isCommon =
    common !== null && code.repo !== undefined && repositoryName(code.repo) === common.repo && (code.commit ?? null) === common.commit;
  return isCommon ? `${code.file}:${code.line}` : codeText(code);
}
