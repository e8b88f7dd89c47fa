import { runScript } from "#scripts.ts";
import { fillTexts, textsStatement } from "./fill-texts.ts";

/** How many traces go into one statement. */
const AT_ONCE = 50_000;
const DAYS = 30;
const RUN_SQL = "packages/foundation/testing/run-sql.ts";

export type Fill = {
  readonly url: string;
  readonly projectId: string;
  readonly otherId: string;
  readonly tenantId: string;
  readonly traces: number;
};

/**
 * Traces of the last thirty days, ten steps each, as agents of a middling company would have left them: few names, models and tools and
 * many users, sessions and words, each far more often some than others; with labels, tags, metadata and the lines that the list shows.
 * Inputs and outputs are left out, but for the words that traces are found by.
 */
export async function fillTraces(fill: Fill): Promise<void> {
  await fillTexts(fill.url, () => fillRows(fill));
}

async function fillRows({ url, projectId, otherId, tenantId, traces }: Fill): Promise<void> {
  const run = (statement: string) => runScript(RUN_SQL, url, statement);
  await run(
    `insert into observability.projects (id, tenant_id, name) values ('${projectId}', '${tenantId}', 'bench'), ('${otherId}', '${tenantId}', 'other')`,
  );
  await run(daysStatement());
  for (const [project, count] of [
    [projectId, traces],
    [otherId, Math.ceil(traces / 5)],
  ] as const) {
    for (let first = 0; first < count; first += AT_ONCE) {
      const last = Math.min(first + AT_ONCE, count) - 1;
      await run(
        `begin; select setseed(${(first % 1_000_000) / 1_000_000}); ${tracesStatement(project, first, last, count)}; ${stepsStatement(project, first, last)}; ${textsStatement(project, first, last)}; commit`,
      );
    }
    await run(`insert into observability.scores (project_id, trace_id, event_id, name, value, scored_at)
      select project_id, id, gen_random_uuid(), case when random() < 0.8 then 'helpful' else 'correct' end, round(random()::numeric, 2), sort_at
      from observability.traces where project_id = '${project}' and random() < 0.1`);
    await run(
      `insert into observability.trace_marks (project_id, trace_id) select project_id, id from observability.traces where project_id = '${project}'`,
    );
  }
  for (const table of ["traces", "observations", "scores"]) {
    await run(`vacuum analyze observability.${table}`);
  }
}

function daysStatement(): string {
  return `do $$ declare of_day date; parent text; begin
    for ahead in 0..${DAYS} loop
      of_day := (now() at time zone 'UTC')::date - ahead;
      foreach parent in array array['observations', 'payloads'] loop
        execute format('create table if not exists observability.%I partition of observability.%I for values in (%L)',
          parent || '_' || to_char(of_day, 'YYYYMMDD'), parent, of_day);
      end loop;
    end loop;
  end $$`;
}

/** Of a hundred, six failed, one runs, one waits, and one resumed another. */
function tracesStatement(project: string, first: number, last: number, count: number): string {
  return `
    insert into observability.traces (
      project_id, id, seen_at, start_event, start_producer, start_seq, name, started_at, thread_id, own_session_id, own_user_id, start_words,
      start_fields, start_line, end_line,
      end_event, end_producer, end_seq, ended_at, end_status, error, end_words, day, paused_at, resumed_from, resumed_at
    )
    select '${project}', id, at, gen_random_uuid(), producer, i * 22, 'agent-' || name, at, 'thread-' || session, 'session-' || session, 'user-' || person,
      ${wordsOf(30)} || array['agent', 'order' || i, 'user', person::text],
      array['environment:' || (array['production', 'production', 'staging', 'development'])[1 + i % 4], 'release:2026.' || (i * 4 / ${count}),
        'version:1.' || i % 10, 'tag:tag-' || floor(300 * power(random(), 3))::int, 'tag:team-' || name % 5,
        'metadata.plan:' || (array['free', 'free', 'pro', 'team'])[1 + i % 4], 'metadata.customer:customer-' || floor(5000 * power(random(), 2))::int],
      'Where is order ' || i || ' of customer ' || person || ', which was to be here last week?',
      case when not is_open then 'Order ' || i || ' was shipped on Tuesday and arrives tomorrow; here is its number.' end,
      case when not is_open then gen_random_uuid() end, case when not is_open then producer end, case when not is_open then i * 22 + 21 end,
      case when not is_open then at + seconds * interval '1 second' end,
      case when is_open then null when is_paused then 'interrupted' when has_failed then 'failure' else 'success' end,
      case when has_failed then (array['TimeoutError: the tool took too long', 'RateLimitError: 429', 'TypeError: undefined is not a function', 'ValidationError: order'])[1 + floor(random() * 4)::int] end,
      case when not is_open then ${wordsOf(20)} || array['answer'] end,
      (at at time zone 'UTC')::date, case when is_paused then 'checkpoint-' || i end, case when i % 100 = 1 then 'checkpoint-' || (i - 1) end,
      case when i % 100 = 1 then at end
    from (
      select *, (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text || '${project}'), 1, 3) || '8' || substr(md5(i::text || '${project}'), 4, 15))::uuid as id,
        ('00000000-0000-4000-8000-0000000000' || lpad(to_hex((i % 50)::int), 2, '0'))::uuid as producer
      from (
        select i, now() - interval '1 hour' - (${count} - i) * (interval '${DAYS - 2} days' / ${count}) as at,
          floor(40 * power(random(), 3))::int as name, floor(20000 * power(random(), 3))::int as person,
          (i / 100) * 20 + floor(20 * random())::int + (i % 100 <= 1)::int * 0 as loose, (i / 100) as block,
          exp(random() * 6) as seconds, i % 100 = 0 as is_paused, i % 100 = 2 as is_open, i % 17 = 3 as has_failed
        from generate_series(${first}, ${last}) as i
      ) as drawn cross join lateral (select case when i % 100 <= 1 then block * 20 else loose end as session) as placed
    ) as trace`;
}

/** Random words, other ones in each row. */
function wordsOf(count: number): string {
  return `array(select 'w' || floor(50000 * power(random(), 4))::int from generate_series(1, ${count}) where i is not null)`;
}

function stepsStatement(project: string, first: number, last: number): string {
  return `
    insert into observability.observations (
      project_id, trace_id, id, seen_at, start_event, start_producer, start_seq, parent_id, kind, name, started_at, start_model, code,
      end_event, end_producer, end_seq, ended_at, duration_ms, end_status, error, input_tokens, output_tokens, cache_read_tokens, day
    )
    select trace.project_id, trace.id, gen_random_uuid(), at, gen_random_uuid(), trace.start_producer, trace.start_seq + step, null,
      kind, case kind when 'node' then 'node-' || floor(60 * power(random(), 2))::int when 'tool' then 'tool-' || floor(80 * power(random(), 3))::int when 'llm' then 'call' else 'run' end,
      at, case when kind = 'llm' then (array['gpt-5.4', 'gpt-5.4-mini', 'claude-sonnet-4-6', 'claude-haiku-4-5', 'gpt-5.4-nano', 'claude-opus-4-6', 'own-model', 'rare-model'])[1 + floor(8 * power(random(), 3))::int] end,
      case when kind = 'tool' then json_build_object('repo', 'acme/agents', 'commit', md5((trace.start_seq / 2000000)::text), 'file', 'src/tools/tool-' || floor(80 * power(random(), 3))::int || '.ts', 'line', 12) end,
      gen_random_uuid(), trace.start_producer, trace.start_seq + step + 10, at + interval '1 second', 1000 * random(),
      case when trace.end_status = 'failure' and step = 9 then 'failure' else 'success' end, case when trace.end_status = 'failure' and step = 9 then trace.error end,
      case when kind = 'llm' then floor(exp(5 + random() * 5))::bigint end, case when kind = 'llm' then floor(exp(3 + random() * 4))::bigint end,
      case when kind = 'llm' then floor(100 * random())::bigint end, trace.day
    from observability.traces as trace
    cross join lateral (
      select step, trace.sort_at + step * interval '1 second' as at, (array['graph', 'node', 'llm', 'tool', 'node', 'llm', 'tool', 'node', 'llm', 'tool'])[step + 1] as kind
      from generate_series(0, 9) as step
    ) as said
    where trace.project_id = '${project}' and trace.start_seq between ${first}::bigint * 22 and ${last}::bigint * 22`;
}
