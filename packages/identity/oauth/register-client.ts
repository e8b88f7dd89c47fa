import { randomBytes } from "node:crypto";
import type { Clock } from "@sightline/foundation/clock";
import { refusal } from "@sightline/foundation/errors";
import type { RegisterClientRequest, RegisteredClient } from "#contract.ts";
import type { Queries } from "#schema.ts";
import { toSeconds } from "#session/access-token.ts";
import { placeCounters } from "#throttle/counters.ts";
import type { Counter, Throttle } from "#throttle/throttle.ts";
import { plainName, isRedirectAllowed } from "./app-metadata.ts";
import { insertClient } from "./client.store.ts";

type Dependencies = { readonly queries: Queries; readonly throttle: Throttle; readonly clock: Clock };

const ID_BYTES = 24;
const ID = /^[\w-]{32}$/;

/** One that nobody lets in is forgotten. */
const UNUSED_MS = 24 * 3600_000;

/** Anybody may register, and each registration is a row. */
function registrationCounters(ip: string): readonly Counter[] {
  return placeCounters("oauth-register", ip, { tries: 30, windowSeconds: 3600 });
}

/**
 * Registers an app (RFC 7591). It gets no secret: apps run on people's machines, where none stays one.
 *
 * @throws {AppError} 400 `invalid_redirect_uri`, `invalid_client_metadata`; 429 `too_many_tries`.
 */
export async function registerClient(
  { queries, throttle, clock }: Dependencies,
  request: RegisterClientRequest,
  ip: string,
): Promise<RegisteredClient> {
  await throttle.take(registrationCounters(ip));
  if (!request.redirect_uris.every(isRedirectAllowed)) {
    throw refusal(
      400,
      "invalid_redirect_uri",
      "A redirect URI is an https address, an http address of the app's own machine (localhost, 127.0.0.1, [::1]), or an address of the app's own scheme, named by a domain (com.example.app:/callback), without a query; without a fragment.",
    );
  }
  const metadata = {
    client_id: randomBytes(ID_BYTES).toString("base64url"),
    client_id_issued_at: toSeconds(clock.now()),
    client_name: plainName(request.client_name),
    redirect_uris: [...new Set(request.redirect_uris)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none" as const,
  };
  const now = clock.now();
  await insertClient(queries, { id: metadata.client_id, metadata, now, expiresAt: new Date(now.getTime() + UNUSED_MS) });
  return metadata;
}

export function isClientId(id: string): boolean {
  return ID.test(id);
}
