import type { Logger } from "@sightline/foundation/log";
import { SealError, type Sealer } from "@sightline/foundation/secrets/sealing";
import { webhookSecretContext } from "#credentials/sealer.ts";

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
