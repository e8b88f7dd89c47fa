import { isAlike } from "@sightline/foundation/database/fold-case";
import { likeBeginning } from "@sightline/foundation/patterns";
import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { boundSearch } from "#store/bound-search.ts";
import { entryStatus } from "#query/steps/abandoned.store.ts";
import { hasRole, type InProject } from "#store/reader.ts";
import { valuesOfField } from "./field-values.ts";
import { sqlConditions, type ListTerm } from "#query/conditions/conditions.ts";
import { refreshEntries } from "./refresh-entries.ts";

type Facet = { readonly value: string; readonly count: number };

type FacetOptions = InProject & {
  readonly field: string;
  /** In either case. */
  readonly prefix: string;
  readonly terms: readonly ListTerm[];
  readonly now: Date;
  readonly sort: "count" | "newest";
  readonly limit: number;
};

/** Traces that are looked at where it is asked for some of them. */
export const FACET_TRACES = 5_000;

/** Whether the values of all traces are told; keys of metadata and statuses are counted by nobody. */
export function isOfAll({ field, terms }: Pick<FacetOptions, "field" | "terms">): boolean {
  return terms.length === 0 && field !== "metadata" && field !== "status";
}

/**
 * The values of a field and how many traces have each, most first, or of all traces those that came last.
 *
 * @throws a database's error with the code `57014` when it takes too long.
 */
export async function listFacets(query: Query, options: FacetOptions): Promise<readonly Facet[]> {
  const { projectId, reader, field, terms, sort, limit } = options;
  const { isCounted } = await refreshEntries(query, projectId);
  const pattern = likeBeginning(options.prefix);
  const isAllowed = sql`exists (select from observability.projects as project where project.id = ${projectId}::uuid and ${hasRole(reader, "viewer")})`;
  if (isOfAll(options)) {
    const { rows } = await sql<Facet>`
      select value, traces as count from observability.trace_groups
      where project_id = ${projectId}::uuid and field = ${field} and ${isAlike(sql`left(value, 200)`, pattern)} and traces > 0 and ${isAllowed}
      order by ${sort === "newest" ? sql`earliest desc nulls last` : sql`traces desc`}, value desc limit ${limit}`.execute(query);
    return rows;
  }
  const conditions = await sqlConditions(terms, { query, projectId, now: options.now, isCounted, isByTime: true });
  const chosen = sql<Facet>`
    with chosen as materialized (
      select entry.name, entry.session_id, entry.user_id, entry.thread_id, entry.fields, ${field === "status" ? entryStatus(projectId) : sql`null`} as status
      from observability.trace_entries as entry
      where entry.project_id = ${projectId}::uuid and ${isAllowed} and ${sql.join([sql`true`, ...conditions], sql` and `)}
      order by entry.sort_at desc, entry.trace_id desc limit ${FACET_TRACES}
    )
    select said.value, count(*) as count
    from chosen as entry cross join lateral (${valuesOfField(field)}) as said (value)
    where ${isAlike(sql`said.value`, pattern)}
    group by said.value order by count(*) desc, said.value desc limit ${limit}`;
  return query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    return (await chosen.execute(transaction)).rows;
  });
}
