import { createHash, randomBytes } from "node:crypto";
import type { Client } from "#audit/client.ts";
import type { PartialSession } from "#contract.ts";
import type { Transaction } from "#schema.ts";
import { insertPartialToken } from "./partial-token.store.ts";

const TOKEN_BYTES = 32;
const SECONDS = 300;

/**
 * Issues the token that a right password gives when a code is due too. It opens `POST /login/verify-2fa` and nothing
 * else. The caller holds the account's lock.
 */
export async function issuePartialToken(
  transaction: Transaction,
  account: { readonly id: string; readonly epoch: number },
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
    authenticated_at: now,
    expires_at: new Date(now.getTime() + SECONDS * 1000),
  });
  return { two_factor_required: true, partial_token: token, expires_in: SECONDS };
}

/** The hash is all that is stored of a token. */
export function hashOfPartialToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
