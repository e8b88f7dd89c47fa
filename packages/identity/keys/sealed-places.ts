import type { SealedPlace } from "@sightline/foundation/secrets/reseal";
import { sealedColumn } from "@sightline/foundation/secrets/sealed-columns.store";
import { appendAudit } from "#audit/audit.store.ts";
import type { SigningKeyDependencies } from "./add-signing-key.ts";
import { SEALED_COLUMNS } from "./sealed-values.ts";

/** Everything of identity that is sealed, for the ring's state and for sealing it anew. */
export function sealedPlaces({ queries, sealer, clock }: SigningKeyDependencies): readonly SealedPlace[] {
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
