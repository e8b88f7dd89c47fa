import { createHash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Clock } from "@sightline/foundation/clock";
import { orRefuse } from "@sightline/foundation/errors";
import type { Authenticator } from "@sightline/foundation/http/http-server";
import type { AdministrationDependencies } from "#administration/act-on-account.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { getClient, ownAction, type Caller } from "#audit/client.ts";
import type { Scim } from "#contract.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { beginChange, tellOthers } from "#sso/change-settings.ts";
import type { OfTenant } from "./resources.ts";
import { deleteToken, findToken, saveToken, useToken } from "./token.store.ts";

const PREFIX = "sightline_scim_";
const BEARER = new RegExp(`^Bearer (?<token>${PREFIX}[\\w-]{43})$`, "i");

export async function describeScim({ queries, publicUrl }: AdministrationDependencies, tenantId: string): Promise<Scim> {
  const { createdAt, lastUsedAt } = (await findToken(queries, tenantId)) ?? {};
  const token = createdAt === undefined ? null : { created_at: createdAt.toISOString(), last_used_at: lastUsedAt?.toISOString() ?? null };
  return { base_url: scimUrl(publicUrl), token };
}

export const scimUrl = (publicUrl: string) => `${publicUrl}/api/identity/scim/v2`;

/**
 * Makes the token of the organization's directory in place of the one that there is, or ends that alone. Every other admin is told.
 *
 * @returns it, which is kept nowhere.
 * @throws {AppError} 403 `second_factor_needed`.
 */
export async function changeToken(dependencies: AdministrationDependencies, caller: Caller, change: "make" | "end"): Promise<string> {
  const { userId: createdBy, tenantId } = caller;
  const token = PREFIX + randomBytes(32).toString("base64url");
  await dependencies.queries.transaction().execute(async (transaction) => {
    await beginChange(transaction, caller);
    const now = dependencies.clock.now();
    const made = { tenantId, tokenHash: hashOf(token), createdBy, now };
    await (change === "make" ? saveToken(transaction, made) : deleteToken(transaction, tenantId));
    await tellOthers(dependencies, transaction, caller, change === "make" ? "a new token" : "no token any more", "the directory (SCIM)");
    await appendAudit(transaction, { ...ownAction(caller, now), event: change === "make" ? "scim_token_made" : "scim_token_ended" });
  });
  return token;
}

const tenants = new WeakMap<FastifyRequest, string>();

/** A directory's token. */
export function createScimAuthenticator({ queries, clock }: { readonly queries: Queries; readonly clock: Clock }): Authenticator {
  return async (request) => {
    const { token } = BEARER.exec(request.headers.authorization ?? "")?.groups ?? {};
    const tenantId = token === undefined ? undefined : await useToken(queries, hashOf(token), clock.now());
    const unknown = () => refusal("scim_token_unknown", { headers: { "www-authenticate": "Bearer" } });
    tenants.set(request, orRefuse(tenantId, unknown));
  };
}

/** @throws {Error} when the route's auth class lets others than directories through. */
export function getDirectory(request: FastifyRequest): OfTenant {
  const tenantId = tenants.get(request);
  if (tenantId === undefined) {
    throw new Error(`${request.method} ${request.url} is for directories, but its auth class lets others through`);
  }
  return { tenantId, origin: "scim", client: getClient(request) };
}

/** 256 random bits need no slow hash: nobody can guess one. */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
