import { foldCase } from "@sightline/foundation/database/fold-case";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { selectPercentile } from "#counting/duration-buckets.ts";
import { hasRole, listVisibleIds, type Reader } from "#store/reader.ts";

export type CodeRunsFilter = {
  readonly reader: Reader;
  readonly projectId: string | undefined;
  readonly repo: string;
  readonly path: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly since: Date;
  readonly limit: number;
};

export type CodePlaceRow = {
  readonly project_id: string;
  readonly project_name: string;
  readonly function: string;
  readonly line: number;
  readonly commit: string;
  readonly runs: number;
  readonly failures: number;
  readonly p95_ms: number | null;
  readonly last_at: Date;
  readonly latest: readonly CodeStepRow[];
};

type CodeStepRow = {
  readonly trace_id: string;
  readonly trace_name: string | null;
  readonly id: string;
  readonly status: "success" | "failure" | "interrupted" | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly duration_ms: number | null;
};

/** How many runs of a place are named: the latest, and the latest failures too. */
const LATEST = 5;
const FAILED = 3;
/** How many hours are searched for them. */
const HOURS = 50;

/**
 * Finds functions, and lines outside of functions, by the number of their runs. One function's runs are counted
 * together at whatever lines its commits had it.
 */
export async function findCodeRuns(query: Kysely<ObservabilitySchema>, filter: CodeRunsFilter): Promise<readonly CodePlaceRow[]> {
  const projects = filter.projectId === undefined ? await findProjectsThatRan(query, filter) : [filter.projectId];
  const places: CodePlaceRow[] = [];
  for (const projectId of projects) {
    places.push(...(await findPlacesOf(query, { ...filter, projectId })));
  }
  return places.toSorted((left, right) => right.runs - left.runs || left.line - right.line).slice(0, filter.limit);
}

async function findProjectsThatRan(query: Kysely<ObservabilitySchema>, filter: CodeRunsFilter): Promise<readonly string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select row.project_id from observability.code_hours as row
    where row.project_id = any(${await listVisibleIds(query, filter.reader)}::uuid[]) and ${isWanted(filter)} group by row.project_id`.execute(
    query,
  );
  return rows.map((row) => row.project_id);
}

/** The condition on a `row` of `code_hours`. */
function isWanted({ repo, path, from, to, since }: CodeRunsFilter) {
  const folded = foldCase(sql`row.repo`);
  return sql<boolean>`row.file = ${path} and row.hour >= date_trunc('hour', ${since}::timestamptz)
    and (${folded} = ${foldCase(repo)} or right(${folded}, length(${repo}) + 1) = '/' || ${foldCase(repo)})
    and ${from === undefined ? sql`true` : sql`row.line >= ${from}`} and ${to === undefined ? sql`true` : sql`row.line <= ${to}`}`;
}

async function findPlacesOf(
  query: Kysely<ObservabilitySchema>,
  filter: CodeRunsFilter & { readonly projectId: string },
): Promise<readonly CodePlaceRow[]> {
  const { limit } = filter;
  const project = sql`${filter.projectId}::uuid`;
  const { rows } = await sql<CodePlaceRow>`
    with part as (
      select row.*, project.name as project_name, case when row.function = '' then row.line end as own_line
      from observability.projects as project
      join observability.code_hours as row on row.project_id = project.id
      where project.id = ${project} and row.project_id = ${project} and ${hasRole(filter.reader, "viewer")} and ${isWanted(filter)}
    ), place as (
      select project_id, project_name, function, own_line, sum(runs)::bigint as runs, sum(failures)::bigint as failures, max(last_at) as last_at,
        (array_agg(line order by last_at desc))[1] as line, (array_agg(commit order by last_at desc))[1] as commit
      from part group by 1, 2, 3, 4
      order by runs desc, line limit ${limit}
    )
    select place.*, timed.p95_ms, coalesce(named.latest, '[]') as latest
    from place
    left join lateral (
      select ${selectPercentile(0.95)} as p95_ms
      from (
        select bucket, sum(count) over (order by bucket) as reached, sum(count) over () as timed
        from (select bucket, sum(count) as count from part, unnest(part.buckets, part.counts) as timed (bucket, count) where ${isOfPlace} group by bucket) as counted
      ) as ranked
    ) as timed on true
    left join lateral (
      with hour as (
        select latest, failed from part where ${isOfPlace} order by last_at desc limit ${HOURS}
      ), failed_hour as (
        select failed from part where ${isOfPlace} and failures > 0 order by last_at desc limit ${HOURS}
      ), step as (
        (select run.* from hour, ${stepsOf("latest")} join ${traceOf(project)} order by at desc limit ${LATEST})
        union
        (select run.* from failed_hour, ${stepsOf("failed")} join ${traceOf(project)} order by at desc limit ${FAILED})
      )
      select jsonb_agg(jsonb_build_object(
        'trace_id', step.trace_id, 'trace_name', trace.name, 'id', step.id, 'status', step.status, 'at', step.at, 'duration_ms', step.duration_ms
      ) order by step.at desc) as latest
      from step join observability.traces as trace on trace.project_id = ${project} and trace.id = step.trace_id
    ) as named on true
    order by place.runs desc, place.line`.execute(query);
  return rows;
}

const isOfPlace = sql<boolean>`part.project_id = place.project_id and part.function = place.function
  and part.own_line is not distinct from place.own_line`;

/** The steps as `code-hours.store.ts` writes them. */
function stepsOf(column: "latest" | "failed") {
  return sql`unnest(${sql.ref(column)}) as text
    cross join lateral (select string_to_array(text, ' ') as field) as split
    cross join lateral (
      select field[1]::bigint as at, field[2]::uuid as trace_id, field[3]::uuid as id, nullif(field[4], '-') as status,
        nullif(field[5], '-')::double precision as duration_ms
    ) as run`;
}

/** The trace of a run, to be joined: runs of deleted traces drop out. */
function traceOf(project: RawBuilder<unknown>) {
  return sql`observability.traces as kept on kept.project_id = ${project} and kept.id = run.trace_id`;
}
