import { sql, type RawBuilder } from "kysely";
import type { ObservationStatus } from "#contract.ts";
import type { Query } from "#schema.ts";
import { selectMicros } from "#store/position.ts";
import { hasRole, type OneInProject, type InProject } from "#store/reader.ts";
import { sqlConditions, type ListTerm } from "#query/conditions/conditions.ts";
import { entryStatus } from "#query/steps/abandoned.store.ts";
import { TRACE_NUMBERS, type TraceNumbers } from "#step-numbers.ts";
import { countTraces } from "#counting/count-traces.store.ts";
import { boundSearch } from "#store/bound-search.ts";
import { LABEL_NAMES } from "#trace-labels.ts";
import { refreshEntries } from "./refresh-entries.ts";

export type EntryRow = TraceNumbers & {
  readonly id: string;
  readonly name: string | null;
  readonly status: ObservationStatus;
  readonly runs: readonly string[];
  readonly started_at: Date | null;
  readonly sort_at: Date;
  readonly ended_at: Date | null;
  readonly waiting_ms: number;
  readonly steps: number;
  readonly failures: number;
  readonly thread_id: string | null;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly purpose: string | null;
  readonly error: string | null;
  readonly models: readonly string[];
  readonly input: string | null;
  readonly output: string | null;
  /** `environment:…` and the other labels, `tag:…`. */
  readonly labels: readonly string[];
  readonly scores: readonly { readonly name: string; readonly value: number; readonly count: number }[];
};

const LABELLED = `^(${LABEL_NAMES.join("|")}|tag):`;

export type Sort = "started" | "duration" | "cost" | "tokens" | "errors";

/** Where a page ended: the value it is sorted by as text, null when it had none, then its time in microseconds. */
export type EntryPosition = { readonly value: string | null; readonly micros: string; readonly id: string };

export type ListOptions = InProject & {
  readonly terms: readonly ListTerm[];
  readonly now: Date;
  readonly sort: Sort;
  readonly order: "asc" | "desc";
  readonly after: EntryPosition | undefined;
  readonly limit: number;
};

export type ListedEntries = {
  readonly rows: readonly EntryRow[];
  /** The position of the last row, when there are more behind it. */
  readonly next: EntryPosition | undefined;
  /** Traces that were written before are missing, or are told as they were. */
  readonly isCounting: boolean;
  readonly isCostPending: boolean;
};

const SORT_COLUMNS: Readonly<Record<Exclude<Sort, "started">, { readonly column: string; readonly type: string }>> = {
  duration: { column: "duration_ms", type: "double precision" },
  cost: { column: "cost", type: "double precision" },
  tokens: { column: "tokens", type: "bigint" },
  errors: { column: "failures", type: "bigint" },
};

/** @throws a database's error with the code `57014` when it takes too long. */
export async function listEntries(query: Query, options: ListOptions): Promise<ListedEntries> {
  const { projectId, reader, terms, limit } = options;
  const isPlain = terms.length === 0 && options.sort === "started";
  const { isCounted, isCostPending } = isPlain ? { isCounted: true, isCostPending: false } : await refreshEntries(query, projectId);
  const conditions = await sqlConditions(terms, { query, projectId, now: options.now, isCounted, isByTime: options.sort === "started" });
  const found = await query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    const project = sql`${projectId}::uuid`;
    const source = isPlain ? beginningsOf(project) : sql`observability.trace_entries`;
    return findPositions(transaction, { ...options, limit: limit + 1 }, { source, conditions });
  });
  const shown = found.slice(0, limit);
  const ids = shown.map(({ id }) => id);
  await countTraces(query, projectId, ids);
  return {
    rows: await readEntries(query, { projectId, reader, ids }),
    next: found.length > limit ? shown.at(-1) : undefined,
    isCounting: !isCounted,
    isCostPending,
  };
}

/** All that a list by time without conditions needs: of each trace the run that does not go on from a checkpoint at which one of the thread waits. */
function beginningsOf(project: RawBuilder<unknown>) {
  return sql`(
    select trace.project_id, trace.id as trace_id, trace.sort_at, trace.purpose from observability.traces as trace
    where trace.project_id = ${project} and trace.sort_at is not null and (trace.resumed_from is null or not exists (
      select from observability.traces as earlier
      where earlier.project_id = ${project} and earlier.thread_id = trace.thread_id and earlier.paused_at = trace.resumed_from
        and (earlier.sort_at, earlier.id) < (trace.sort_at, trace.id)
    ))
  )`;
}

type Source = { readonly source: RawBuilder<unknown>; readonly conditions: readonly RawBuilder<boolean>[] };

/** What has no value comes behind what has one, newest first. */
async function findPositions(query: Query, options: ListOptions, source: Source): Promise<readonly EntryPosition[]> {
  const { sort, order, after, limit } = options;
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  const beyond = order === "asc" ? sql`>` : sql`<`;
  if (sort === "started") {
    const isAfter =
      after === undefined ? sql`true` : sql`(entry.sort_at, entry.trace_id) ${beyond} (${instantOf(after)}, ${after.id}::uuid)`;
    return positions(query, options, source, { isAfter, by: sql`entry.sort_at ${direction}, entry.trace_id ${direction}`, limit });
  }
  const { column, type } = SORT_COLUMNS[sort];
  const value = sql.ref(`entry.${column}`);
  const hasValue = sql`${value} is not null`;
  const place =
    after === undefined
      ? hasValue
      : sql`(${value}, entry.trace_id) ${beyond} (${after.value}::${sql.raw(type)}, ${after.id}::uuid) and ${hasValue}`;
  const valued =
    after?.value === null
      ? []
      : await positions(query, options, source, {
          isAfter: place,
          by: sql`${value} ${direction}, entry.trace_id ${direction}`,
          limit,
          value,
        });
  if (valued.length === limit || sort === "errors") {
    return valued;
  }
  const isBehind = after?.value === null ? sql`(entry.sort_at, entry.trace_id) < (${instantOf(after)}, ${after.id}::uuid)` : sql`true`;
  const rest = await positions(query, options, source, {
    isAfter: sql`${value} is null and ${isBehind}`,
    by: sql`entry.sort_at desc, entry.trace_id desc`,
    limit: limit - valued.length,
  });
  return [...valued, ...rest];
}

type EntryPlace = {
  readonly isAfter: RawBuilder<unknown>;
  readonly by: RawBuilder<unknown>;
  readonly limit: number;
  readonly value?: RawBuilder<unknown>;
};

async function positions(
  query: Query,
  { projectId, reader }: ListOptions,
  { source, conditions }: Source,
  { isAfter, by, limit, value }: EntryPlace,
): Promise<readonly EntryPosition[]> {
  const { rows } = await sql<EntryPosition>`
    select entry.trace_id as id, ${selectMicros("entry.sort_at")} as micros, ${value === undefined ? sql`null` : sql`${value}::text`} as value
    from ${source} as entry
    where entry.project_id = ${projectId}::uuid
      and exists (select from observability.projects as project where project.id = ${projectId}::uuid and ${hasRole(reader, "viewer")})
      and ${sql.join([...conditions, isAfter], sql` and `)}
    order by ${by}
    limit ${limit}`.execute(query);
  return rows;
}

function instantOf({ micros }: EntryPosition) {
  return sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;
}

/** One trace as the list shows it, by the id of its beginning. */
export async function findEntry(query: Query, { id, ...project }: OneInProject): Promise<EntryRow | undefined> {
  return (await findEntries(query, { ...project, ids: [id] }))[0];
}

/** Finds which of the traces exist, in the order of their ids. */
export async function findEntries(query: Query, chosen: InProject & { readonly ids: readonly string[] }): Promise<readonly EntryRow[]> {
  await countTraces(query, chosen.projectId, chosen.ids);
  return readEntries(query, chosen);
}

const numbers = sql.join(TRACE_NUMBERS.map((name) => sql.ref(`entry.${name}`)));

/** In the order of the ids. */
async function readEntries(
  query: Query,
  { projectId, reader, ids }: InProject & { readonly ids: readonly string[] },
): Promise<readonly EntryRow[]> {
  if (ids.length === 0) {
    return [];
  }
  const { rows } = await sql<EntryRow>`
    select entry.trace_id as id, entry.name, ${entryStatus(projectId)} as status, entry.runs,
      entry.started_at, entry.sort_at, entry.ended_at, entry.waiting_ms, entry.steps, entry.failures, entry.thread_id,
      entry.session_id, entry.user_id, entry.purpose, ${numbers}, left(entry.error, 300) as error,
      array(select substr(said, 7) from unnest(entry.fields) as said where said like 'model:%' order by said limit 5) as models,
      entry.input_line as input, entry.output_line as output,
      array(select said from unnest(entry.fields) as said where said ~ ${LABELLED} order by said limit 60) as labels,
      jsonb_path_query_array(entry.scores, '$[0 to 9]') as scores
    from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
    join observability.trace_entries as entry on entry.project_id = ${projectId}::uuid and entry.trace_id = wanted.id
    join observability.projects as project on project.id = entry.project_id
    where ${hasRole(reader, "viewer")}
    order by wanted.place`.execute(query);
  return rows;
}
