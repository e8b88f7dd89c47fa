import { sql, type RawBuilder } from "kysely";
import type { NumberRange } from "#contract.ts";
import { and, type SqlCondition } from "./condition.ts";

/** All finite numbers are within it, and NaN is not. */
export const ANY_NUMBER: NumberRange = { withMin: false, withMax: false };

export function isWithin(value: number, { min = -Infinity, max = Infinity, withMin, withMax }: NumberRange): boolean {
  return (value > min || (withMin && value === min)) && (value < max || (withMax && value === max));
}

export function isWithinInSql(value: RawBuilder<unknown>, { min, max, withMin, withMax }: NumberRange): SqlCondition {
  // Compared as they are kept: an index on whole numbers is of no use to others.
  const bound = (limit: number) => (Number.isSafeInteger(limit) ? sql`${limit}::bigint` : sql`${limit}::double precision`);
  return and([
    ...(min === undefined ? [] : [withMin ? sql<boolean>`${value} >= ${bound(min)}` : sql<boolean>`${value} > ${bound(min)}`]),
    ...(max === undefined ? [] : [withMax ? sql<boolean>`${value} <= ${bound(max)}` : sql<boolean>`${value} < ${bound(max)}`]),
  ]);
}
