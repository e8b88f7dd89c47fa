import { sql, type RawBuilder } from "kysely";
import type { NumberRange } from "#contract.ts";
import type { Query } from "#schema.ts";
import type { PackedNumber } from "#counting/packed-columns.ts";

export type SqlCondition = RawBuilder<boolean>;

export type Context = {
  readonly query: Query;
  readonly projectId: string;
  readonly now: Date;
  /** Whether the groups know all values, so that patterns can be looked up in them. */
  readonly isCounted: boolean;
  /** Whether the newest are looked for first. */
  readonly isByTime: boolean;
};

/** A condition of the query: of an `entry` in SQL, and of packed hours unless they lack what it is about; then the entries are asked. */
export type TraceCondition = { readonly sql: SqlCondition; readonly columns?: ColumnTest };

export type ColumnTest =
  | { readonly kind: "values"; readonly field: string; readonly values: readonly string[] }
  | { readonly kind: "status"; readonly statuses: readonly string[] }
  | { readonly kind: "number"; readonly column: PackedNumber | "tokens"; readonly ranges: readonly NumberRange[] }
  /** Milliseconds since 1970; `to` is exclusive. */
  | { readonly kind: "time"; readonly spans: readonly { readonly from: number; readonly to: number }[] };

/** A condition as packed hours are asked it. */
export type HourTest = ColumnTest & { readonly isNegated: boolean };

export function or(conditions: readonly SqlCondition[]): SqlCondition {
  return conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

export function and(conditions: readonly SqlCondition[]): SqlCondition {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/**
 * A condition of which a planner knows nothing, and thinks that hardly any row meets it: then it reads all rows there may be and sorts them.
 * Of a case it thinks that every other does, and goes along the index by time until a page is full. That index is of the few rows in question
 * only; the indexes by which else is sorted are of all.
 */
export function inOrder(condition: SqlCondition, { isByTime }: Context): SqlCondition {
  return isByTime ? sql<boolean>`case when ${condition} then true end` : condition;
}
