import type { Client } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { passwordCounters } from "#throttle/counters.ts";
import { givingBackOnFailure, type Throttle } from "#throttle/throttle.ts";
import { type Account, foldEmail } from "./account.store.ts";
import type { PasswordHasher } from "./password-hash.ts";

type Dependencies = { readonly hasher: PasswordHasher; readonly throttle: Throttle };

/**
 * Verifies the password of somebody who is signed in already. Wrong guesses count as those of the login do.
 *
 * @throws {AppError} 403 `wrong_password`, 429 `too_many_tries`.
 */
export async function confirmPassword(
  { hasher, throttle }: Dependencies,
  account: Account,
  password: string,
  client: Client,
): Promise<void> {
  const taken = await throttle.take(passwordCounters(foldEmail(account.email), client.ip), client.left);
  if (!(await givingBackOnFailure(taken, () => hasher.verify(account.passwordHash, password)))) {
    throw refusal("wrong_password");
  }
  await taken.succeeded();
}
