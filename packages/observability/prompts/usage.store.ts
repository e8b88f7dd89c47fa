import { sql } from "kysely";
import { MAX_USED_CALLS, MAX_USED_VERSIONS, type PromptUsage } from "#contract.ts";
import { selectCost, selectPrice } from "#prices/select-price.ts";
import type { Query } from "#schema.ts";
import { isOfLiveTrace } from "#store/live-traces.ts";

type Wanted = { readonly projectId: string; readonly prompt: { readonly name: string; readonly version: number }; readonly since: Date };

/**
 * What the model calls of each of the newest versions did, newest version first; of one that was not used nothing. The reader may see the
 * prompt.
 */
export async function listUsage(query: Query, { projectId, prompt, since }: Wanted): Promise<readonly PromptUsage[]> {
  const project = sql`${projectId}::uuid`;
  const versions = Array.from({ length: Math.min(prompt.version, MAX_USED_VERSIONS) }, (_, at) => prompt.version - at);
  const names = versions.map((version) => `${prompt.name}@${version}`);
  const { rows } = await sql<PromptUsage>`
    with call as materialized (
      select step.*
      from unnest(${names}::text[]) as wanted (prompt)
      cross join lateral (
        select prompt, trace_id, id, model, hour, end_status, duration_ms, input_tokens, output_tokens, uncached_tokens, cache_read_tokens,
          cache_write_tokens, reported_cost
        from observability.observations as observation
        where project_id = ${project} and prompt = wanted.prompt and hour >= date_bin('1 hour', ${since}::timestamptz, timestamptz 'epoch')
          and ${isOfLiveTrace(project, "observation.trace_id")}
        order by hour desc limit ${MAX_USED_CALLS}
      ) as step
    ), priced as materialized (
      select used.model, used.hour, price.* from (select distinct model, hour from call) as used
      cross join lateral ${selectPrice(project, sql`used.model`, sql`used.hour`)} as price
    ), total as (
      select call.prompt, count(distinct call.trace_id)::int as traces, count(*)::int as calls,
        (count(*) filter (where call.end_status = 'failure'))::int as failed_calls,
        sum(coalesce(call.input_tokens, 0) + coalesce(call.output_tokens, 0))
          filter (where call.input_tokens is not null or call.output_tokens is not null)::bigint as tokens,
        sum(${selectCost("call", "price")}) as cost, avg(call.duration_ms) as mean_duration_ms
      from call left join priced as price on price.model = call.model and price.hour = call.hour
      group by call.prompt
    ), scored as (
      select given.prompt, given.name, given.source, avg(given.value) as mean, count(*)::int as count
      from (
        select distinct call.prompt, score.trace_id, score.event_id, score.name, score.source, score.value
        from call join observability.scores as score on score.project_id = ${project} and score.trace_id = call.trace_id
          and (score.observation_id is null or score.observation_id = call.id) and score.value is not null
      ) as given
      group by given.prompt, given.name, given.source
    )
    select substr(total.prompt, ${prompt.name.length + 2})::int as version, total.traces, total.calls, total.failed_calls, total.tokens, total.cost,
      total.mean_duration_ms, coalesce((
        select json_agg(json_build_object('name', name, 'source', source, 'mean', mean, 'count', count) order by name, source)
        from scored where scored.prompt = total.prompt
      ), '[]') as scores
    from total order by version desc`.execute(query);
  return rows;
}
