import * as oidc from "openid-client";
import type { AppError } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { RefusedAddressError } from "@sightline/foundation/outbound/addresses";
import { refusal } from "#refusals.ts";
import { OtherProviderError } from "./provider-clients.ts";
import { PlainHttpError } from "@sightline/foundation/outbound/guarded-fetch";
import { UnreachableProviderError } from "./provider-fetch.ts";
import type { Provider } from "./provider.store.ts";

/** Error codes of OAuth and OpenID Connect; anything else that a provider says is repeated nowhere. */
const KNOWN_ERRORS = new Set([
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_response_type",
]);

/** One word for the log and the audit. It never holds what the provider wrote, which may be anything. */
export function toFailureReason(error: unknown): string {
  const chain = listCauses(error);
  if (chain.some((one) => one instanceof RefusedAddressError)) {
    return "private_address";
  }
  if (chain.some((one) => one instanceof PlainHttpError)) {
    return "without_tls";
  }
  if (chain.some(isOfCertificate)) {
    return "certificate";
  }
  if (chain.some((one) => one instanceof UnreachableProviderError)) {
    return "unreachable";
  }
  if (chain.some((one) => one instanceof OtherProviderError)) {
    return "other_issuer";
  }
  for (const one of chain) {
    if (one instanceof oidc.AuthorizationResponseError || one instanceof oidc.ResponseBodyError) {
      return KNOWN_ERRORS.has(one.error) ? one.error : "unknown_error";
    }
    // A client that shows the secret in a header is refused in one, as RFC 6749 asks for (5.2).
    if (one instanceof oidc.WWWAuthenticateChallengeError) {
      const said = one.cause.map(({ parameters }) => parameters.error).find((word) => word !== undefined && KNOWN_ERRORS.has(word));
      return said ?? `status_${one.status}`;
    }
    if (one instanceof Response) {
      return one.status >= 500 ? "unreachable" : `status_${one.status}`;
    }
  }
  const coded = chain.find((one): one is oidc.ClientError => one instanceof oidc.ClientError && one.code !== undefined);
  return coded?.code?.replace(/^OAUTH_/, "").toLowerCase() ?? "unexpected";
}

/** OpenSSL's words for a chain that is not believed, and Node's for one that is for another name or over. */
const OF_CERTIFICATE = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_|CERT_|ERR_TLS_CERT_)/;

function isOfCertificate(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && OF_CERTIFICATE.test(error.code);
}

/** The refusal for whoever signs in, and the reason for the audit. */
export function asRefusal(
  { log }: { readonly log: Logger },
  { id, tenantId }: Pick<Provider, "id" | "tenantId">,
  error: unknown,
): { readonly refused: AppError; readonly reason: string } {
  const reason = toFailureReason(error);
  log.warn({ provider: id, tenant: tenantId, reason }, "a company sign-in failed");
  return { refused: refusal(REFUSALS[reason] ?? "sso_failed", { logged: true }), reason };
}

const REFUSALS: Readonly<Record<string, "sso_denied" | "sso_provider_unreachable">> = {
  access_denied: "sso_denied",
  private_address: "sso_provider_unreachable",
  without_tls: "sso_provider_unreachable",
  certificate: "sso_provider_unreachable",
  unreachable: "sso_provider_unreachable",
  server_error: "sso_provider_unreachable",
  temporarily_unavailable: "sso_provider_unreachable",
};

function listCauses(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && chain.length < 10; at = at instanceof Error ? at.cause : undefined) {
    chain.push(at);
  }
  return chain;
}
