import { type AppError, refusal } from "@sightline/foundation/errors";

/** How a delivery shows who sent it. */
export type SignatureScheme =
  /** HMAC-SHA-256 of the body. */
  | { readonly kind: "body"; readonly signature: Buffer }
  /** The secret itself: GitLab's older way. */
  | { readonly kind: "token"; readonly token: Buffer }
  /** Standard Webhooks: HMAC-SHA-256 of identifier, time and body; any of the signatures may be the right one. */
  | { readonly kind: "standard"; readonly signatures: readonly Buffer[]; readonly id: string; readonly timestamp: string };

const PREFIXED = /^sha256=([0-9a-f]{64})$/i;

/** Reads a header with the HMAC of the body; `wanted` names it in the refusal. */
export function bodySignature(value: string | undefined, wanted: string, form = PREFIXED): SignatureScheme {
  const [, signature] = form.exec(value ?? "") ?? [];
  if (signature === undefined) {
    throw refused(`The delivery has no ${wanted}. Give the webhook its secret at the host.`);
  }
  return { kind: "body", signature: Buffer.from(signature, "hex") };
}

/** The one answer to a delivery that is not signed as it should be. */
export function refused(message: string): AppError {
  return refusal(401, "auth_failed", message, { headers: { "www-authenticate": "Signature" } });
}
