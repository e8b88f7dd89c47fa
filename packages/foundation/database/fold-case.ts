import { sql, type RawBuilder } from "kysely";

/**
 * A text in small letters, the same in every database: those of ASCII by themselves, since a Turkish one makes ı of I, and then the others,
 * as far as the database knows them. An index of an expression is of this very one.
 */
export function foldCase(text: RawBuilder<unknown> | string): RawBuilder<string> {
  return sql`lower(lower(${text}${typeof text === "string" ? sql`::text` : sql``} collate "C") collate "default")`;
}

/** Whether a text is like a pattern, in either case. */
export function isAlike(text: RawBuilder<unknown>, pattern: string): RawBuilder<boolean> {
  return sql`${foldCase(text)} like ${foldCase(pattern)}`;
}

/** Whether it is like one of the patterns. */
export function isAlikeAny(text: RawBuilder<unknown>, patterns: readonly string[]): RawBuilder<boolean> {
  return sql`${foldCase(text)} like any(array[${sql.join(patterns.map(foldCase))}]::text[])`;
}
