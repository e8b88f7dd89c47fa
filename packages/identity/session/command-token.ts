import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import type { Clock } from "@sightline/foundation/clock";
import { auditAlone } from "#audit/audit.store.ts";
import type { SigningKeys } from "#keys/signing-keys.ts";
import type { Queries } from "#schema.ts";
import { PRODUCT_AUDIENCE, signAccessToken, toSeconds } from "./access-token.ts";

type Dependencies = { readonly queries: Queries; readonly keys: SigningKeys; readonly issuer: string; readonly clock: Clock };

export type CommandTokenRequest = {
  readonly tenantId: string;
  /** The purpose, as the audit shows it. */
  readonly purpose: string;
};

/** The subject that stands for the command line of the host, which is no account. */
export const COMMAND_LINE = "00000000-0000-4000-8000-000000000000";

const SECONDS = 600;

/**
 * Issues an access token for a command on the host, so that it can use the same HTTP APIs as everyone. Whoever can make
 * one holds the key ring and the database already. It belongs to no session, so identity's own routes refuse it.
 */
export async function issueCommandToken(
  { queries, keys, issuer, clock }: Dependencies,
  { tenantId, purpose }: CommandTokenRequest,
): Promise<string> {
  const now = clock.now();
  const jti = randomUUID();
  const token = new SignJWT({ tid: tenantId, role: "admin", amr: ["command"], auth_time: toSeconds(now) })
    .setSubject(COMMAND_LINE)
    .setAudience(PRODUCT_AUDIENCE)
    .setJti(jti);
  const signed = await signAccessToken(token, { keys, issuer }, now, SECONDS);
  await auditAlone(queries, { event: "token_issued", at: now, tenantId, details: { purpose, jti } });
  return signed;
}
