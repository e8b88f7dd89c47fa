import type { Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { sessionPasswordCounters } from "#throttle/counters.ts";
import { givingBackOnFailure, type Throttle } from "#throttle/throttle.ts";
import type { Account } from "./account.store.ts";
import { NO_PASSWORD, type PasswordHasher } from "./password-hash.ts";

type Dependencies = { readonly hasher: PasswordHasher; readonly throttle: Throttle };

/**
 * Verifies the password of somebody who is signed in already. Wrong guesses count for the session, apart from those of strangers
 * at the login, who could shut the owner out otherwise.
 *
 * @throws {AppError} 403 `no_password` or `wrong_password`, 429 `too_many_tries`.
 */
export async function confirmPassword(
  { hasher, throttle }: Dependencies,
  account: Account,
  password: string,
  { sessionId, client }: Pick<Caller, "sessionId" | "client">,
): Promise<void> {
  if (account.passwordHash === NO_PASSWORD) {
    throw refusal("no_password");
  }
  const taken = await throttle.take(sessionPasswordCounters(sessionId), client.left);
  if (!(await givingBackOnFailure(taken, () => hasher.verify(account.passwordHash, password)))) {
    throw refusal("wrong_password");
  }
  await taken.succeeded();
}
