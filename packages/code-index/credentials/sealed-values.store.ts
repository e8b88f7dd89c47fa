import { sql } from "kysely";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** A column of sealed values. */
export type SealedColumn = {
  readonly table: "codeindex.credentials" | "codeindex.repositories";
  readonly column: "sealed_secret" | "sealed_webhook_secret";
};

/** `host` is empty where there is none. */
export type SealedRow = { readonly id: string; readonly tenant_id: string; readonly host: string; readonly sealed: string };

/** How many values each key of the ring, or of a former one, has sealed. */
export async function countSealedByKey(
  database: CodeIndexDatabase,
  { table, column }: SealedColumn,
): Promise<readonly { readonly keyId: string; readonly rows: number }[]> {
  const { rows } = await sql<{ keyId: string; rows: number }>`
    select split_part(${sql.ref(column)}, '.', 2) as "keyId", count(*)::int as rows
    from ${sql.table(table)} where ${sql.ref(column)} is not null
    group by 1`.execute(database.query);
  return rows;
}

type Page = { readonly keyId: string; readonly after: string; readonly limit: number };

/** Values that another key than `keyId` has sealed, by their ids. */
export async function listSealedByOthers(
  database: CodeIndexDatabase,
  { table, column }: SealedColumn,
  { keyId, after, limit }: Page,
): Promise<readonly SealedRow[]> {
  const host = table === "codeindex.credentials" ? sql.ref("host") : sql.lit("");
  const { rows } = await sql<SealedRow>`
    select id, tenant_id, ${host} as host, ${sql.ref(column)} as sealed
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null and split_part(${sql.ref(column)}, '.', 2) <> ${keyId} and id::text > ${after}
    order by id::text
    limit ${limit}`.execute(database.query);
  return rows;
}

type Resealed = Pick<SealedRow, "id" | "sealed"> & { readonly anew: string };

/** Replaces those that are still as they were. @returns how many were. */
export async function replaceSealed(
  database: CodeIndexDatabase,
  { table, column }: SealedColumn,
  values: readonly Resealed[],
): Promise<number> {
  return database.query.transaction().execute(async (transaction) => {
    let replaced = 0n;
    for (const { id, sealed, anew } of values) {
      const { numAffectedRows = 0n } = await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${anew}
        where id = ${id} and ${sql.ref(column)} = ${sealed}`.execute(transaction);
      replaced += numAffectedRows;
    }
    return Number(replaced);
  });
}
