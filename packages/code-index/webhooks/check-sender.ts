import { randomBytes } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import { openWebhookSecret } from "#credentials/sealer.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import type { DeliveryHead } from "#webhooks/hosts/host.ts";
import { refused } from "#webhooks/hosts/signature-scheme.ts";
import { findPushedRepositories, type WatchedRepository } from "./pushes.store.ts";
import { scanNames } from "./scan-names.ts";
import { verifySignature } from "./verify-signature.ts";

export type WebhookTools = {
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  readonly log: Logger;
  /** CODEINDEX_WEBHOOK_SECRET: for all repositories that have no secret of their own. */
  readonly secret: string | undefined;
  /** Opens the secrets of repositories; without it none has one. */
  readonly sealer: Sealer | undefined;
};

export type Delivery = { readonly head: DeliveryHead; readonly body: Buffer };

/**
 * Whether the server's secret signed it. Otherwise that of a repository must have, one that the body may be about: which one
 * it is really about is looked at once it can be trusted enough to be parsed.
 */
export async function checkSender(tools: WebhookTools, delivery: Delivery): Promise<boolean> {
  const { database, clock, secret } = tools;
  const { head, body } = delivery;
  if (secret !== undefined && verifySignature(head.signature, secret, { body, now: clock.now() })) {
    return true;
  }
  const named = await findPushedRepositories(database, scanNames(body));
  if (named.every(({ sealed_webhook_secret: sealed }) => sealed === null)) {
    // Takes as long as with a secret, so that timing does not reveal whether a repository has one.
    verifySignature(head.signature, randomBytes(32).toString("base64"), { body, now: clock.now() });
  }
  if (repositoriesThatSigned(tools, delivery, named).size === 0) {
    throw refused("The delivery's signature is not that of this body and the webhook's secret.");
  }
  return false;
}

/** Bytes of a body that are hashed, a secret at a time: whoever registers a repository often enough would keep us busy for long. */
const HASHED_BYTES = 256 * 1024 * 1024;

/** Those of the repositories whose own secret signed the delivery. Of a large one only the secrets of the oldest are tried. */
export function repositoriesThatSigned(
  tools: WebhookTools,
  delivery: Delivery,
  named: readonly WatchedRepository[],
): ReadonlySet<WatchedRepository> {
  const max = Math.floor(HASHED_BYTES / Math.max(1, delivery.body.length));
  const own = named.filter(({ sealed_webhook_secret: sealed }) => sealed !== null).slice(0, max);
  return new Set(own.filter((repository) => verifyWithOwnSecret(tools, delivery, repository)));
}

function verifyWithOwnSecret({ sealer, clock, log }: WebhookTools, { head, body }: Delivery, repository: WatchedRepository): boolean {
  const { id, sealed_webhook_secret: sealed } = repository;
  if (sealed === null || sealer === undefined) {
    return false;
  }
  const secret = openWebhookSecret(sealer, { id, sealed_webhook_secret: sealed }, log);
  return secret !== undefined && verifySignature(head.signature, secret, { body, now: clock.now() });
}
