import { sql } from "kysely";
import { SCORE_ALERT_DEFAULTS, type AlertFilter } from "#contract.ts";
import type { Query } from "#schema.ts";
import { isOfLiveTrace } from "#store/live-traces.ts";

type Window = { readonly projectId: string; readonly windowMinutes: number; readonly filter: AlertFilter };

/** Selects the mean of a score in the window, of live traces; null of too few scores. */
export function scoreMean({ filter, ...window }: Window) {
  const { min_count: least = SCORE_ALERT_DEFAULTS.min_count } = filter;
  return sql<{ value: number | null }>`
    select case when count(*) >= ${least} then avg(value) end as value from (${scores({ ...window, filter }, 0)}) as given`;
}

/** Selects by how much the mean is worse than in the time before; null where either has too few. A score of no settings is better when it is higher. */
export async function scoreLoss(query: Query, { filter, ...window }: Window) {
  const { min_count: least = SCORE_ALERT_DEFAULTS.min_count, baseline_minutes: before = SCORE_ALERT_DEFAULTS.baseline_minutes } = filter;
  // By itself: on Citus settings are on one node, and scores on others.
  const settings = await query
    .selectFrom("observability.score_configs")
    .select("direction")
    .where("project_id", "=", window.projectId)
    .where("name", "=", filter.score ?? "")
    .executeTakeFirst();
  const sign = settings?.direction === "lower" ? -1 : 1;
  return sql<{ value: number | null }>`
    select case when count(*) filter (where is_new) >= ${least} and count(*) filter (where not is_new) >= ${least}
      then ${sign}::int * (avg(value) filter (where not is_new) - avg(value) filter (where is_new)) end as value
    from (${scores({ ...window, filter }, before)}) as given`;
}

/** Selects scores of live traces, those of the window and of some minutes before it. */
function scores({ projectId, windowMinutes, filter }: Window, before: number) {
  const { score, source = SCORE_ALERT_DEFAULTS.source, trace } = filter;
  const ofTrace =
    trace === undefined
      ? sql``
      : sql`and exists (
          select from observability.traces as named
          where named.project_id = ${projectId}::uuid and named.id = score.trace_id and named.name = ${trace}
        )`;
  return sql`
    select score.value, score.scored_at >= now() - ${windowMinutes} * interval '1 minute' as is_new from observability.scores as score
    where score.project_id = ${projectId}::uuid and score.name = ${score} and score.source = ${source} and score.value is not null
      and score.scored_at >= now() - ${windowMinutes + before} * interval '1 minute' and score.scored_at <= now()
      and ${isOfLiveTrace(sql`${projectId}::uuid`, "score.trace_id")} ${ofTrace}`;
}
