import { sql, type RawBuilder } from "kysely";
import type { TextValue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { boundSearch } from "#store/bound-search.ts";
import { selectBeginning } from "#store/segments.ts";
import { splitWords } from "#store/search-words.ts";
import { toArgumentWord } from "#text/list-texts.ts";
import { and, inOrder, type Context, type SqlCondition } from "./condition.ts";

/** As many texts, and then traces, are found before the list is read, which is then of no others. Of more, each trace is asked, in the list's order. */
const MAX_TEXTS = 25_000;
const MAX_TRACES = 25_000;
/** Texts among which each trace's are looked for by themselves. */
const FEW_TEXTS = 2_000;

/** What one text must have: all the words, and them behind each other where they are a phrase. */
export type Sought = { readonly words: readonly string[]; readonly isPhrase: boolean };

/** The words of a text, each by itself: they may be in different texts of a trace. */
export function soughtWords(text: string): readonly Sought[] {
  return [...new Set(splitWords(text))].map((word) => ({ words: [word], isPhrase: false }));
}

/** What a term of `text` or `args.…` looks for, any of it; nothing where it is of another field. */
export function soughtValues({ field, values }: { readonly field: string; readonly values: readonly TextValue[] }): readonly Sought[] {
  if (field === "text") {
    return values.map(({ text }) => ({ words: splitWords(text), isPhrase: true }));
  }
  const path = /^args\.(.+)$/.exec(field)?.[1];
  return path === undefined ? [] : values.map(({ text }) => ({ words: [toArgumentWord(path, text)], isPhrase: false }));
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
    return inOrder(await hasCommon(sought, isMeant, context), context);
  }
  const runs = await findSome(
    context,
    sql`
      select row.trace_id::text as id from unnest(${texts}::bigint[]) as text (id)
      cross join lateral (
        select trace_id from observability.text_references where project_id = ${project} and texts @> array[text.id] limit ${MAX_TRACES + 1}
      ) as row
      limit ${MAX_TRACES + 1}`,
  );
  if (runs.length > MAX_TRACES) {
    const isOne = sql`row.texts && ${texts}::bigint[]`;
    return inOrder(texts.length > FEW_TEXTS ? await hasCommon(sought, isMeant, context) : hasReference(project, isOne), context);
  }
  const beginnings = await findSome(
    context,
    sql`
      select distinct case when run.resumed_from is null then run.id else ${selectBeginning(project, sql`run.id`)} end::text as id
      from observability.traces as run where run.project_id = ${project} and run.id = any(${runs}::uuid[])`,
  );
  return sql<boolean>`entry.trace_id = any(${beginnings}::uuid[])`;
}

/** How many of the newest traces are tried, and how many of them are enough for a list to be full soon. */
const TRIED = 400;
const ENOUGH = 20;

/**
 * Of what is common each trace is asked, until the list's page is full: its texts are read where most traces have it, and where fewer do they are looked up
 * among all texts that have it, which takes a moment to find.
 */
async function hasCommon(sought: Sought, isMeant: SqlCondition, context: Context): Promise<SqlCondition> {
  const project = sql`${context.projectId}::uuid`;
  const isThere = and(listParts(sought).map((part) => sql<boolean>`strpos(text.words, ${part}) > 0`));
  const isRead = hasReference(
    project,
    sql`exists (select from observability.step_texts as text where text.project_id = ${project} and text.id = any(row.texts) and ${isThere})`,
  );
  const newest = sql`select runs from observability.trace_entries where project_id = ${project} order by sort_at desc, trace_id desc limit ${TRIED}`;
  const having = await findSome(context, sql`select '' as id from (${newest}) as entry where ${isRead} limit ${ENOUGH}`);
  // Not a plain `in`, which a plan may join, for each trace anew.
  const isOne = sql`case when said.id in (select text.id from observability.step_texts as text where ${isMeant}) then true end`;
  return having.length === ENOUGH ? isRead : hasReference(project, sql`exists (select from unnest(row.texts) as said (id) where ${isOne})`);
}

/** As they stand in the words of a text. */
export function listParts({ words, isPhrase }: Sought): readonly string[] {
  return isPhrase ? [` ${words.join(" ")} `] : words.map((word) => ` ${word} `);
}

function hasWords(project: RawBuilder<unknown>, sought: Sought, keys: readonly string[]): SqlCondition {
  const isPhraseThere =
    sought.isPhrase && sought.words.length > 1 ? [sql<boolean>`strpos(text.words, ${` ${sought.words.join(" ")} `}) > 0`] : [];
  return and([
    sql<boolean>`text.project_id = ${project}`,
    sql<boolean>`observability.text_keys(text.project_id, text.words) @> ${keys}::bigint[]`,
    ...isPhraseThere,
  ]);
}

function hasReference(project: RawBuilder<unknown>, isOne: RawBuilder<unknown>): SqlCondition {
  return sql<boolean>`exists (
    select from observability.text_references as row where row.project_id = ${project} and row.trace_id = any(entry.runs) and ${isOne}
  )`;
}

/** By the indexes: nothing tells a plan how many rows there are, and it might go through all of them in the belief that the first few do. */
async function findSome({ query }: Context, statement: RawBuilder<unknown>): Promise<readonly string[]> {
  const find = async (inside: Query) => (await sql<{ id: string }>`${statement}`.execute(inside)).rows.map(({ id }) => id);
  if (query.isTransaction) {
    return find(query);
  }
  return query.transaction().execute(async (transaction) => {
    await boundSearch(transaction);
    await sql`select set_config('enable_seqscan', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`.execute(
      transaction,
    );
    return find(transaction);
  });
}
