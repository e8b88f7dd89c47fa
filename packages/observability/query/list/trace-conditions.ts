import { escapeLike, translateGlob } from "@sightline/foundation/patterns";
import { sql, type RawBuilder } from "kysely";
import { toMoments, type NumberRange, type TextValue, type TraceTerm } from "#contract.ts";
import type { Query } from "#schema.ts";
import { selectEntryStatus } from "#query/steps/abandoned.store.ts";
import { columnOfField } from "#counting/entry-columns.ts";
import { listSearchWords } from "#store/search-words.ts";
import { TEXT_COLUMNS } from "./field-values.ts";
import { selectLostEvents } from "./lost-events.ts";

type Condition = RawBuilder<boolean>;
export type TextTerm = Extract<TraceTerm, { kind: "text" }>;

export type Context = {
  readonly query: Query;
  readonly projectId: string;
  readonly now: Date;
  /** Whether the groups know all values, so that patterns can be looked up in them. */
  readonly isCounted: boolean;
  /** Whether the newest are looked for first. */
  readonly isByTime: boolean;
};

/** Values of one pattern; of more, each trace is looked at. */
const MAX_VALUES = 1_000;
/** Characters of a value that its key is made of. */
const MAX_KEY_VALUE = 200;

/** A term, or a part of a text field in either case. */
export type ListTerm = TraceTerm | { readonly kind: "part"; readonly field: string; readonly text: string; readonly isNegated: boolean };

/** What terms ask of an `entry`. */
export async function conditionsOf(terms: readonly ListTerm[], context: Context): Promise<readonly Condition[]> {
  const conditions: Condition[] = [];
  for (const term of terms) {
    // One after the other: a query of many terms must not take every connection there is.
    const condition = await conditionOf(term, context);
    // Not `not`, which of what is unknown makes unknown.
    conditions.push(term.isNegated ? sql<boolean>`(${condition}) is not true` : condition);
  }
  return conditions;
}

/** By these numbers entries are found that have the values, or the words. */
async function keysOf({ query, projectId }: Context, field: string, values: readonly string[]): Promise<readonly string[]> {
  // As parameters, not inside the statement: the plan depends on how often they occur.
  const { rows } = await sql<{ key: string }>`
    select observability.trace_key(${projectId}::uuid, ${field}, value)::text as key from unnest(${values}::text[]) as value`.execute(
    query,
  );
  return rows.map(({ key }) => key);
}

async function hasKeys(context: Context, field: string, values: readonly string[], mode: "any" | "all"): Promise<Condition> {
  const keys = await keysOf(context, field, values);
  return mode === "any" ? sql<boolean>`entry.keys && ${keys}::bigint[]` : sql<boolean>`entry.keys @> ${keys}::bigint[]`;
}

async function conditionOf(term: ListTerm, context: Context): Promise<Condition> {
  switch (term.kind) {
    case "part": {
      const pattern = likeOf({ text: term.text, isPattern: false }, "%");
      const found = await valuesLike(term.field, [pattern], context);
      return found === undefined ? hasLike(term.field, pattern) : hasAny(term.field, found, context);
    }
    case "words":
      return hasKeys(context, "word", listSearchWords([term.text]), "all");
    case "text":
      return textCondition(term, context);
    case "choice":
      return choiceCondition(term.field, term.values, context);
    case "time":
      return anyOf(
        term.ranges.map((range) => {
          const { from, to } = toMoments(range, context.now.getTime());
          return allOf([
            ...(from === undefined ? [] : [sql<boolean>`entry.sort_at >= ${new Date(from)}`]),
            ...(to === undefined ? [] : [sql<boolean>`entry.sort_at < ${new Date(to)}`]),
          ]);
        }),
      );
    case "number":
      return allOf([
        ...(term.score === undefined ? [] : [await hasKeys(context, "score", [term.score], "all")]),
        anyOf(
          await Promise.all(
            term.ranges.map(async (range) => (term.field === "lost" ? lostCondition(range, context) : numberCondition(term, range))),
          ),
        ),
      ]);
    default:
      return term satisfies never;
  }
}

async function textCondition({ field, values }: TextTerm, context: Context): Promise<Condition> {
  if (field === "error") {
    return anyOf(
      values.map((value) =>
        allOf([
          sql<boolean>`entry.error is not null`,
          asInOrder(sql<boolean>`lower(entry.error) like lower(${likeOf(value, "%")})`, context),
        ]),
      ),
    );
  }
  const { known, unknown } = await knownValues({ field, values }, context);
  return anyOf([...(known.length > 0 ? [await hasAny(field, known, context)] : []), ...unknown.map((pattern) => hasLike(field, pattern))]);
}

type Known = {
  /** The values that are meant. */
  readonly known: readonly string[];
  /** Patterns for `like` of which nobody knows all values. */
  readonly unknown: readonly string[];
};

/** The values that a term means, of any field but `error`. */
export async function knownValues({ field, values }: Pick<TextTerm, "field" | "values">, context: Context): Promise<Known> {
  const isPath = field === "code";
  const exact = values.filter(({ isPattern }) => !isPattern && !isPath).map(({ text }) => text);
  const patterns = values
    .filter(({ isPattern }) => isPattern || isPath)
    .flatMap((value) => (isPath ? [likeOf(value), `%/${likeOf(value)}`] : [likeOf(value)]));
  const found = patterns.length === 0 ? [] : await valuesLike(field, patterns, context);
  return { known: [...exact, ...(found ?? [])], unknown: found === undefined ? patterns : [] };
}

/** Undefined when there are too many, or not all are known. */
async function valuesLike(field: string, patterns: readonly string[], context: Context): Promise<readonly string[] | undefined> {
  if (!context.isCounted) {
    return undefined;
  }
  const { rows } = await sql<{ value: string }>`
    select value from observability.trace_groups
    where project_id = ${context.projectId} and field = ${field} and lower(value) like any(array(select lower(unnest(${patterns}::text[]))))
    limit ${MAX_VALUES + 1}`.execute(context.query);
  // The beginning of a longer value is all that a group knows of it.
  const isCut = rows.some(({ value }) => value.length >= MAX_KEY_VALUE);
  return rows.length > MAX_VALUES || isCut ? undefined : rows.map(({ value }) => value);
}

async function hasAny(field: string, values: readonly string[], context: Context): Promise<Condition> {
  const column = TEXT_COLUMNS[field];
  return column === undefined
    ? allOf([await hasKeys(context, field, values, "any"), ...(await boundsOf(context, field, values))])
    : sql<boolean>`${sql.ref(`entry.${column}`)} = any(${values}::text[])`;
}

/** When traces with the values began, so that a list by time does not look for what is long past from its beginning on. */
async function boundsOf({ query, projectId, isCounted }: Context, field: string, values: readonly string[]): Promise<readonly Condition[]> {
  const { rows } = await sql<{ earliest: string; latest: string }>`
    select min(earliest)::text as earliest, max(latest)::text as latest from observability.trace_groups
    where ${isCounted} and project_id = ${projectId} and field = ${field} and value = any(array(
      select left(said, ${MAX_KEY_VALUE}) from unnest(${values}::text[]) as said
    ))
    having bool_and(earliest is not null and latest is not null)`.execute(query);
  return rows.map(({ earliest, latest }) => sql<boolean>`entry.sort_at between ${earliest}::timestamptz and ${latest}::timestamptz`);
}

function hasLike(field: string, pattern: string): Condition {
  const column = TEXT_COLUMNS[field];
  return column === undefined
    ? sql<boolean>`exists (select from unnest(entry.fields) as said where lower(said) like lower(${`${field}:${pattern}`}))`
    : sql<boolean>`lower(${sql.ref(`entry.${column}`)}) like lower(${pattern})`;
}

async function choiceCondition(field: string, values: readonly string[], context: Context): Promise<Condition> {
  if (field === "kind") {
    return hasKeys(context, "kind", values, "any");
  }
  if (field === "has") {
    return anyOf(await Promise.all(values.map((value) => hasCondition(value, context))));
  }
  const [isRunning, isAbandoned] = [values.includes("running"), values.includes("abandoned")];
  const ended = values.filter((value) => value !== "running" && value !== "abandoned");
  const open =
    isRunning && isAbandoned
      ? [sql<boolean>`entry.status = 'running'`]
      : [...(isRunning ? [isOpen("running", context)] : []), ...(isAbandoned ? [isOpen("abandoned", context)] : [])];
  return anyOf([...(ended.length > 0 ? [sql<boolean>`entry.status = any(${ended}::text[])`] : []), ...open]);
}

function isOpen(status: "running" | "abandoned", context: Context): Condition {
  return allOf([
    sql<boolean>`entry.status = 'running'`,
    asInOrder(sql<boolean>`${selectEntryStatus(context.projectId)} = ${status}`, context),
  ]);
}

/**
 * A condition of which a planner knows nothing, and thinks that hardly any row meets it: then it reads all rows there may be and sorts them.
 * Of a case it thinks that every other does, and goes along the index by time until a page is full. That index is of the few rows in question
 * only; the indexes by which else is sorted are of all.
 */
function asInOrder(condition: Condition, { isByTime }: Context): Condition {
  return isByTime ? sql<boolean>`case when ${condition} then true end` : condition;
}

async function hasCondition(value: string, context: Context): Promise<Condition> {
  switch (value) {
    case "error":
      return sql<boolean>`entry.error is not null`;
    case "score":
      return sql<boolean>`entry.scores <> '[]'::jsonb`;
    case "cost":
      return sql<boolean>`entry.cost is not null`;
    default:
      return lostCondition({ min: 0, withMin: false, withMax: false }, context);
  }
}

/** Gaps are rare: only where there are some of its producers is a trace looked at. */
async function lostCondition(range: NumberRange, context: Context): Promise<Condition> {
  const { rows } = await sql<{ producer: string }>`
    select distinct producer_id::text as producer from observability.ingest_gaps where project_id = ${context.projectId}::uuid`.execute(
    context.query,
  );
  const mayHave = await hasKeys(
    context,
    "producer",
    rows.map(({ producer }) => producer),
    "any",
  );
  const isNothing = isNumberWithin(0, range) ? sql<boolean>`not ${mayHave}` : sql<boolean>`false`;
  const lost = selectLostEvents(context.projectId);
  const within = rows.length === 0 ? [] : [allOf([mayHave, isWithin(lost, range)])];
  return anyOf([isNothing, ...within]);
}

function isNumberWithin(value: number, { min = -Infinity, max = Infinity, withMin, withMax }: NumberRange): boolean {
  return (value > min || (withMin && value === min)) && (value < max || (withMax && value === max));
}

function numberCondition({ field, score }: Extract<TraceTerm, { kind: "number" }>, range: NumberRange): Condition {
  if (score !== undefined) {
    const value = sql`(
      select (said ->> 'value')::double precision from jsonb_array_elements(entry.scores) as said where said ->> 'name' = ${score} limit 1
    )`;
    return isWithin(value, range);
  }
  const within = isWithin(sql.ref(`entry.${columnOfField(field)}`), range);
  // What was read or written is a part of both together, by which there is an index.
  const isPart = field.endsWith("_tokens") && range.min !== undefined;
  return isPart ? allOf([within, isWithin(sql`entry.tokens`, { min: range.min, withMin: true, withMax: false })]) : within;
}

function isWithin(value: RawBuilder<unknown>, { min, max, withMin, withMax }: NumberRange): Condition {
  // Compared as they are kept: an index on whole numbers is of no use to others.
  const bound = (limit: number) => (Number.isSafeInteger(limit) ? sql`${limit}::bigint` : sql`${limit}::double precision`);
  return allOf([
    ...(min === undefined ? [] : [withMin ? sql<boolean>`${value} >= ${bound(min)}` : sql<boolean>`${value} > ${bound(min)}`]),
    ...(max === undefined ? [] : [withMax ? sql<boolean>`${value} <= ${bound(max)}` : sql<boolean>`${value} < ${bound(max)}`]),
  ]);
}

/** The pattern of a value for `like`; a value that is none is only itself, with `around` on both sides. */
function likeOf({ text, isPattern }: TextValue, around = ""): string {
  return isPattern ? translateGlob(text, { any: "%", quote: escapeLike }) : `${around}${escapeLike(text)}${around}`;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
