import { keepingEmergencyAdmin } from "#accounts/emergency.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { PasswordAndCode } from "#contract.ts";
import { makeBackupCodes, type BackupCodes } from "#factors/backup-code/make-backup-codes.ts";
import { recordFactorChange } from "#factors/kit/record-change.ts";
import { replaceBackupCodes } from "#factors/backup-code/backup-codes.store.ts";
import { wipeSecondFactor } from "./setup.store.ts";
import { type SetupDependencies, withPasswordAndCode } from "./start-setup.ts";

/**
 * Makes ten new backup codes; the old ones become invalid with the same statement.
 *
 * @throws {AppError} 401 `auth_failed`, 409 `not_enabled`, 403 `wrong_password` or `invalid_code`, 429
 * `too_many_tries`.
 */
export async function regenerateBackupCodes(
  dependencies: SetupDependencies,
  caller: Caller,
  proof: PasswordAndCode,
): Promise<readonly string[]> {
  const { notices, clock } = dependencies;
  const { userId, client } = caller;
  let made: BackupCodes = { codes: [], hashes: [] };
  async function prepare(): Promise<void> {
    made = await makeBackupCodes();
  }
  await withPasswordAndCode(dependencies, caller, { ...proof, purpose: "backup_codes", prepare }, async (transaction) => {
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
export async function disableSecondFactor(dependencies: SetupDependencies, caller: Caller, proof: PasswordAndCode): Promise<void> {
  await withPasswordAndCode(dependencies, caller, { ...proof, purpose: "disable" }, async (transaction) => {
    await keepingEmergencyAdmin(transaction, caller.tenantId, () => wipeSecondFactor(transaction, caller.userId));
    await recordFactorChange(transaction, dependencies, caller, { event: "2fa_disabled", notice: "two_factor_disabled" });
  });
}
