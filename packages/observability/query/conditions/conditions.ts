import { isAlike } from "@sightline/foundation/database/fold-case";
import { likeContaining } from "@sightline/foundation/patterns";
import { sql } from "kysely";
import { toMoments, type TraceTerm } from "#contract.ts";
import { columnOfField } from "#counting/entry-columns.ts";
import { PACKED_NUMBERS } from "#counting/packed-columns.ts";
import { entryStatus } from "#query/steps/abandoned.store.ts";
import { listTraceIds } from "#identifiers.ts";
import { isLive } from "#store/live-traces.ts";
import { listSearchWords } from "#store/search-words.ts";
import { selectBeginning } from "#store/segments.ts";
import { and, inOrder, or, type Context, type HourTest, type SqlCondition, type TraceCondition } from "./condition.ts";
import { hasLost } from "./lost-events.ts";
import { ANY_NUMBER, isWithinInSql } from "./number-range.ts";
import { hasText, soughtValues, soughtWords, type Sought } from "./step-text.ts";
import { hasKeys, hasPart, hasValue, likePattern, valuesTest } from "./text-values.ts";

/** A term, or a part of a text field in either case. */
export type ListTerm = TraceTerm | { readonly kind: "part"; readonly field: string; readonly text: string; readonly isNegated: boolean };
type Kind = ListTerm["kind"];
type Term<Of extends Kind> = Extract<ListTerm, { readonly kind: Of }>;
type Resolve<Of extends Kind> = (term: Term<Of>, context: Context) => TraceCondition | Promise<TraceCondition>;
type ResolvedCondition = {
  readonly sql: SqlCondition;
  /** Undefined when packed hours cannot answer it. */ readonly columns: HourTest | undefined;
};
type Conditions = { readonly [Of in Kind]: Readonly<Record<string, Resolve<Of>>> };

/** Each condition of the query, once: by the kind of a term and its field; `any` is of the kind's other fields. */
export const CONDITIONS = {
  words: { any: hasWords },
  part: { any: ({ field, text }, context) => hasPart(field, text, context) },
  text: {
    any: ({ field, values }, context) =>
      field.startsWith("args.") ? hasOneText({ field, values }, context) : hasValue(field, values, context),
    error: errorHasPart,
    text: hasOneText,
  },
  choice: { status: hasStatus, has: hasSome, kind: hasKind, purpose: hasPurpose },
  time: { started: startedWithin },
  number: { any: numberWithin, lost: async ({ ranges }, context) => ({ sql: await hasLost(ranges, context) }), score: scoreWithin },
} as const satisfies Conditions;

/** What of texts a term asks for; nothing where it is about something else. */
export function listSought(term: ListTerm): readonly Sought[] {
  return term.kind === "words" ? soughtWords(term.text) : term.kind === "text" ? soughtValues(term) : [];
}

/** A trace is found when it meets all of them, and is live unless they ask for a purpose. */
export async function resolveConditions(terms: readonly ListTerm[], given: Context): Promise<readonly ResolvedCondition[]> {
  const conditions: ResolvedCondition[] = [];
  const asksForPurpose = terms.some((term) => term.kind === "choice" && term.field === "purpose");
  // The groups know the values of live traces only.
  const context = { ...given, isCounted: given.isCounted && !asksForPurpose };
  for (const term of asksForPurpose ? terms : [...terms, LIVE]) {
    // One after the other: a query of many terms must not take every connection there is.
    const { sql: isMet, columns } = await resolve(term.kind, term, context);
    const { isNegated } = term;
    // Not `not`, which of what is unknown makes unknown.
    const inSql = isNegated ? sql<boolean>`(${isMet}) is not true` : isMet;
    conditions.push({ sql: inSql, columns: columns === undefined ? undefined : { ...columns, isNegated } });
  }
  return conditions;
}

/** The conditions for a statement about an `entry`. */
export async function sqlConditions(terms: readonly ListTerm[], context: Context): Promise<readonly SqlCondition[]> {
  return (await resolveConditions(terms, context)).map((condition) => condition.sql);
}

function resolve<Of extends Kind>(kind: Of, term: Term<Of>, context: Context): TraceCondition | Promise<TraceCondition> {
  const byField: Readonly<Record<string, Resolve<Of>>> = (CONDITIONS as Conditions)[kind];
  const field = "field" in term ? term.field : "any";
  const condition = byField[field] ?? byField["any"];
  if (condition === undefined) {
    throw new Error(`No condition is defined for the field ${field} of the query`);
  }
  return condition(term, context);
}

/**
 * Each of the words is in the trace's own names or lines, or in a text of it or of a step. An id, the trace's own or OpenTelemetry's, is looked for as
 * such, too.
 */
async function hasWords({ text }: Term<"words">, context: Context): Promise<TraceCondition> {
  const each: SqlCondition[] = [];
  for (const sought of soughtWords(text)) {
    each.push(or([await hasKeys("word", listSearchWords(sought.words), "all", context), await hasText(sought, context)]));
  }
  const words = and(each);
  const project = sql`${context.projectId}::uuid`;
  const traces = listTraceIds(text, [context.projectId]).map((id) => selectBeginning(project, sql`${id}::uuid`));
  return { sql: traces.length === 0 ? words : or([words, sql<boolean>`entry.trace_id in (${sql.join(traces)})`]) };
}

async function hasOneText(term: Pick<Term<"text">, "field" | "values">, context: Context): Promise<TraceCondition> {
  const conditions: SqlCondition[] = [];
  for (const sought of soughtValues(term)) {
    conditions.push(await hasText(sought, context));
  }
  return { sql: or(conditions) };
}

function errorHasPart({ values }: Term<"text">, context: Context): TraceCondition {
  const isLike = values.map((value) => isAlike(sql`entry.error`, likePattern(value, likeContaining)));
  return { sql: or(isLike.map((condition) => and([sql<boolean>`entry.error is not null`, inOrder(condition, context)]))) };
}

const LIVE: Term<"choice"> = { kind: "choice", field: "purpose", values: ["live"], isNegated: false, from: 0, to: 0 };

function hasPurpose({ values, isNegated }: Term<"choice">, context: Context): TraceCondition {
  if (values.includes("any")) {
    return { sql: sql<boolean>`true` };
  }
  if (values.every((value) => value === "live")) {
    // Hours hold live traces only.
    const columns = { kind: "time", spans: [{ from: -Infinity, to: Infinity }] } as const;
    return { sql: inOrder(isLive("entry"), context), ...(isNegated ? {} : { columns }) };
  }
  const aside = sql<boolean>`entry.purpose = any(${values}::text[])`;
  return { sql: values.includes("live") ? or([aside, isLive("entry")]) : aside };
}

/** Whether a running trace is abandoned depends on its producers, which may go at any time. */
function hasStatus({ values }: Term<"choice">, context: Context): TraceCondition {
  const ended = values.filter((value) => value !== "running" && value !== "abandoned");
  const open = ["running", "abandoned"].filter((status) => values.includes(status));
  const isOpen = sql<boolean>`entry.status = 'running'`;
  const isStatus = (status: string) => inOrder(sql<boolean>`${entryStatus(context.projectId)} = ${status}`, context);
  return {
    sql: or([
      ...(ended.length > 0 ? [sql<boolean>`entry.status = any(${ended}::text[])`] : []),
      ...(open.length > 1 ? [isOpen] : open.map((status) => and([isOpen, isStatus(status)]))),
    ]),
    ...(open.length > 0 ? {} : { columns: { kind: "status", statuses: ended } }),
  };
}

async function hasKind({ values }: Term<"choice">, context: Context): Promise<TraceCondition> {
  return { sql: await hasKeys("kind", values, "any", context), ...valuesTest("kind", values) };
}

const HAS: Readonly<Record<string, SqlCondition>> = {
  error: sql`entry.error is not null`,
  score: sql`entry.scores <> '[]'::jsonb`,
  cost: sql`entry.cost is not null`,
};

async function hasSome({ values }: Term<"choice">, context: Context): Promise<TraceCondition> {
  const lost = values.includes("lost") ? [await hasLost([{ min: 0, withMin: false, withMax: false }], context)] : [];
  const isOnlyCost = values.every((value) => value === "cost");
  return {
    sql: or([...values.flatMap((value) => HAS[value] ?? []), ...lost]),
    ...(isOnlyCost ? { columns: { kind: "number", column: "cost", ranges: [ANY_NUMBER] } } : {}),
  };
}

function startedWithin({ ranges }: Term<"time">, { now }: Context): TraceCondition {
  const spans = ranges.map((range) => ({ from: -Infinity, to: Infinity, ...toMoments(range, now.getTime()) }));
  const conditions = spans.map(({ from, to }) =>
    and([
      ...(from === -Infinity ? [] : [sql<boolean>`entry.sort_at >= ${new Date(from)}`]),
      ...(to === Infinity ? [] : [sql<boolean>`entry.sort_at < ${new Date(to)}`]),
    ]),
  );
  return { sql: or(conditions), columns: { kind: "time", spans } };
}

function numberWithin({ field, ranges }: Term<"number">): TraceCondition {
  const name = columnOfField(field);
  const column = ([...PACKED_NUMBERS, "tokens"] as const).find((packed) => packed === name);
  const conditions = ranges.map((range) => {
    const within = isWithinInSql(sql.ref(`entry.${name}`), range);
    // What was read or written is a part of both together, by which there is an index.
    const isPart = field.endsWith("_tokens") && range.min !== undefined;
    return isPart ? and([within, isWithinInSql(sql`entry.tokens`, { min: range.min, withMin: true, withMax: false })]) : within;
  });
  return { sql: or(conditions), ...(column === undefined ? {} : { columns: { kind: "number", column, ranges } }) };
}

async function scoreWithin({ score = "", ranges }: Term<"number">, context: Context): Promise<TraceCondition> {
  const value = sql`(
    select (score ->> 'value')::double precision from jsonb_array_elements(entry.scores) as score where score ->> 'name' = ${score} limit 1
  )`;
  return { sql: and([await hasKeys("score", [score], "all", context), or(ranges.map((range) => isWithinInSql(value, range)))]) };
}
