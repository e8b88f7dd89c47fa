import { createHash } from "node:crypto";
import type { Selectable } from "kysely";
import type { IdentitySchema } from "#schema.ts";

/** A row of the audit without its hash. */
export type UnchainedRow = Omit<Selectable<IdentitySchema["identity.audit"]>, "hash">;

export type ChainedRow = UnchainedRow & { readonly hash: Buffer };

/** A row as it stands in the table: its hash is `null` when somebody has tampered with the column. */
export type StoredRow = UnchainedRow & { readonly hash: Buffer | null };

/** The start of the chain, before the first row's hash. */
export const CHAIN_START = Buffer.alloc(32);

/** SHA-256 over the hash before and the row's canonical text. */
export function chainHash(previous: Uint8Array, row: UnchainedRow): Buffer {
  return createHash("sha256").update(previous).update(canonicalText(row)).digest();
}

export function extendChain(previous: Buffer, rows: readonly UnchainedRow[]): readonly ChainedRow[] {
  let hash = previous;
  return rows.map((row) => {
    hash = chainHash(hash, row);
    return { ...row, hash };
  });
}

/** Compact JSON: every field in this order, the time in milliseconds, the details with their keys sorted. */
function canonicalText(row: UnchainedRow): string {
  return JSON.stringify([
    row.id,
    Number(row.at),
    row.event,
    row.tenant_id,
    row.user_id,
    row.actor_id,
    row.session_id,
    row.ip,
    row.user_agent,
    sortKeys(row.details),
  ]);
}

/** The column is `null` when somebody has tampered with it. */
function sortKeys(details: object | null): unknown {
  return details === null ? null : Object.fromEntries(Object.entries(details).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
