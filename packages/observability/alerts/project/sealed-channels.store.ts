import { sql, type Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";

type Query = Kysely<ObservabilitySchema>;
export type SealedColumn = "sealed_url" | "sealed_secret";
type Sealed = { readonly id: string; readonly sealed: string };

/** Counts the values that each key has sealed. */
export async function countSealedChannels(query: Query, column: SealedColumn) {
  const { rows } = await sql<{ keyId: string; rows: number }>`
    select split_part(${sql.ref(column)}, '.', 2) as "keyId", count(*)::int as rows
    from observability.alert_channels where ${sql.ref(column)} is not null group by 1`.execute(query);
  return rows;
}

type Page = { readonly keyId: string; readonly after: string; readonly limit: number };

/** Lists the values that another key than `keyId` has sealed, by their ids. */
export async function listChannelsSealedByOthers(query: Query, column: SealedColumn, { keyId, after, limit }: Page) {
  const { rows } = await sql<Sealed>`
    select id, ${sql.ref(column)} as sealed from observability.alert_channels
    where ${sql.ref(column)} is not null and split_part(${sql.ref(column)}, '.', 2) <> ${keyId} and id::text > ${after}
    order by id::text limit ${limit}`.execute(query);
  return rows;
}

/**
 * Replaces values that have not changed meanwhile.
 *
 * @returns how many were replaced.
 */
export async function replaceSealedChannels(
  query: Query,
  column: SealedColumn,
  values: readonly (Sealed & { readonly anew: string })[],
): Promise<number> {
  return query.transaction().execute(async (transaction) => {
    let replaced = 0n;
    for (const { id, sealed, anew } of values) {
      const { numAffectedRows = 0n } = await sql`
        update observability.alert_channels set ${sql.ref(column)} = ${anew}
        where id = ${id} and ${sql.ref(column)} = ${sealed}`.execute(transaction);
      replaced += numAffectedRows;
    }
    return Number(replaced);
  });
}
