import { isAlike, isAlikeAny } from "@sightline/foundation/database/fold-case";
import { escapeLike, likeContaining, translateGlob } from "@sightline/foundation/patterns";
import { sql } from "kysely";
import type { TextValue } from "#contract.ts";
import { TEXT_COLUMNS } from "#counting/entry-columns.ts";
import { and, or, type Context, type SqlCondition, type TraceCondition } from "./condition.ts";

/** Values of one pattern; of more, each trace is looked at. */
const MAX_VALUES = 1_000;
/** Characters of a value that its key is made of. */
const MAX_KEY_VALUE = 200;

/** Whether a text field has one of the values; a file is meant by the end of its path, too, and all versions of a prompt by its name. */
export function hasValue(field: string, values: readonly TextValue[], context: Context): Promise<TraceCondition> {
  const meant = values.map((value) => ({ ...value, also: patternBeside(field, value) }));
  const patterns = meant
    .filter(({ isPattern, also }) => isPattern || also !== undefined)
    .flatMap(({ also, ...value }) => [likePattern(value), ...(also === undefined ? [] : [also])]);
  const exact = meant.filter(({ isPattern, also }) => !isPattern && also === undefined).map(({ text }) => text);
  return hasAny(field, { exact, patterns }, context);
}

function patternBeside(field: string, value: TextValue): string | undefined {
  if (field === "code") {
    return `%/${likePattern(value)}`;
  }
  return field === "prompt" && !value.text.includes("@") ? `${likePattern(value)}@%` : undefined;
}

/** Whether a text field has the text in it, in either case. */
export function hasPart(field: string, text: string, context: Context): Promise<TraceCondition> {
  return hasAny(field, { exact: [], patterns: [likeContaining(text)] }, context);
}

/** A longer value is only told apart by its entries' keys, which know as much of it. */
export function valuesTest(field: string, values: readonly string[]): Pick<TraceCondition, "columns"> {
  return values.every((value) => value.length < MAX_KEY_VALUE) ? { columns: { kind: "values", field, values } } : {};
}

type Meant = Readonly<Record<"exact" | "patterns", readonly string[]>>;

async function hasAny(field: string, { exact, patterns }: Meant, context: Context): Promise<TraceCondition> {
  const found = patterns.length === 0 ? [] : await findValues(field, patterns, context);
  const values = [...exact, ...(found ?? [])];
  const known = values.length === 0 ? [] : [await hasOneOf(field, values, context)];
  return found === undefined
    ? { sql: or([...known, ...patterns.map((pattern) => isLike(field, pattern))]) }
    : { sql: or(known), ...valuesTest(field, values) };
}

/** Undefined when there are too many, or not all are known. */
async function findValues(field: string, patterns: readonly string[], context: Context): Promise<readonly string[] | undefined> {
  if (!context.isCounted) {
    return undefined;
  }
  const { rows } = await sql<{ value: string }>`
    select value from observability.trace_groups
    where project_id = ${context.projectId} and field = ${field} and ${isAlikeAny(sql`value`, patterns)}
    limit ${MAX_VALUES + 1}`.execute(context.query);
  // The beginning of a longer value is all that a group knows of it.
  const isCut = rows.some(({ value }) => value.length >= MAX_KEY_VALUE);
  return rows.length > MAX_VALUES || isCut ? undefined : rows.map(({ value }) => value);
}

async function hasOneOf(field: string, values: readonly string[], context: Context): Promise<SqlCondition> {
  const column = TEXT_COLUMNS[field];
  return column === undefined
    ? and([await hasKeys(field, values, "any", context), ...(await beganWithin(field, values, context))])
    : sql<boolean>`${sql.ref(`entry.${column}`)} = any(${values}::text[])`;
}

/** Entries have keys of their fields' values, and of words, scores and producers. */
export async function hasKeys(field: string, values: readonly string[], mode: "any" | "all", context: Context): Promise<SqlCondition> {
  const { rows } = await sql<{ key: string }>`
    select observability.trace_key(${context.projectId}::uuid, ${field}, value)::text as key
    from unnest(${values}::text[]) as value`.execute(context.query);
  // As parameters, not inside the statement: the plan depends on how often they occur.
  const keys = rows.map(({ key }) => key);
  return mode === "any" ? sql<boolean>`entry.keys && ${keys}::bigint[]` : sql<boolean>`entry.keys @> ${keys}::bigint[]`;
}

/** When traces with the values began, so that a list by time does not look for what is long past from its beginning on. */
async function beganWithin(field: string, values: readonly string[], context: Context): Promise<readonly SqlCondition[]> {
  const { rows } = await sql<{ earliest: string; latest: string }>`
    select min(earliest)::text as earliest, max(latest)::text as latest from observability.trace_groups
    where ${context.isCounted} and project_id = ${context.projectId} and field = ${field} and value = any(array(
      select left(value, ${MAX_KEY_VALUE}) from unnest(${values}::text[]) as value
    ))
    having bool_and(earliest is not null and latest is not null)`.execute(context.query);
  return rows.map(({ earliest, latest }) => sql<boolean>`entry.sort_at between ${earliest}::timestamptz and ${latest}::timestamptz`);
}

function isLike(field: string, pattern: string): SqlCondition {
  const column = TEXT_COLUMNS[field];
  return column === undefined
    ? sql<boolean>`exists (select from unnest(entry.fields) as field where ${isAlike(sql`field`, `${field}:${pattern}`)})`
    : isAlike(sql.ref(`entry.${column}`), pattern);
}

/** The pattern of `like` for a value; one that is no pattern is meant literally. */
export function likePattern({ text, isPattern }: TextValue, quote = escapeLike): string {
  return isPattern ? translateGlob(text, { any: "%", quote: escapeLike }) : quote(text);
}
