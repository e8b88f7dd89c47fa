import { sql, type RawBuilder } from "kysely";
import { TEXT_COLUMNS } from "#counting/entry-columns.ts";

/** Selects the values that an `entry` has of a text field, and of `metadata` its keys. */
export function valuesOfField(field: string): RawBuilder<unknown> {
  if (field === "status") {
    return sql`select entry.status`;
  }
  const column = TEXT_COLUMNS[field];
  if (column !== undefined) {
    return sql`select ${sql.ref(`entry.${column}`)} where ${sql.ref(`entry.${column}`)} <> ''`;
  }
  return field === "metadata"
    ? sql`select distinct substring(said from '^metadata[.]([\\w.-]+):') from unnest(entry.fields) as said where starts_with(said, 'metadata.')`
    : sql`select substr(said, ${field.length + 2}) from unnest(entry.fields) as said where starts_with(said, ${`${field}:`})`;
}
