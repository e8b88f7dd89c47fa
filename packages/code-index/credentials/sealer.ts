import { createSealer, type EncryptionRing, type SealContext, type Sealer } from "@sightline/foundation/secrets/sealing";

/** Seals the code index's secrets at rest; `undefined` where the operator has given no keys. */
export function createCodeIndexSealer(ring: EncryptionRing | undefined): Sealer | undefined {
  return ring && createSealer(ring, { label: "sightline.code-index", variable: "CODEINDEX_ENCRYPTION_KEYS" });
}

/** Of a repository's own webhook secret, which opens for this repository only. */
export function webhookSecretContext(repoId: string): SealContext {
  return { purpose: "repositories.webhook_secret", subject: repoId };
}

type Owner = { readonly tenant_id: string; readonly id: string; readonly host: string };

/** Of a credential's secret; one that is moved to another tenant's row or another host does not open. */
export function credentialContext({ tenant_id: tenant, id, host }: Owner): SealContext {
  return { purpose: "credentials.secret", subject: `${tenant}|${id}|${host}` };
}
