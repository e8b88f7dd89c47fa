import { describeRing, resealAll, type Resealing, type RingKey } from "@sightline/foundation/secrets/reseal";
import { sealedColumn } from "@sightline/foundation/secrets/sealed-columns.store";
import type { EncryptionRing } from "@sightline/foundation/secrets/sealing";
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
export function createCodeIndexKeys({ database: { query }, ring }: Options): CodeIndexKeys {
  const sealer = createCodeIndexSealer(ring);
  const places = [
    sealedColumn({
      query,
      table: "codeindex.credentials",
      column: "sealed_secret",
      purpose: "credentials.secret",
      owner: ["tenant_id", "host"],
      contextOf: credentialContext,
    }),
    sealedColumn({
      query,
      table: "codeindex.repositories",
      column: "sealed_webhook_secret",
      purpose: "repositories.webhook_secret",
      contextOf: ({ id }) => webhookSecretContext(id),
    }),
  ];
  return {
    status: () => describeRing(sealer?.keyIds ?? [], places),
    reseal: async () => (sealer === undefined ? { resealed: {}, unopened: [] } : resealAll(sealer, places)),
  };
}
