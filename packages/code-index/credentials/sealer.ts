import { createSealer, type EncryptionRing, type SealContext, type Sealer, SealError } from "@sightline/foundation/secrets/sealing";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";

/** Seals the code index's secrets at rest; `undefined` where the operator has given no keys. */
export function createCodeIndexSealer(ring: EncryptionRing | undefined): Sealer | undefined {
  return ring && createSealer(ring, { label: "sightline.code-index", variable: "CODEINDEX_ENCRYPTION_KEYS" });
}

/** @throws {AppError} `encryption_keys_missing` (503), saying what can't be done without. */
export function requireSealer(sealer: Sealer | undefined, message: string): Sealer {
  return orRefuse(sealer, () => refusal(503, "encryption_keys_missing", message));
}

/** The context of a repository's own webhook secret, which opens for this repository only. */
export function webhookSecretContext(repoId: string): SealContext {
  return { purpose: "repositories.webhook_secret", subject: repoId };
}

type Owner = { readonly tenant_id: string; readonly id: string; readonly host: string };

/** The context of a credential's secret; moved to another tenant's row or another host, it does not open. */
export function credentialContext({ tenant_id: tenant, id, host }: Owner): SealContext {
  return { purpose: "credentials.secret", subject: `${tenant}|${id}|${host}` };
}

/** A repository's own webhook secret as it is stored: it opens for this repository only. */
export function sealWebhookSecret(sealer: Sealer, { repoId, secret }: { readonly repoId: string; readonly secret: string }): string {
  return sealer.seal(Buffer.from(secret), webhookSecretContext(repoId));
}

type Sealed = { readonly id: string; readonly sealed_webhook_secret: string };

/** `undefined` when it can't be opened, as with a key that was lost: then nothing is accepted for the repository. */
export function openWebhookSecret(sealer: Sealer, repository: Sealed, log: Logger): string | undefined {
  try {
    return sealer.open(repository.sealed_webhook_secret, webhookSecretContext(repository.id)).toString();
  } catch (error) {
    if (error instanceof SealError) {
      log.error(
        { repository: repository.id, reason: error.message },
        "a repository's webhook secret can't be opened: its deliveries are refused",
      );
      return undefined;
    }
    throw error;
  }
}
