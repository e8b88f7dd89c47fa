import { sql } from "kysely";
import { AppError } from "@sightline/foundation/errors";
import { resolvePointer } from "#checks/json-values.ts";
import { truncatedValueSchema, type Json, type JudgeVariable, type Preferred, type Trace } from "#contract.ts";
import { loadTrace } from "#query/trace/load-trace.ts";
import type { Query } from "#schema.ts";
import type { Reader } from "#store/reader.ts";

/** What is judged: a trace, or a run of an experiment, which may have one. */
export type Subject = {
  readonly projectId: string;
  readonly traceId: string | null;
  readonly run?: RunOf & {
    /** Set where it is compared with another experiment's run of the same, and whether that stands first. */
    readonly baselineId: string | null;
    readonly isSwapped: boolean;
  };
};
/** `attempt`: null for the newest. */
type RunOf = { readonly experimentId: string; readonly itemId: string; readonly repetition: number; readonly attempt: number | null };

/** `own`: the run itself; `run`: what variables read, which of two has both outputs; `better`: set where one failed, which nobody asks about. */
export type ReadSubject = {
  readonly trace: Trace | undefined;
  readonly own?: RunFacts;
  readonly run?: Partial<RunFacts>;
  readonly better?: Preferred | undefined;
};

/** Why something can't be judged, which is no failure of the judge. */
export class NotJudgeable extends Error {
  override readonly name = "NotJudgeable";
}

/** The background task reads as nobody in particular: whoever made its rule may read all of the project. */
const reader: Reader = { kind: "operator" };

/** Characters of one variable. A call is bounded by this and by the number of variables. */
const MAX_VALUE = 20_000;
const MAX_TURNS = 10;
const MAX_TOOLS = 50;

/** @throws {NotJudgeable} where nothing is left of it. */
export async function readSubject(query: Query, subject: Subject): Promise<ReadSubject> {
  const runs = await readRuns(query, subject);
  const trace = await readTrace(query, subject);
  if (trace === undefined && runs.run === undefined) {
    throw new NotJudgeable("the trace is gone");
  }
  return { trace, ...runs };
}

/** By variable, in words, what it stands for. @throws {NotJudgeable} which says what has no value. */
export async function readTexts(
  query: Query,
  { projectId, trace, run }: ReadSubject & Pick<Subject, "projectId">,
  variables: readonly JudgeVariable[],
): Promise<ReadonlyMap<string, string>> {
  const turns =
    variables.some(({ of }) => of === "session") && trace !== undefined ? await readSession(query, projectId, trace) : undefined;
  const texts = variables.map((variable): [string, string] => {
    const value = resolvePointer(partOf(variable, { trace, run, turns }), variable.path);
    if (value === undefined || value === null || value === "") {
      throw new NotJudgeable(`{{${variable.name}}} has no value: nothing is at ${describe(variable)}`);
    }
    return [variable.name, toText(value)];
  });
  return new Map(texts);
}

type Read = {
  readonly trace: Trace | undefined;
  readonly run: Partial<RunFacts> | undefined;
  readonly turns: readonly unknown[] | undefined;
};

function partOf({ of, step: name }: JudgeVariable, { trace, run, turns }: Read): unknown {
  switch (of) {
    case "trace":
      return trace === undefined ? run : { ...toFacts(trace), ...(run && { input: run.input, output: run.output }) };
    case "step":
      return trace?.observation_list.findLast((step) => step.name === name);
    case "session":
      return turns;
    case "run":
      return run;
    default:
      return of satisfies never;
  }
}

function toFacts({ name, input, output, error, attributes, observation_list: steps }: Trace) {
  const tools = steps.filter(({ kind }) => kind === "tool").slice(0, MAX_TOOLS);
  return {
    name,
    input,
    output,
    error,
    metadata: attributes["metadata"],
    tools:
      tools.length === 0
        ? undefined
        : tools.map((tool) => ({ tool: tool.name, input: tool.input, output: tool.output, error: tool.error ?? undefined })),
  };
}

async function readTrace(query: Query, { projectId, traceId }: Subject): Promise<Trace | undefined> {
  try {
    return traceId === null ? undefined : await loadTrace(query, { projectId, reader, traceId });
  } catch (error) {
    if (error instanceof AppError && error.status === 404) {
      return undefined;
    }
    throw error;
  }
}

/** Questions and answers of the session until the trace, the oldest first. */
async function readSession(query: Query, projectId: string, trace: Trace): Promise<readonly unknown[]> {
  const { rows } = await sql<{ id: string }>`
    select trace_id as id from observability.trace_entries
    where project_id = ${projectId}::uuid and session_id = ${trace.session_id}::text and sort_at < ${trace.started_at}::timestamptz and purpose is null
    order by sort_at desc limit ${MAX_TURNS - 1}`.execute(query);
  const before = await Promise.all(rows.map(({ id }) => readTrace(query, { projectId, traceId: id })));
  return [...before.toReversed(), trace].flatMap((turn) => (turn === undefined ? [] : [{ input: turn.input, output: turn.output }]));
}

type RunFacts = {
  readonly input: Json;
  readonly expected: Json;
  readonly metadata: Json;
  readonly output: Json;
  readonly state: string;
  readonly error: string | null;
  readonly subject: string | null;
};

/** Reads a run, or two of which nothing says whose they are. */
async function readRuns(query: Query, { projectId, run: of }: Subject) {
  if (of === undefined) {
    return {};
  }
  const own = await readRun(query, projectId, of);
  if (of.baselineId === null) {
    return { own, run: own, better: own.state === "failed" ? ("tie" as const) : undefined };
  }
  const other = await readRun(query, projectId, { ...of, experimentId: of.baselineId, attempt: null });
  const [first, second] = of.isSwapped ? [other, own] : [own, other];
  const { input, expected, metadata } = own;
  return { own, run: { input, expected, metadata, first: first.output, second: second.output }, better: betterOf(first, second) };
}

function betterOf(first: RunFacts, second: RunFacts): Preferred | undefined {
  const [isLost, isWon] = [first.state === "failed", second.state === "failed"];
  return isLost && isWon ? "tie" : isLost ? "second" : isWon ? "first" : undefined;
}

async function readRun(query: Query, projectId: string, run: RunOf): Promise<RunFacts> {
  const { rows } = await sql<RunFacts>`
    select run.state, run.output, run.error, item.input, item.expected, item.metadata, item.subject
    from observability.experiment_runs as run
    join observability.experiments as experiment on experiment.project_id = run.project_id and experiment.id = run.experiment_id
    join observability.item_revisions as item on item.project_id = run.project_id and item.dataset_id = experiment.dataset_id and item.item_id = run.item_id
      and item.version <= experiment.dataset_version and (item.until_version is null or item.until_version > experiment.dataset_version)
    where run.project_id = ${projectId}::uuid and run.experiment_id = ${run.experimentId}::uuid and run.item_id = ${run.itemId}::uuid
      and run.repetition = ${run.repetition}::int and ${run.attempt === null ? sql`run.is_newest` : sql`run.attempt = ${run.attempt}::int`} and item.redacted_at is null`.execute(
    query,
  );
  if (rows[0] === undefined) {
    throw new NotJudgeable("the run is gone, or its contents were deleted");
  }
  return rows[0];
}

function describe({ of, step, path }: JudgeVariable): string {
  return `${path === "" ? "all" : path} of ${step === null ? `the ${of}` : `a step ${step}`}`;
}

/** A value that is too long to be read with its trace. */
const cutSchema = truncatedValueSchema.pick({ truncated: true, characters: true, preview: true });

function toText(value: unknown): string {
  const cut = cutSchema.safeParse(value).data;
  const text = cut?.preview ?? (typeof value === "string" ? value : JSON.stringify(value, undefined, 1));
  const left = Math.max(cut?.characters ?? 0, text.length) - Math.min(text.length, MAX_VALUE);
  return left > 0 ? `${text.slice(0, MAX_VALUE).toWellFormed()}\n[${left} more characters are left out]` : text;
}
