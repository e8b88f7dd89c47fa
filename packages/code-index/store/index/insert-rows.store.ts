import { sql, type Kysely } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { TenantSchema } from "#store/tenancy/tenant.ts";

type Inserting = {
  readonly table: string;
  /** The columns that each row has, with their types, as SQL has them: `path text, bytes bigint`. */
  readonly columns: string;
  /** What is the same for all rows. */
  readonly same?: Readonly<Record<string, string | number>>;
  readonly rows: readonly object[];
};

/** Adds any number of rows by one statement, which takes them as JSON: a parameter for each value would be too many. */
export async function insertRows(
  query: Kysely<CodeIndexTables>,
  schema: TenantSchema,
  { table, columns, same = {}, rows }: Inserting,
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const names = columns.split(",").map((column) => sql.ref(column.trim().split(" ", 1).join("")));
  await sql`
    insert into ${sql.id(schema, table)} (${sql.join([...Object.keys(same).map((name) => sql.ref(name)), ...names])})
    select ${sql.join([...Object.values(same).map((value) => sql`${value}`), ...names])}
    from json_to_recordset(${JSON.stringify(rows)}::json) as given(${sql.raw(columns)})
  `.execute(query);
}
