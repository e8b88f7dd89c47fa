import type { Clock } from "@sightline/foundation/clock";
import type { Account } from "#accounts/account.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { Queries, Transaction } from "#schema.ts";
import { FRESH_LOGIN_MS } from "#session/require-factor.ts";
import { setStepUp } from "#session/session.store.ts";
import type { FactorProof } from "./factor.ts";
import { lockSignedIn } from "./lock-signed-in.ts";

/**
 * The one step-up: for ten minutes the session may do what requires one, and counts as freshly logged in.
 *
 * @param proof of an account that has a second factor; the caller has verified the password where that is asked for, too.
 * @returns when that ends.
 */
export async function raiseSession(
  { queries, clock }: { readonly queries: Queries; readonly clock: Clock },
  caller: Caller,
  account: Account,
  proof: FactorProof | undefined,
): Promise<Date> {
  async function raise(transaction: Transaction, method: string): Promise<Date> {
    const now = clock.now();
    const until = new Date(now.getTime() + FRESH_LOGIN_MS);
    await lockSignedIn(transaction, account, caller.sessionId);
    await setStepUp(transaction, caller.sessionId, now, until);
    await appendAudit(transaction, { ...ownAction(caller, now), event: "step_up_ok", details: { method } });
    return until;
  }
  return proof === undefined
    ? queries.transaction().execute((transaction) => raise(transaction, "password"))
    : proof.prove({ ...caller, purpose: "step_up" }, (transaction, { method }) => raise(transaction, method));
}
