import { runScript } from "#scripts.ts";

const RUN_SQL = "packages/foundation/testing/run-sql.ts";

/** Texts of a trace's own, of 40 words each; beside them it has its agent's prompt, which all runs of that agent share, and what a tool was given. */
const TEXTS = 6;

/** How each of the indexes is dropped and made: a table is filled faster without. */
export async function fillTexts(url: string, fill: () => Promise<void>): Promise<void> {
  const indexes = JSON.parse(
    await runScript(
      RUN_SQL,
      url,
      "select indexname as name, indexdef as made from pg_indexes where indexname in ('step_texts_by_key', 'text_references_by_text')",
    ),
  ) as readonly { readonly name: string; readonly made: string }[];
  for (const { name } of indexes) {
    await runScript(RUN_SQL, url, `drop index observability.${name}`);
  }
  await fill();
  for (const { made } of indexes) {
    await runScript(RUN_SQL, url, `set maintenance_work_mem = '1GB'; ${made}`);
  }
  for (const table of ["step_texts", "text_references"]) {
    await runScript(RUN_SQL, url, `vacuum analyze observability.${table}`);
  }
}

/** The texts of the traces between two numbers, as they would have been found in what their steps said. */
export function textsStatement(project: string, first: number, last: number): string {
  return `
    create temp table said on commit drop as
    select trace.id as trace_id, step.id as step, words, hashtextextended(words, 0) as text
    from observability.traces as trace
    cross join lateral (
      select array_agg(id) as ids from observability.observations as step
      where step.project_id = '${project}' and step.trace_id = trace.id and step.day = trace.day
    ) as steps
    cross join lateral (
      select steps.ids[1 + number] as step, ' ' || array_to_string(array(
        select 't' || floor(50000 * power(random(), 4))::int from generate_series(1, 40) where trace.start_seq is not null and number > 0
      ), ' ') || ' ' as words from generate_series(1, ${TEXTS}) as number
      union all select steps.ids[1], ' you help the customers of northwind as ' || trace.name || ' '
      union all select steps.ids[8], ' args.order_id:A-' || trace.start_seq / 22 || ' '
    ) as given
    cross join lateral (select given.step as id) as step
    where trace.project_id = '${project}' and trace.start_seq between ${first}::bigint * 22 and ${last}::bigint * 22;
    insert into observability.step_texts (project_id, id, words) select distinct on (text) '${project}'::uuid, text, words from said on conflict do nothing;
    insert into observability.text_references (project_id, trace_id, texts, steps)
    select '${project}', trace_id, array_agg(text), array_agg(step) from said group by trace_id`;
}
