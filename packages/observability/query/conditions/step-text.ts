import { sql, type RawBuilder } from "kysely";
import type { TextValue, TraceTerm } from "#contract.ts";
import type { Query } from "#schema.ts";
import { selectBeginning } from "#store/segments.ts";
import { splitWords } from "#store/search-words.ts";
import { toArgumentWord } from "#text/list-texts.ts";
import { inOrder, type Context, type SqlCondition } from "./condition.ts";

/** As many texts, and then traces, are found before the list is read, which is then of no others. Of more, each trace is asked, in the list's order. */
const MAX_TEXTS = 2_000;
const MAX_TRACES = 5_000;

/** What one text must have: all the words, and them behind each other where they are a phrase. */
export type Sought = { readonly words: readonly string[]; readonly isPhrase: boolean };

/** What a term looks for in texts: every word of it somewhere in the trace, or one of its phrases or arguments. */
export function soughtBy(term: Pick<TraceTerm & { readonly kind: "text" }, "field" | "values">): readonly Sought[] {
  return term.values.map((value) => soughtByValue(term.field, value));
}

function soughtByValue(field: string, { text }: TextValue): Sought {
  return field === "text"
    ? { words: splitWords(text), isPhrase: true }
    : { words: [toArgumentWord(field.slice("args.".length), text)], isPhrase: false };
}

/** Whether a text of an `entry`'s trace, or of a step of it, has what is sought. */
export async function hasText(sought: Sought, context: Context): Promise<SqlCondition> {
  const { query, projectId } = context;
  const project = sql`${projectId}::uuid`;
  const { rows: keys } = await sql<{ keys: string[] }>`
    select observability.text_keys(${project}, ${sought.words.join(" ")})::text[] as keys`.execute(query);
  const isMeant = hasWords(project, sought, keys[0]?.keys ?? []);
  const texts = await findSome(
    context,
    sql`select id::text as id from observability.step_texts as text where ${isMeant} limit ${MAX_TEXTS + 1}`,
  );
  if (texts.length > MAX_TEXTS) {
    // Not a plain `in`, which a plan may join, for each trace anew.
    const isOne = sql`case when said.id in (select text.id from observability.step_texts as text where ${isMeant}) then true end`;
    return inOrder(hasReference(project, sql`exists (select from unnest(row.texts) as said (id) where ${isOne})`), context);
  }
  const isOne = sql`row.texts && ${texts}::bigint[]`;
  const runs = await findSome(
    context,
    sql`select distinct trace_id::text as id from observability.text_references as row where project_id = ${project} and ${isOne} limit ${MAX_TRACES + 1}`,
  );
  if (runs.length > MAX_TRACES) {
    return inOrder(hasReference(project, isOne), context);
  }
  const beginnings = await findSome(
    context,
    sql`
      select distinct case when run.resumed_from is null then run.id else ${selectBeginning(project, sql`run.id`)} end::text as id
      from observability.traces as run where run.project_id = ${project} and run.id = any(${runs}::uuid[])`,
  );
  return sql<boolean>`entry.trace_id = any(${beginnings}::uuid[])`;
}

function hasWords(project: RawBuilder<unknown>, { words, isPhrase }: Sought, keys: readonly string[]): SqlCondition {
  const isPhraseThere = isPhrase && words.length > 1 ? sql`strpos(text.words, ${` ${words.join(" ")} `}) > 0` : sql`true`;
  return sql<boolean>`text.project_id = ${project} and observability.text_keys(text.project_id, text.words) @> ${keys}::bigint[] and ${isPhraseThere}`;
}

function hasReference(project: RawBuilder<unknown>, isOne: RawBuilder<unknown>): SqlCondition {
  return sql<boolean>`exists (
    select from observability.text_references as row where row.project_id = ${project} and row.trace_id = any(entry.runs) and ${isOne}
  )`;
}

/** By the indexes of words: nothing tells a plan how many rows there are, and it might go through all of them in the belief that the first few do. */
async function findSome({ query }: Context, statement: RawBuilder<unknown>): Promise<readonly string[]> {
  const find = async (transaction: Query) => {
    await sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`.execute(transaction);
    const { rows } = await sql<{ id: string }>`${statement}`.execute(transaction);
    await sql`select set_config('enable_seqscan', 'on', true)`.execute(transaction);
    return rows.map(({ id }) => id);
  };
  return query.isTransaction ? find(query) : query.transaction().execute(find);
}
