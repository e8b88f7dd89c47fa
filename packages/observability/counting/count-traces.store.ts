import { lockKey } from "@sightline/foundation/database/advisory-lock";
import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { measureRuns } from "#store/measure-runs.store.ts";
import { READER_WAITS_MS, unlessLocked } from "#store/while-locked.ts";
import { unlessNodeIsAway } from "#store/node-away.ts";
import { listSearchWords } from "#store/search-words.ts";
import { selectBeginning } from "#store/segments.ts";
import { foldTrace } from "#trace-facts/fold-trace.ts";
import { selectSteps, selectTraceParts, type TracePartsRow } from "./trace-parts.ts";
import { repriceStatement, settleGroupsStatement, writeEntriesStatement, type FoldedTrace, type Touched } from "./entry-statements.ts";
import { analyzeGrownTables } from "#store/statistics.store.ts";

/** How many traces one transaction counts, and how many marks it reads for them: a trace is marked by every batch that has events of it. */
const TRACES = 200;
/** How many traces one transaction prices anew. */
const PRICED = 1_000;
const MARKS = 5_000;

/** Finds all projects with traces to be counted: one with very many marks hides no other. */
export async function findUncountedProjects(query: Query): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select project_id from observability.trace_marks group by project_id
    union
    select project_id from observability.repricings`.execute(query);
  return rows.map((row) => row.project_id);
}

export type Uncounted = {
  /** The last mark to be counted; null when there are none. */
  readonly lastMark: string | null;
  /** Prices have changed, and not all traces are priced anew yet. */
  readonly isRepricing: boolean;
};

export async function findUncounted(query: Query, projectId: string): Promise<Uncounted> {
  const { rows } = await sql<Uncounted>`
    select (select max(id)::text from observability.trace_marks where project_id = ${projectId}) as "lastMark",
      exists (select from observability.repricings where project_id = ${projectId}) as "isRepricing"`.execute(query);
  return rows[0] ?? { lastMark: null, isRepricing: false };
}

type Counting = {
  /** Up to which mark; all without it. */
  readonly lastMark?: string;
  /** How long to wait for another process that counts, in milliseconds; as long as it takes without it. */
  readonly waitMs?: number;
};

/**
 * Counts some of the marked traces of a project, oldest marks first. Any number of processes may do it at once: they wait for each other.
 *
 * @returns whether there are marks left up to `lastMark`.
 * @throws a database's error with the code `55P03` after `waitMs`.
 */
export async function countMarkedTraces(query: Query, projectId: string, { lastMark, waitMs }: Counting = {}): Promise<boolean> {
  const { ids, isMore } = await query.transaction().execute(async (transaction) => {
    await lockCounting(transaction, projectId, waitMs);
    const until = lastMark === undefined ? sql`true` : sql`id <= ${lastMark}::bigint`;
    // Marks are taken before their traces are read, so that whatever is written later leaves a mark that stays.
    const { rows } = await sql<{ trace_id: string }>`
      with chosen as materialized (
        select trace_id from (
          select trace_id, id from observability.trace_marks where project_id = ${projectId} and ${until} order by id limit ${MARKS}
        ) as waiting group by trace_id order by min(id) limit ${TRACES}
      ), taken as (
        delete from observability.trace_marks as mark using chosen where mark.project_id = ${projectId} and mark.trace_id = chosen.trace_id
      )
      select trace_id from chosen`.execute(transaction);
    const taken = rows.map((row) => row.trace_id);
    await recount(transaction, projectId, taken);
    const { rows: left } = await sql`select from observability.trace_marks where project_id = ${projectId} and ${until} limit 1`.execute(
      transaction,
    );
    return { ids: taken, isMore: left.length > 0 };
  });
  await measureRuns(query, projectId, ids);
  return isMore;
}

/**
 * Goes on pricing the traces of a project anew whose prices have changed, the newest first. Nothing else of them is read again.
 *
 * @returns whether there is more of it.
 * @throws a database's error with the code `55P03` after `waitMs`.
 */
export async function repriceTraces(query: Query, projectId: string, { waitMs }: Pick<Counting, "waitMs"> = {}): Promise<boolean> {
  const { ids, isMore } = await query.transaction().execute(async (transaction) => {
    await lockCounting(transaction, projectId, waitMs);
    const { rows } = await sql<{ id: string }>`
      select entry.trace_id as id
      from observability.repricings as repricing
      cross join lateral (
        select trace_id from observability.trace_entries
        where project_id = repricing.project_id and trace_id < repricing.before order by trace_id desc limit ${PRICED}
      ) as entry
      where repricing.project_id = ${projectId}`.execute(transaction);
    const priced = rows.map((row) => row.id);
    const last = priced.at(-1);
    if (last !== undefined) {
      const { rows: touched } = await repriceStatement(projectId, priced).execute(transaction);
      await settleGroups(transaction, projectId, touched);
    }
    if (priced.length < PRICED || last === undefined) {
      await sql`delete from observability.repricings where project_id = ${projectId}`.execute(transaction);
      return { ids: priced, isMore: false };
    }
    await sql`update observability.repricings set before = ${last}::uuid where project_id = ${projectId}`.execute(transaction);
    return { ids: priced, isMore: true };
  });
  await measureRuns(query, projectId, ids);
  return isMore;
}

/** Counts those of these traces that are marked, or were never counted. */
export async function countTraces(query: Query, projectId: string, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select wanted.id from unnest(${ids}::uuid[]) as wanted (id)
    left join observability.trace_entries as entry on entry.project_id = ${projectId}::uuid and entry.trace_id = wanted.id
    where entry.trace_id is null or exists (
      select from observability.trace_marks as mark where mark.project_id = ${projectId}::uuid and mark.trace_id = any(wanted.id || entry.runs)
    )`.execute(query);
  if (rows.length > 0) {
    const count = () =>
      query.transaction().execute(async (transaction) => {
        await lockCounting(transaction, projectId, READER_WAITS_MS);
        await recount(
          transaction,
          projectId,
          rows.map((row) => row.id),
        );
      });
    await unlessNodeIsAway(() => unlessLocked(count, undefined), undefined);
  }
}

async function recount(transaction: Transaction<ObservabilitySchema>, projectId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) {
    return;
  }
  const days = await daysOf(transaction, projectId, ids);
  // Without statistics, each trace of a table that has just begun to fill would be counted by going through the steps of all.
  await analyzeGrownTables(transaction, days);
  const traces = (await readParts(transaction, projectId, { ids, days })).map(foldRow);
  const { rows } = await writeEntriesStatement(projectId, { ids, traces, days }).execute(transaction);
  await settleGroups(transaction, projectId, rows);
}

type BegunRow = TracePartsRow & {
  readonly trace_id: string;
  readonly start_line: string | null;
  /** Of its first and its last model call, read where it says nothing itself. */
  readonly first_line: string | null;
  readonly last_line: string | null;
};

/** Reads the traces to which any of these runs belongs. */
async function readParts(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  { ids, days }: { readonly ids: readonly string[]; readonly days: readonly string[] },
): Promise<readonly BegunRow[]> {
  const project = sql`${projectId}::uuid`;
  const parts = selectTraceParts({ project, status: sql`run.status`, error: sql`left(run.error, 1000)`, days: sql`${days}::date[]` });
  const { rows } = await sql<BegunRow>`
    with beginnings as materialized (
      select distinct case when run.resumed_from is null then run.id else ${selectBeginning(project, sql`run.id`)} end as id
      from unnest(${ids}::uuid[]) as given (id) join observability.traces as run on run.project_id = ${project} and run.id = given.id
    )
    select begun.id as trace_id, begun.start_line, told.*, part.*
    from beginnings join observability.traces as begun on begun.project_id = ${project} and begun.id = beginnings.id
    cross join lateral ${parts} as part
    cross join lateral (
      select array_agg((segment ->> 'id')::uuid) as ids, array_agg((segment ->> 'day')::date) as days
      from jsonb_array_elements(part.segments) as segment
    ) as family
    cross join lateral (
      select (array_agg(step.start_line order by coalesce(step.started_at, step.seen_at), step.id) filter (where step.start_line is not null))[1] as first_line,
        (array_agg(step.end_line order by coalesce(step.ended_at, step.seen_at) desc, step.id desc) filter (where step.end_line is not null))[1] as last_line
      from ${selectSteps(project, sql`${days}::date[]`)} where begun.start_line is null or part.segments -> -1 ->> 'end_line' is null
    ) as told`.execute(transaction);
  return rows;
}

function foldRow(row: BegunRow): FoldedTrace {
  const { last, ...facts } = foldTrace(row);
  const { failed_steps: _failed, segments, start_line: asked, first_line: first, last_line: lastSaid, ...sums } = row;
  // Where nothing came back of a trace that failed, its error says why; what a model said last would hide it.
  const answered = last.end_line ?? (facts.error === null ? lastSaid : null);
  return {
    ...sums,
    ...facts,
    ids: segments.map(({ id }) => id),
    days: segments.map(({ day }) => day),
    last_run: last.id,
    ended_at: last.ended_at,
    input_line: asked ?? first,
    output_line: answered,
    // It is found by what the list shows of it.
    line_words: listSearchWords([asked === null ? first : null, last.end_line === null ? answered : null]),
    is_whole: [segments.every(({ has_start: has }) => has), segments.every(({ has_end: has }) => has)],
  };
}

async function settleGroups(transaction: Transaction<ObservabilitySchema>, projectId: string, rows: readonly Touched[]): Promise<void> {
  const [touched] = rows;
  if (touched !== undefined) {
    await settleGroupsStatement(projectId, touched).execute(transaction);
  }
}

/** Finds the days of these segments and of the other segments of the same traces, which are of the same thread. */
async function daysOf(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ day: string }>`
    with run as materialized (
      select day, case when paused_at is not null or resumed_from is not null then thread_id end as thread_id
      from observability.traces where project_id = ${projectId}::uuid and id = any(${ids}::uuid[])
    )
    select day::text as day from run
    union
    select other.day::text from (select distinct thread_id from run) as thread
    cross join lateral (
      select day from observability.traces
      where project_id = ${projectId}::uuid and thread_id = thread.thread_id and (paused_at is not null or resumed_from is not null)
    ) as other`.execute(transaction);
  return rows.map((row) => row.day);
}

/**
 * Locks the counting until the transaction ends. JIT compilation of these statements would take longer than they do. Asked of the project's rows,
 * so that on a cluster the lock and the settings are those of the node that has them, whoever asks.
 */
export async function lockCounting(transaction: Transaction<ObservabilitySchema>, projectId: string, waitMs = 0): Promise<void> {
  await sql`
    select set_config('lock_timeout', ${`${waitMs}ms`}, true), pg_advisory_xact_lock(${lockKey("observability.traces", projectId)}),
      set_config('lock_timeout', '0', true), set_config('jit', 'off', true)
    from (select count(*) from observability.repricings where project_id = ${projectId}::uuid) as there`.execute(transaction);
}
