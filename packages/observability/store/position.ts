import { sql } from "kysely";

/** The position at which a page ended: the row's time in microseconds since 1970, as text since it is a 64-bit number, and its id. */
export type Position = {
  readonly micros: string;
  readonly id: string;
};

/** The time of a row as a {@link Position} holds it: exact, where a `Date` is cut to milliseconds. */
export function selectMicros(column: string) {
  return sql<string>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint::text`;
}

/** Selects rows that come after `position` when the newest is first. */
export function isAfter(timeColumn: string, idColumn: string, { micros, id }: Position) {
  return sql<boolean>`(${sql.ref(timeColumn)}, ${sql.ref(idColumn)}) < (${selectInstant(micros)}, ${id}::uuid)`;
}

export function selectInstant(micros: string) {
  return sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;
}
