import {
  describeRing as describeRingOf,
  resealAll as resealAllOf,
  type Resealing,
  type RingKey,
  type SealedPlace,
} from "@sightline/foundation/secrets/encryption-ring";
import { sealedColumn } from "@sightline/foundation/secrets/sealed-columns.store";
import { appendAudit } from "#audit/audit.store.ts";
import type { SigningKeyDependencies } from "./add-signing-key.ts";
import { SEALED_COLUMNS } from "./sealed-values.ts";

/** Every key of the ring in its order, then those that are missing there. */
export function describeRing(dependencies: SigningKeyDependencies): Promise<readonly RingKey[]> {
  return describeRingOf(dependencies.sealer.keyIds, placesOf(dependencies));
}

/** Seals everything anew that the ring's first key has not sealed. */
export function resealAll(dependencies: SigningKeyDependencies): Promise<Resealing> {
  return resealAllOf(dependencies.sealer, placesOf(dependencies));
}

function placesOf({ queries, sealer, clock }: SigningKeyDependencies): readonly SealedPlace[] {
  return SEALED_COLUMNS.map(({ table, column, key }) => {
    const purpose = `${table}.${column}`;
    return sealedColumn({
      query: queries,
      table: `identity.${table}`,
      column,
      purpose,
      key,
      contextOf: ({ id }) => ({ purpose, subject: id }),
      noteReplaced: async (transaction, rows) => {
        const details = { what: purpose, key: sealer.keyIds[0], rows: String(rows) };
        await appendAudit(transaction, { event: "keys_rotated", at: clock.now(), details });
      },
    });
  });
}
