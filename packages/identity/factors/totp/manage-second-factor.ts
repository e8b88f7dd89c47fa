import { keepingEmergencyAdmin } from "#accounts/emergency.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { PasswordAndCode } from "#contract.ts";
import { endSessions } from "#session/end-sessions.ts";
import { makeBackupCodes, type BackupCodes } from "#factors/backup-code/backup-code-hashes.ts";
import { deletePartialTokensOf } from "#session/session.store.ts";
import { lockSignedIn } from "#factors/kit/lock-signed-in.ts";
import { replaceBackupCodes } from "#factors/backup-code/backup-codes.store.ts";
import { wipeSecondFactor } from "./setup.store.ts";
import { confirmEnabled, type SetupDependencies } from "./start-setup.ts";

/**
 * Makes ten new backup codes; the old ones become invalid with the same statement.
 *
 * @throws {AppError} 401 `auth_failed`, 409 `not_enabled`, 403 `wrong_password` or `invalid_code`, 429
 * `too_many_tries`.
 */
export async function regenerateBackupCodes(
  dependencies: SetupDependencies,
  caller: Caller,
  { password, code }: PasswordAndCode,
): Promise<readonly string[]> {
  const { codes, notices, clock } = dependencies;
  const { userId, sessionId, client } = caller;
  const account = await confirmEnabled(dependencies, caller, password);
  let made: BackupCodes = { codes: [], hashes: [] };
  async function prepare(): Promise<void> {
    made = await makeBackupCodes();
  }
  await codes.accept({ ...caller, code, purpose: "backup_codes", prepare }, async (transaction) => {
    await lockSignedIn(transaction, account, sessionId);
    const now = clock.now();
    await replaceBackupCodes(transaction, userId, made.hashes);
    await notices.append(transaction, { userId, kind: "backup_codes_regenerated", at: now, details: { ip: client.ip } });
    await appendAudit(transaction, { ...ownAction(caller, now), event: "backup_codes_regenerated" });
  });
  return made.codes;
}

/**
 * Switches the second factor off and deletes it. Counted tries stay, so that setting it up again gives nobody more
 * guesses.
 *
 * @throws {AppError} 401 `auth_failed`, 409 `not_enabled` or `last_break_glass`, 403 `wrong_password` or `invalid_code`, 429
 * `too_many_tries`.
 */
export async function disableSecondFactor(
  dependencies: SetupDependencies,
  caller: Caller,
  { password, code }: PasswordAndCode,
): Promise<void> {
  const { codes, notices, clock } = dependencies;
  const { userId, sessionId, client } = caller;
  const account = await confirmEnabled(dependencies, caller, password);
  await codes.accept({ ...caller, code, purpose: "disable" }, async (transaction) => {
    await lockSignedIn(transaction, account, sessionId);
    const now = clock.now();
    await keepingEmergencyAdmin(transaction, caller.tenantId, () => wipeSecondFactor(transaction, userId));
    await deletePartialTokensOf(transaction, userId);
    await notices.append(transaction, { userId, kind: "two_factor_disabled", at: now, details: { ip: client.ip } });
    await endSessions(transaction, { ...ownAction(caller, now), reason: "two_factor_disabled", except: sessionId });
    await appendAudit(transaction, { ...ownAction(caller, now), event: "2fa_disabled" });
  });
}
