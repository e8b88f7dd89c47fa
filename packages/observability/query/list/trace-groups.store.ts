import { isAlike } from "@sightline/foundation/database/fold-case";
import { likeBeginning } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import type { TraceGroup } from "#contract.ts";
import type { Query } from "#schema.ts";
import { selectMicros } from "#store/position.ts";
import { isLive } from "#store/live-traces.ts";
import { hasRole, type Reader } from "#store/reader.ts";
import { refreshEntries, type Counted } from "./refresh-entries.ts";

export type GroupRow = {
  readonly id: string;
  readonly traces: number;
  readonly failures: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly first_at: Date;
  readonly last_at: Date;
  /** What it is sorted by, as text. */
  readonly position: string;
  readonly session?: TraceGroup["session"];
};

export type GroupSort = "last" | "traces" | "cost" | "tokens" | "failures";

type GroupOptions = {
  readonly projectId: string;
  readonly reader: Reader;
  readonly field: "session" | "user";
  /** This one alone. */
  readonly id?: string;
  /** In either case. */
  readonly prefix: string;
  readonly sort: GroupSort;
  readonly after: { readonly position: string; readonly id: string } | undefined;
  readonly limit: number;
};

/** Each as there is an index; of the table, since in `order by` a bare name would be what the statement answers under it. */
const KEYS = {
  last: {
    by: sql`t.last_at`,
    position: selectMicros("t.last_at"),
    at: (text: string) => sql`timestamptz 'epoch' + ${text}::bigint * interval '1 microsecond'`,
  },
  traces: { by: sql`t.traces`, position: sql`t.traces`, at: (text: string) => sql`${text}::bigint` },
  failures: { by: sql`t.failures`, position: sql`t.failures`, at: (text: string) => sql`${text}::bigint` },
  cost: { by: sql`t.cost`, position: sql`t.cost`, at: (text: string) => sql`${text}::double precision` },
  tokens: {
    by: sql`(t.input_tokens + t.output_tokens)`,
    position: sql`(t.input_tokens + t.output_tokens)`,
    at: (text: string) => sql`${text}::numeric`,
  },
} as const;

/** One session or user; undefined also when `reader` may not see the project. */
export async function findGroup(
  query: Query,
  wanted: Pick<GroupOptions, "projectId" | "reader" | "field"> & { readonly id: string },
): Promise<GroupRow | undefined> {
  return (await listGroups(query, { ...wanted, prefix: "", sort: "last", after: undefined, limit: 1 })).rows[0];
}

/** Sessions or users, the highest first. */
export async function listGroups(
  query: Query,
  { projectId, reader, field, id, prefix, sort, after, limit }: GroupOptions,
): Promise<Counted & { readonly rows: readonly GroupRow[] }> {
  const counted = await refreshEntries(query, projectId);
  const { by, position, at } = KEYS[sort];
  const sumOf = (column: string, count: string) =>
    sql`case when ${sql.ref(count)} > 0 then least(greatest(${sql.ref(column)}, 0), ${Number.MAX_SAFE_INTEGER})::bigint end as ${sql.ref(column)}`;
  const { rows } = await sql<GroupRow>`
    select value as id, traces, failures, ${sumOf("input_tokens", "with_input")}, ${sumOf("output_tokens", "with_output")},
      case when with_cost > 0 then greatest(cost, 0) end as cost, first_at, last_at, ${position}::text as position
      ${field === "session" ? sql`, ${describeSession(projectId)} as session` : sql``}
    from observability.trace_groups as t
    where project_id = ${projectId}::uuid and field = ${field} and traces > 0 and last_at is not null
      and ${id === undefined ? sql`true` : sql`value = ${id}`}
      and ${prefix === "" ? sql`true` : isAlike(sql`left(value, 200)`, likeBeginning(prefix))}
      and ${after === undefined ? sql`true` : sql`(${by}, t.value) < (${at(after.position)}, ${after.id})`}
      and exists (select from observability.projects as project where project.id = ${projectId}::uuid and ${hasRole(reader, "viewer")})
    order by ${by} desc, t.value desc limit ${limit}`.execute(query);
  return { rows, ...counted };
}

/** How a session `t` began, and how long it took; three looks at an index for each that is shown. */
function describeSession(projectId: string): RawBuilder<unknown> {
  const first = (column: RawBuilder<unknown>, having = sql`true`, order = sql`sort_at, trace_id`) => sql`(
    select ${column} from observability.trace_entries as entry
    where entry.project_id = ${projectId}::uuid and entry.session_id = t.value and ${isLive("entry")} and ${having} order by ${order} limit 1
  )`;
  const end = first(sql`coalesce(ended_at, sort_at)`, sql`true`, sql`sort_at desc, trace_id desc`);
  return sql`jsonb_build_object(
    'first_input', ${first(sql`input_line`, sql`input_line is not null`)}, 'user_id', ${first(sql`user_id`, sql`user_id is not null`)},
    'duration_ms', extract(epoch from ${end} - first_at) * 1000
  )`;
}
