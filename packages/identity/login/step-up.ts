import { AppError, orRefuse } from "@sightline/foundation/errors";
import { findAccount } from "#accounts/account.store.ts";
import { confirmPassword } from "#accounts/confirm-password.ts";
import { auditAlone } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { StepUpRequest } from "#contract.ts";
import type { Codes } from "#factors/kit/codes.ts";
import { sessionOver } from "#factors/kit/lock-signed-in.ts";
import { raiseSession } from "#factors/kit/raise-session.ts";
import { FACTOR_KINDS } from "#factors/registry.ts";
import { refusal } from "#refusals.ts";
import type { LoginDependencies } from "./login.ts";

export type StepUpDependencies = LoginDependencies & { readonly codes: Codes };

/**
 * A step-up by the password, with a code where the account has a second factor: the password alone would leave that out.
 *
 * @returns when it ends.
 * @throws {AppError} 400 `code_required` or `passkey_required`, 403 `wrong_password` or `invalid_code`, 429 `too_many_tries`.
 */
export async function stepUp(dependencies: StepUpDependencies, caller: Caller, { password, code }: StepUpRequest): Promise<Date> {
  const { queries, codes, clock } = dependencies;
  const account = orRefuse(await findAccount(queries, caller.userId), sessionOver);
  const missing = account.factors.map((factor) => FACTOR_KINDS[factor].missing);
  const takesCode = missing.includes("code_required");
  const proof = takesCode && code !== undefined ? codes.proofOf(code) : undefined;
  const [other] = missing;
  if (other !== undefined && proof === undefined) {
    throw refusal(takesCode ? "code_required" : other);
  }
  try {
    await confirmPassword(dependencies, account, password, caller);
  } catch (error) {
    if (error instanceof AppError && error.code === "wrong_password") {
      await auditAlone(queries, { ...ownAction(caller, clock.now()), event: "step_up_failed", details: { reason: error.code } });
    }
    throw error;
  }
  return raiseSession(dependencies, caller, account, proof);
}
