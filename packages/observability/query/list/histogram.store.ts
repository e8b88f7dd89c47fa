import { sql } from "kysely";
import type { Query } from "#schema.ts";
import { hasRole, type InProject } from "#store/reader.ts";
import { boundSearch } from "#store/bound-search.ts";
import { listSought, sqlConditions, type ListTerm } from "#query/conditions/conditions.ts";
import { refreshEntries } from "./refresh-entries.ts";

type Options = InProject & { readonly terms: readonly ListTerm[]; readonly now: Date };

export type Bar = { readonly at: Date; readonly traces: number; readonly failures: number };

type Found = { readonly total: number; readonly isCut: boolean; readonly barMs: number; readonly bars: readonly Bar[] };

/** Where there are more traces, only the newest are counted. */
const MAX_COUNTED = 200_000;
/** Where each is asked for words of its steps, of which there may be many. */
const MAX_READ = 20_000;
const MAX_BARS = 60;
/** What a bar may stand for, from a second to thirty days. */
const WIDTHS_MS = [1, 5, 15, 60, 300, 900, 3_600, 10_800, 43_200, 86_400, 604_800, 2_592_000].map((seconds) => seconds * 1_000);

/**
 * How many traces a query finds, over time.
 *
 * @throws a database's error with the code `57014` when it takes too long.
 */
export async function countOverTime(query: Query, { projectId, reader, terms, now }: Options): Promise<Found> {
  const { isCounted } = await refreshEntries(query, projectId);
  const conditions = await sqlConditions(terms, { query, projectId, now, isCounted, isByTime: true });
  const most = terms.some((term) => listSought(term).length > 0) ? MAX_READ : MAX_COUNTED;
  const widths = sql.join(
    WIDTHS_MS.map((width) => sql`${width}::bigint`),
    sql`, `,
  );
  return query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    const { rows } = await sql<{ total: number; bar_ms: number; at: Date | null; traces: number; failures: number }>`
      with found as materialized (
        select entry.sort_at, entry.status from observability.trace_entries as entry
        where entry.project_id = ${projectId}::uuid
          and exists (select from observability.projects as project where project.id = ${projectId}::uuid and ${hasRole(reader, "viewer")})
          and ${sql.join([sql<boolean>`true`, ...conditions], sql` and `)}
        order by entry.sort_at desc, entry.trace_id desc limit ${most + 1}
      ), whole as materialized (
        select count(*) as total, (
          select min(width) from unnest(array[${widths}]) as width
          where width * ${MAX_BARS - 1}::bigint >= extract(epoch from max(sort_at) - min(sort_at)) * 1000
        ) as fitting from found
      ), sized as materialized (
        select total, coalesce(fitting, ${WIDTHS_MS.at(-1)}::bigint) as bar_ms from whole
      )
      select sized.total, sized.bar_ms, bar.at, coalesce(bar.traces, 0) as traces, coalesce(bar.failures, 0) as failures
      from sized left join lateral (
        select date_bin(sized.bar_ms * interval '1 millisecond', found.sort_at, timestamptz '1970-01-01 00:00:00+00') as at,
          count(*) as traces, count(*) filter (where found.status = 'failure') as failures
        from found group by 1 order by 1 desc limit ${MAX_BARS}
      ) as bar on true
      order by bar.at`.execute(transaction);
    const [first] = rows;
    return {
      total: Math.min(first?.total ?? 0, most),
      isCut: (first?.total ?? 0) > most,
      barMs: first?.bar_ms ?? 0,
      bars: rows.flatMap(({ at, traces, failures }) => (at === null ? [] : [{ at, traces, failures }])),
    };
  });
}
