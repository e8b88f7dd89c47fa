import { sql, type Kysely, type RawBuilder } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import type { TenantSchema } from "#store/tenancy/tenant.ts";
import { textArray, textOfValue, type ParameterValue } from "@sightline/foundation/database/array-parameters";

type Row = Readonly<Record<string, ParameterValue>>;

type Inserting = {
  readonly table: string;
  /** The columns that each row has, with their types, of one word each: `path text, bytes bigint`. */
  readonly columns: string;
  /** What is the same for all rows. */
  readonly same?: Readonly<Record<string, string | number>>;
  readonly rows: readonly Row[];
};

/** Adds any number of rows by one statement, with an array for each column: a parameter for each value would be too many. */
export async function insertRows(
  query: Kysely<CodeIndexTables>,
  schema: TenantSchema,
  { table, columns, same = {}, rows }: Inserting,
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const names = [...Object.keys(same), ...columnsOf(columns).map(({ name }) => name)].map((name) => sql.ref(name));
  const { given, values } = givenRows(columns, rows);
  await sql`
    insert into ${sql.id(schema, table)} (${sql.join(names)})
    select ${sql.join([...Object.values(same).map((value) => sql`${value}`), values])} from ${given}
  `.execute(query);
}

/** Rows as a statement's `from` has them, called `given`, and its columns with their types. */
export function givenRows(
  columns: string,
  rows: readonly Row[],
): { readonly given: RawBuilder<unknown>; readonly values: RawBuilder<unknown> } {
  const found = columnsOf(columns);
  const arrays = found.map(({ name }) => sql`${textArray(rows.map((row) => textOfValue(row[name])))}::text[]`);
  return {
    given: sql`unnest(${sql.join(arrays)}) as given(${sql.join(found.map(({ name }) => sql.ref(name)))})`,
    values: sql.join(
      found.map(({ name, type }) => (type === "text" ? sql.ref(`given.${name}`) : sql`${sql.ref(`given.${name}`)}::${sql.raw(type)}`)),
    ),
  };
}

function columnsOf(columns: string): readonly { readonly name: string; readonly type: string }[] {
  return columns.split(",").map((column) => {
    const [name = "", type = ""] = column.trim().split(" ");
    return { name, type };
  });
}
