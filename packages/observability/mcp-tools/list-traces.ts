import { fitItems } from "@sightline/foundation/fit-items";
import { z } from "zod";
import { traceSortSchema, type FoundText, type Observation } from "#contract.ts";
import { UNKNOWN_NAME } from "#query/steps/present-step.ts";
import { readListTerms } from "#query/list/list-terms.ts";
import { findTexts } from "#query/list/found-texts.store.ts";
import { listEntries } from "#query/list/list-traces.store.ts";
import { listVisibleProjects, type VisibleProject } from "./visible-projects.store.ts";
import { findProject } from "./find-project.ts";
import { fenced, NOTICE, recordedLine, costText, durationText, plural, timeText } from "./recorded-text.ts";
import { shortStepId } from "./step-ids.ts";
import type { Reading, ToolDefinition } from "./trace-tool.ts";

const inputSchema = z.strictObject({
  project: z.string().max(200).optional().describe("A project's name or id; all that the token may see when left out."),
  query: z
    .string()
    .max(1_000)
    .refine((text) => !text.includes("\0"), "a NUL character can't be in a query")
    .default("")
    .describe(
      "Terms, all of which must hold: name:support* status:failure error:timeout tool:find_order node:plan model:gpt* duration:>5s cost:>0.1 started:>-24h code:src/plan.ts session:… user:…, -term for not, args.order_id:42 for what a tool was given, and words, or text:\"a phrase\", of any step. A trace's name is mostly its agent's.",
    ),
  sort: traceSortSchema.default("started").describe("The newest, longest, dearest or most failing first."),
  limit: z.int().min(1).max(100).default(10).describe("Traces at the most; 1 for the last run."),
});

type Listed = {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly status: Observation["status"];
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly steps: number;
  readonly failures: number;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly error: string | null;
  readonly found: FoundText | undefined;
};

/** Looked through when none is named. */
const PROJECTS = 20;
const NAME = 120;
const ERROR = 200;
const OVERHEAD_TOKENS = 120;

export const listTracesTool: ToolDefinition<typeof inputSchema> = {
  name: "list_traces",
  title: "List agents' runs",
  description: `List runs of the team's agents (traces), the newest first: status, time, steps, failures, cost and error of each.
Use it to find a run: query narrows it down, by agent (name:), status and more. get_trace opens one.`,
  inputSchema,
  countsFirst: true,
  answer: async ({ project, ...requested }, reading) => {
    // Refused before anything is looked for.
    readListTerms({ q: requested.query });
    const { chosen, left } = await projectsOf(reading, project);
    const found: Listed[] = [];
    const behind: string[] = [];
    const unread: string[] = [];
    for (const each of chosen) {
      const { traces: listed, isCounting, isUnread } = await listTraces(reading, each, requested);
      found.push(...listed);
      behind.push(...(isCounting ? [recordedLine(each.name, NAME)] : []));
      unread.push(...(isUnread ? [recordedLine(each.name, NAME)] : []));
    }
    const traces = found.toSorted(ORDERS[requested.sort]).slice(0, requested.limit);
    const notes = [
      ...(left > 0 ? [`Looked at ${PROJECTS} projects; name one of the other ${left}.`] : []),
      ...(behind.length > 0
        ? [`The newest traces of ${behind.join(", ")} are still being counted: some may be missing. Ask again in a moment.`]
        : []),
      ...(unread.length > 0 ? [`Not all texts of ${unread.join(", ")} can be searched yet: the newest or the oldest may be missing.`] : []),
      ...(chosen.length === 0 ? ["There is no project that this token may see."] : []),
    ];
    return answerFor(traces, notes, reading);
  },
};

type TraceListQuery = Omit<z.infer<typeof inputSchema>, "project">;

const falling = (valueOf: (trace: Listed) => number) => (one: Listed, other: Listed) => valueOf(other) - valueOf(one);
/** Traces of several projects are sorted together in the order that each project's list has. */
const ORDERS: Readonly<Record<TraceListQuery["sort"], (one: Listed, other: Listed) => number>> = {
  started: falling(({ started_at: at }) => Date.parse(at)),
  duration: falling(({ duration_ms: ms }) => ms ?? -1),
  cost: falling(({ cost }) => cost ?? -1),
  tokens: falling(({ tokens }) => tokens ?? -1),
  errors: falling(({ failures }) => failures),
};

async function projectsOf(reading: Reading, requested: string | undefined) {
  if (requested !== undefined) {
    return { chosen: [await findProject(reading, requested)], left: 0 };
  }
  const visible = await listVisibleProjects(reading.query, reading.reader);
  return { chosen: visible.slice(0, PROJECTS), left: Math.max(visible.length - PROJECTS, 0) };
}

async function listTraces({ query, reader, now }: Reading, { id, name }: VisibleProject, requested: TraceListQuery) {
  const terms = readListTerms({ q: requested.query });
  const { rows, isCounting } = await listEntries(query, {
    projectId: id,
    reader,
    terms,
    now,
    sort: requested.sort,
    order: "desc",
    after: undefined,
    limit: requested.limit,
  });
  const { search, found } = await findTexts(query, { projectId: id, terms, entries: rows });
  const traces = rows.map((row): Listed => ({
    id: row.id,
    project: recordedLine(name, NAME),
    name: recordedLine(row.name ?? UNKNOWN_NAME, NAME),
    status: row.status,
    started_at: row.sort_at.toISOString(),
    duration_ms: row.duration_ms,
    steps: row.steps,
    failures: row.failures,
    tokens: row.input_tokens === null && row.output_tokens === null ? null : (row.input_tokens ?? 0) + (row.output_tokens ?? 0),
    cost: row.cost,
    error: row.error === null ? null : recordedLine(row.error, ERROR),
    found: found.get(row.id),
  }));
  return { traces, isCounting, isUnread: search !== null && (search.behind_seconds > 0 || search.is_older_pending) };
}

function answerFor(traces: readonly Listed[], requested: readonly string[], { call }: Reading): string {
  const shown = fitItems(traces, { ...call, maxTokens: call.maxTokens - OVERHEAD_TOKENS, render });
  const notes = [
    ...requested,
    ...(shown.length < traces.length
      ? [`Cut to max_tokens: ${shown.length} of ${traces.length} shown; ask for less, or with a larger max_tokens.`]
      : []),
    ...(traces.length === 0 && requested.length === 0 ? ["No trace is like that."] : []),
  ];
  const listing = shown.length === 0 ? [] : [NOTICE, fenced(shown.map(render).join("\n"))];
  return [...listing, ...notes].join("\n");
}

function render({ id, project, name, status, started_at: at, duration_ms: ms, steps, failures, cost, error, found }: Listed): string {
  const failed = failures === 0 ? "" : `, ${failures} failed`;
  const head = `${id} ${name} (${project}): ${status}, ${timeText(at)}, ${durationText(ms)}, ${plural(steps, "step")}${failed}`;
  return `${head}${cost === null ? "" : `, ${costText(cost)}`}${error === null ? "" : `\n  ${error}`}${found === undefined ? "" : `\n  ${renderFound(found)}`}`;
}

function renderFound({ step_id: step, kind, name, text }: FoundText): string {
  const where =
    step === null
      ? "in its own input, output or error"
      : `in step ${shortStepId(step)} ${kind ?? ""} ${recordedLine(name ?? UNKNOWN_NAME, NAME)}`;
  return `found ${where}: ${recordedLine(text, ERROR)}`;
}
