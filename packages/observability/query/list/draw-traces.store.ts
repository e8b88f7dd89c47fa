import { sql } from "kysely";
import type { SAMPLE_BY } from "#contract.ts";
import { sqlConditions, type ListTerm } from "#query/conditions/conditions.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";
import { boundSearch } from "#store/bound-search.ts";
import { refreshEntries } from "./refresh-entries.ts";

type By = (typeof SAMPLE_BY)[number];
type Drawing = InProject & {
  readonly terms: readonly ListTerm[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly now: Date;
  readonly size: number;
  readonly by: By;
  readonly seed: number;
};

/** Where there are more traces, only the newest are drawn from. */
const MAX_FOUND = 200_000;
const STRATA = {
  random: sql`null`,
  status: sql`entry.status`,
  name: sql`entry.name`,
  user: sql`entry.user_id`,
  session: sql`entry.session_id`,
};

/**
 * Draws from the ended traces that a query finds: of each stratum one after the other, as long as it has any. A trace is drawn or not by
 * its id and the seed, so that others that come later change little.
 *
 * @returns their ids, the oldest first, and how many there are to draw from.
 * @throws a database's error with the code `57014` when it takes too long.
 */
export async function drawTraces(query: Query, { projectId, reader, terms, from, to, now, size, by, seed }: Drawing) {
  const { isCounted } = await refreshEntries(query, projectId);
  const conditions = await sqlConditions(terms, { query, projectId, now, isCounted, isByTime: true });
  const times = [...(from === undefined ? [] : [sql`entry.sort_at >= ${from}`]), ...(to === undefined ? [] : [sql`entry.sort_at < ${to}`])];
  return query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    const { rows } = await sql<{ id: string; matching: number }>`
      with found as materialized (
        select entry.trace_id, entry.sort_at, ${STRATA[by]} as stratum, md5(entry.trace_id::text || ${String(seed)}::text) as draw
        from observability.trace_entries as entry
        where entry.project_id = ${projectId}::uuid and entry.status <> 'running' and ${hasRoleIn(reader, "viewer", projectId)}
          and ${sql.join([sql`true`, ...times, ...conditions], sql` and `)}
        order by entry.sort_at desc, entry.trace_id desc limit ${MAX_FOUND}
      ), drawn as (
        select trace_id, sort_at from (select *, row_number() over (partition by stratum order by draw) as turn from found) as ranked
        order by turn, draw limit ${size}
      )
      select trace_id as id, (select count(*) from found) as matching from drawn order by sort_at, trace_id`.execute(transaction);
    return { ids: rows.map(({ id }) => id), matching: rows[0]?.matching ?? 0 };
  });
}
