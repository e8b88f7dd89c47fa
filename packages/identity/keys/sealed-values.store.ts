import { sql, type Transaction } from "kysely";
import type { IdentitySchema, Queries } from "#schema.ts";
import type { SealedColumn } from "./sealed-values.ts";

export type SealedValue = { readonly id: string; readonly sealed: string };

/** Counts the values that each key, of the ring or a former one, has sealed. */
export async function countByKey(
  queries: Queries,
  { table, column }: SealedColumn,
): Promise<readonly { readonly keyId: string; readonly rows: number }[]> {
  const { rows } = await sql<{ keyId: string; rows: number }>`
    select split_part(${sql.ref(column)}, '.', 2) as "keyId", count(*)::int as rows
    from ${sql.table(`identity.${table}`)}
    where ${sql.ref(column)} <> ''
    group by 1`.execute(queries);
  return rows;
}

/** Lists the values that another key than `keyId` has sealed, by their ids. */
export async function listSealedByOthers(
  queries: Queries,
  { table, column, id }: SealedColumn,
  { keyId, after, limit }: { readonly keyId: string; readonly after: string; readonly limit: number },
): Promise<readonly SealedValue[]> {
  const { rows } = await sql<SealedValue>`
    select ${sql.ref(id)}::text as id, ${sql.ref(column)} as sealed
    from ${sql.table(`identity.${table}`)}
    where ${sql.ref(column)} <> '' and split_part(${sql.ref(column)}, '.', 2) <> ${keyId} and ${sql.ref(id)}::text > ${after}
    order by ${sql.ref(id)}::text
    limit ${limit}`.execute(queries);
  return rows;
}

/** @returns false when the value is another one by now, which is then kept. */
export async function replaceSealedValue(
  transaction: Transaction<IdentitySchema>,
  { table, column, id, idType }: SealedColumn,
  { id: row, sealed, anew }: SealedValue & { readonly anew: string },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(`identity.${table}`)} set ${sql.ref(column)} = ${anew}
    where ${sql.ref(id)} = cast(${row} as ${sql.raw(idType)}) and ${sql.ref(column)} = ${sealed}`.execute(transaction);
  return numAffectedRows > 0n;
}
