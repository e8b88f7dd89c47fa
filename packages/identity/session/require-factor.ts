import type { Factor } from "#contract.ts";
import { refusal } from "#refusals.ts";

type LastProof = { readonly authenticatedAt: Date };

/** How long a login, or a step-up, counts for what asks for a recent one. */
export const FRESH_LOGIN_MS = 600_000;

export function isFreshLogin({ authenticatedAt }: LastProof, now: Date): boolean {
  return now.getTime() - authenticatedAt.getTime() <= FRESH_LOGIN_MS;
}

/**
 * The one rule for whatever changes the password or the second factors of one's own account: if the account has a second factor, one
 * was shown within ten minutes, by the login of this session or by a step-up. Neither ends without one, so the time is all there is to
 * verify. An account without a second factor asks for what the route says.
 *
 * @throws {AppError} 403 `step_up_required`.
 */
export function requireFactor({ factors }: { readonly factors: readonly Factor[] }, session: LastProof, now: Date): void {
  if (factors.length > 0) {
    requireFreshLogin(session, now);
  }
}

/**
 * Requires a recent login of every account, with a second factor or without.
 *
 * @throws {AppError} 403 `step_up_required`.
 */
export function requireFreshLogin(session: LastProof, now: Date): void {
  if (!isFreshLogin(session, now)) {
    throw refusal("step_up_required");
  }
}
