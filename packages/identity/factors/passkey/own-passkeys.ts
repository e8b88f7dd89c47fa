import { orRefuse } from "@sightline/foundation/errors";
import { keepingEmergencyAdmin } from "#accounts/emergency.ts";
import { findAccount, findFactors } from "#accounts/account.store.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import { refusal } from "#refusals.ts";
import { lockSignedIn, sessionOver } from "#factors/kit/lock-signed-in.ts";
import { recordFactorChange } from "#factors/kit/record-change.ts";
import { deletePasskey, renamePasskey } from "./passkey.store.ts";
import type { RegistrationDependencies } from "./register-passkey.ts";

/** @throws {AppError} 404 `unknown_passkey`. */
export async function renameOwnPasskey(
  { queries, clock }: RegistrationDependencies,
  caller: Caller,
  id: string,
  name: string,
): Promise<void> {
  await queries.transaction().execute(async (transaction) => {
    const renamed = await renamePasskey(transaction, { id, userId: caller.userId }, name);
    const from = orRefuse(renamed, () => refusal("unknown_passkey"));
    if (from !== name) {
      await appendAudit(transaction, { ...ownAction(caller, clock.now()), event: "passkey_renamed", details: { from, to: name } });
    }
  });
}

/**
 * Removes a passkey. Without another second factor the password alone logs in from then on.
 *
 * @throws {AppError} 401 `auth_failed`, 404 `unknown_passkey`, 409 `last_break_glass`.
 */
export async function removeOwnPasskey(dependencies: RegistrationDependencies, caller: Caller, id: string): Promise<void> {
  const { queries } = dependencies;
  const { userId, sessionId } = caller;
  const account = orRefuse(await findAccount(queries, userId), sessionOver);
  await queries.transaction().execute(async (transaction) => {
    await lockSignedIn(transaction, account, sessionId);
    const name = await keepingEmergencyAdmin(transaction, caller.tenantId, async () =>
      orRefuse(await deletePasskey(transaction, { id, userId }), () => refusal("unknown_passkey")),
    );
    const left = (await findFactors(transaction, userId)).at(-1) ?? "nothing";
    await recordFactorChange(transaction, dependencies, caller, {
      event: "passkey_removed",
      notice: "passkey_removed",
      details: { name, left },
    });
  });
}
