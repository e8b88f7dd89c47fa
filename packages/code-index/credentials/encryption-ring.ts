import { describeRing, resealAll, type Resealing, type RingKey, type SealedPlace } from "@sightline/foundation/secrets/encryption-ring";
import type { EncryptionRing, SealContext } from "@sightline/foundation/secrets/sealing";
import { countSealedByKey, listSealedByOthers, replaceSealed, type SealedColumn, type SealedRow } from "./sealed-values.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { createCodeIndexSealer, credentialContext, webhookSecretContext } from "./sealer.ts";

export type CodeIndexKeys = {
  /** The ring of `CODEINDEX_ENCRYPTION_KEYS` with how much each key has sealed. */
  readonly status: () => Promise<readonly RingKey[]>;
  /** Seals everything anew that the ring's first key has not sealed. */
  readonly reseal: () => Promise<Resealing>;
};

type Options = { readonly database: CodeIndexDatabase; readonly ring: EncryptionRing | undefined };

/** For the command line. */
export function createCodeIndexKeys({ database, ring }: Options): CodeIndexKeys {
  const sealer = createCodeIndexSealer(ring);
  const places = [
    placeOf(database, { table: "codeindex.credentials", column: "sealed_secret" }, credentialContext),
    placeOf(database, { table: "codeindex.repositories", column: "sealed_webhook_secret" }, ({ id }) => webhookSecretContext(id)),
  ];
  return {
    status: () => describeRing(sealer?.keyIds ?? [], places),
    reseal: async () => (sealer === undefined ? { resealed: {}, unopened: [] } : resealAll(sealer, places)),
  };
}

function placeOf(database: CodeIndexDatabase, column: SealedColumn, contextOf: (row: SealedRow) => SealContext): SealedPlace {
  return {
    purpose: `${column.table.slice("codeindex.".length)}.${column.column === "sealed_secret" ? "secret" : "webhook_secret"}`,
    countByKey: () => countSealedByKey(database, column),
    listSealedByOthers: async (page) => {
      const rows = await listSealedByOthers(database, column, page);
      return rows.map((row) => ({ id: row.id, sealed: row.sealed, context: contextOf(row) }));
    },
    replaceAll: (values) => replaceSealed(database, column, values),
  };
}
