import type { IncomingHttpHeaders } from "node:http";
import type { WebhookProvider } from "#schema.ts";
import { type AppError, refusal } from "@sightline/foundation/errors";

/** How a delivery proves who sent it. */
export type Proof =
  /** HMAC-SHA-256 of the body. */
  | { readonly kind: "body"; readonly signature: Buffer }
  /** The secret itself: GitLab's older way. */
  | { readonly kind: "token"; readonly token: Buffer }
  /** Standard Webhooks: HMAC-SHA-256 of identifier, time and body; any of the signatures may be the right one. */
  | { readonly kind: "standard"; readonly signatures: readonly Buffer[]; readonly id: string; readonly timestamp: string };

/** What the headers of a delivery say. */
export type DeliveryHead = {
  readonly provider: WebhookProvider;
  readonly event: string;
  /** The host's own identifier, the same when it sends the delivery again; `undefined` where it gives none. */
  readonly deliveryId: string | undefined;
  readonly proof: Proof;
};

type Headers = (name: string) => string | undefined;

/**
 * Reads which host sent a delivery and how it is signed. Gitea and Forgejo also send GitHub's headers, so theirs are looked for first.
 *
 * @throws {AppError} `auth_failed` (401) when there is no signature, or one that can't be right.
 */
export function readHead(given: IncomingHttpHeaders): DeliveryHead {
  const header: Headers = (name) => {
    const value = given[name];
    return typeof value === "string" ? value : undefined;
  };
  const gitea = header("x-forgejo-event") ?? header("x-gitea-event");
  if (gitea !== undefined) {
    const name = header("x-forgejo-signature") === undefined ? "x-gitea-signature" : "x-forgejo-signature";
    return {
      provider: "gitea",
      event: gitea,
      deliveryId: header("x-forgejo-delivery") ?? header("x-gitea-delivery"),
      proof: bodySignature(header(name), /^([0-9a-f]{64})$/i, "X-Gitea-Signature or X-Forgejo-Signature: <HMAC of the body>"),
    };
  }
  const gitlab = header("x-gitlab-event");
  if (gitlab !== undefined) {
    const deliveryId = header("webhook-id") ?? header("idempotency-key") ?? header("x-gitlab-event-uuid");
    return { provider: "gitlab", event: gitlab, deliveryId, proof: gitlabProof(header) };
  }
  const bitbucket = header("x-event-key");
  if (bitbucket !== undefined) {
    return {
      provider: "bitbucket",
      event: bitbucket,
      deliveryId: header("x-request-uuid") ?? header("x-request-id"),
      proof: bodySignature(header("x-hub-signature"), PREFIXED, "X-Hub-Signature: sha256=<HMAC of the body>"),
    };
  }
  if (header("x-github-event") !== undefined || header("x-hub-signature-256") !== undefined) {
    return {
      provider: "github",
      event: header("x-github-event") ?? "unnamed",
      deliveryId: header("x-github-delivery"),
      proof: bodySignature(header("x-hub-signature-256"), PREFIXED, "X-Hub-Signature-256: sha256=<HMAC of the body>"),
    };
  }
  return {
    provider: "generic",
    event: header("x-event") ?? "push",
    deliveryId: header("x-delivery-id"),
    proof: bodySignature(
      header("x-signature-256"),
      PREFIXED,
      "signature that is known here: X-Hub-Signature-256, X-Gitlab-Token, X-Gitea-Signature, X-Hub-Signature or X-Signature-256",
    ),
  };
}

const PREFIXED = /^sha256=([0-9a-f]{64})$/i;

function bodySignature(value: string | undefined, form: RegExp, wanted: string): Proof {
  const [, signature] = form.exec(value ?? "") ?? [];
  if (signature === undefined) {
    throw refused(`The delivery has no ${wanted}. Give the webhook its secret at the host.`);
  }
  return { kind: "body", signature: Buffer.from(signature, "hex") };
}

/** A signature that is there is checked; the token beside it does not make up for a wrong one. */
function gitlabProof(header: Headers): Proof {
  const [signature, id, timestamp] = [header("webhook-signature"), header("webhook-id"), header("webhook-timestamp")];
  if (signature !== undefined) {
    const signatures = signature
      .split(" ")
      .slice(0, 10)
      .flatMap((one) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.slice(1) ?? [])
      .map((one) => Buffer.from(one, "base64"));
    if (signatures.length === 0 || id === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) {
      throw refused("The delivery's webhook-id, webhook-timestamp and webhook-signature: v1,<HMAC> are not complete.");
    }
    return { kind: "standard", signatures, id, timestamp };
  }
  const token = header("x-gitlab-token");
  if (token === undefined || token === "") {
    throw refused(
      "The delivery has neither webhook-signature nor X-Gitlab-Token. Give the webhook its signing token or secret at the host.",
    );
  }
  // Node reads the bytes of headers as Latin-1.
  return { kind: "token", token: Buffer.from(token, "latin1") };
}

/** The one answer to a delivery that is not signed as it should be. */
export function refused(message: string): AppError {
  return refusal(401, "auth_failed", message, { headers: { "www-authenticate": "Signature" } });
}
