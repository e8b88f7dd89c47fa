import { createHash, randomBytes } from "node:crypto";
import type { Client } from "#audit/client.ts";
import type { Factor, PartialSession } from "#contract.ts";
import type { Transaction } from "#schema.ts";
import type { NamedPerson } from "#session/sso-link.store.ts";
import { insertPartialToken } from "./partial-token.store.ts";

const TOKEN_BYTES = 32;
const SECONDS = 300;

/** How the first step was proved: by a password, or by the company's provider, which named somebody. */
export type FirstStep = { readonly amr: readonly string[]; readonly named?: NamedPerson };

export const BY_PASSWORD: FirstStep = { amr: ["pwd"] };

/**
 * Issues the token that the first step gives when a second one is due. It opens `POST /login/verify-2fa` and nothing
 * else. The caller holds the account's lock.
 */
export async function issuePartialToken(
  transaction: Transaction,
  { amr, named, ...account }: FirstStep & { readonly id: string; readonly epoch: number },
  client: Client,
  now: Date,
): Promise<PartialSession> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  await insertPartialToken(transaction, {
    token_hash: hashOfPartialToken(token),
    user_id: account.id,
    epoch: account.epoch,
    ip: client.ip,
    user_agent: client.userAgent ?? null,
    amr: [...amr],
    sso_issuer: named?.issuer ?? null,
    sso_subject: named?.subject ?? null,
    authenticated_at: now,
    expires_at: new Date(now.getTime() + SECONDS * 1000),
  });
  return { two_factor_required: true, partial_token: token, expires_in: SECONDS };
}

/** Lists the kinds that the second step takes, where they are more than codes. */
export function describeSecondSteps({ factors }: { readonly factors: readonly Factor[] }): Pick<PartialSession, "methods"> {
  return factors.every((factor) => factor === "totp") ? {} : { methods: [...factors] };
}

/** The hash is all that is stored of a token. */
export function hashOfPartialToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
