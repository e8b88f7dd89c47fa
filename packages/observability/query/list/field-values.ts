import { sql, type RawBuilder } from "kysely";

/** Columns of an entry. All else is in its fields and keys. */
export const TEXT_COLUMNS: Readonly<Record<string, string>> = { name: "name", session: "session_id", user: "user_id", thread: "thread_id" };

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
