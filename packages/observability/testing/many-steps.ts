import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Query } from "#schema.ts";

type ManyOptions = {
  readonly projectId: string;
  readonly traceId: string;
  readonly at: Date;
  readonly rounds?: number;
};

/** Of a round: a node of the graph, a model call in it, and tool calls below that. */
const CHILDREN = 98;

/** One trace of a graph that goes round: `rounds` × 100 steps, each with an input and an output. Made by the database itself. */
export async function seedManySteps(query: Query, { projectId, traceId, at, rounds = 200 }: ManyOptions): Promise<void> {
  const producer = uuidv7();
  const begin = sql`${at}::timestamptz`;
  await sql`
    insert into observability.traces (project_id, id, seen_at, start_event, start_producer, start_seq, name, started_at, thread_id, own_session_id,
      own_user_id, end_event, end_producer, end_seq, ended_at, end_status, start_words)
    values (${projectId}, ${traceId}, ${begin}, gen_random_uuid(), ${producer}, 1, 'twenty thousand steps', ${begin}, 'thread of many', 'hostile', 'user-1',
      gen_random_uuid(), ${producer}, ${rounds * 400}, ${begin} + ${rounds * 5} * interval '1 second', 'success', array['steps', 'thousand', 'twenty'])`.execute(
    query,
  );
  await sql`
    insert into observability.observations (project_id, trace_id, id, day, seen_at, start_event, start_producer, start_seq, parent_id, kind, name,
      started_at, start_model, code, graph_step, end_event, end_producer, end_seq, ended_at, duration_ms, end_status, error, input_tokens,
      output_tokens, next)
    select ${projectId}::uuid, trace.id, step.id, trace.day, step.begin, gen_random_uuid(), ${producer}::uuid, step.seq,
      case step.place when 0 then null when 1 then step.node else step.call end,
      case step.place when 0 then 'node' when 1 then 'llm' else 'tool' end,
      case step.place when 0 then (array['plan', 'search', 'write', 'check'])[1 + step.round % 4] when 1 then 'chat' else 'tool_' || step.place % 12 end,
      step.begin, case when step.place = 1 then 'gpt-4o-mini' end,
      json_build_object('repo', 'acme/agent', 'commit', 'c0ffee', 'file', 'src/agent.ts', 'line', 10 + step.place),
      case when step.place = 0 then json_build_object('task', 'round:' || step.round, 'step', step.round + 1,
        'triggers', json_build_array('branch:to:' || (array['plan', 'search', 'write', 'check'])[1 + step.round % 4])) end,
      gen_random_uuid(), ${producer}::uuid, step.seq + 1, step.begin + step.took * interval '1 millisecond', step.took,
      case when step.place > 1 and (step.round * 100 + step.place) % 997 = 0 then 'failure' else 'success' end,
      case when step.place > 1 and (step.round * 100 + step.place) % 997 = 0 then 'TimeoutError: the shop did not answer' end,
      case when step.place = 1 then 1200 end, case when step.place = 1 then 150 end,
      case when step.place = 0 then json_build_array(json_build_object('to', (array['plan', 'search', 'write', 'check'])[1 + (step.round + 1) % 4], 'via', 'conditional')) end
    from observability.traces as trace
    cross join lateral (
      select round.number as round, place, 2 + round.number * 300 + place * 2 as seq,
        case place when 0 then round.node when 1 then round.call else gen_random_uuid() end as id, round.node, round.call,
        ${begin} + round.number * interval '5 seconds' + place * interval '40 milliseconds' as begin,
        case place when 0 then 4990 when 1 then 4900 else 10 + (place * 7) % 30 end::double precision as took
      from (select number, gen_random_uuid() as node, gen_random_uuid() as call from generate_series(0, ${rounds - 1}) as number offset 0) as round
      cross join generate_series(0, ${CHILDREN + 1}) as place
    ) as step
    where trace.project_id = ${projectId} and trace.id = ${traceId}`.execute(query);
  await sql`
    insert into observability.payloads (project_id, trace_id, event_id, owner_id, part, seq, value, attributes, day)
    select step.project_id, step.trace_id, half.event, step.id, half.part, half.seq,
      json_build_object('question', 'Where is order ' || half.seq || '?', 'found', repeat('It was shipped. ', 8)), json_build_object('round', half.seq / 300), step.day
    from observability.observations as step
    cross join lateral (values (step.start_event, 'start', step.start_seq), (step.end_event, 'end', step.end_seq)) as half (event, part, seq)
    where step.project_id = ${projectId} and step.trace_id = ${traceId}`.execute(query);
  await sql`
    insert into observability.hourly_marks (project_id, day, hour)
    select distinct project_id, day, hour from observability.observations where project_id = ${projectId} and trace_id = ${traceId}`.execute(
    query,
  );
}
