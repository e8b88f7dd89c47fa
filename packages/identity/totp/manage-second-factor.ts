import type { Owner } from "@sightline/foundation/http/principal";
import { appendAudit } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { PasswordAndCode, SecondFactorStatus } from "#contract.ts";
import { endSessions } from "#session/end-sessions.ts";
import { makeBackupCodes, type BackupCodes } from "./backup-codes.ts";
import { deletePartialTokensOf } from "#session/session.store.ts";
import { lockSignedIn } from "./lock-signed-in.ts";
import { readPool } from "./second-factor.store.ts";
import { findSecondFactor, replaceBackupCodes, wipeSecondFactor } from "./setup.store.ts";
import { confirmEnabled, type SetupDependencies } from "./start-setup.ts";
import { blocksOf, MAX_WINDOW_SECONDS, ROLLING_LIMITS } from "./try-limits.ts";

const CODES = 10 ** 6;
const DAY_SECONDS = 86_400;

/**
 * The chance that somebody who has the password guesses a code, under the limits in force: the sum of the chances of
 * all tries that are evaluated, an upper bound. `window` is the number of steps before and after the present one whose
 * codes are right as well.
 */
function attackOdds(window: number): SecondFactorStatus["attack_odds"] {
  const validCodes = 2 * window + 1;
  const tries = Math.min(...ROLLING_LIMITS.totp.map((limit) => limit.tries * Math.ceil(MAX_WINDOW_SECONDS / limit.seconds)));
  return { days: MAX_WINDOW_SECONDS / DAY_SECONDS, tries, valid_codes: validCodes, probability: (tries * validCodes) / CODES };
}

/** Answers `GET /admin/2fa`. */
export async function describeSecondFactor({ queries, clock, window }: SetupDependencies, { userId }: Owner): Promise<SecondFactorStatus> {
  const now = clock.now();
  const { totpEnabled, backupCodes, lastUsedAt } = await findSecondFactor(queries, userId);
  const [block] = totpEnabled ? blocksOf("totp", await readPool(queries, { userId, pool: "totp" }, now), now) : [];
  const suspended = block?.reason === "suspended";
  return {
    totp_enabled: totpEnabled,
    backup_codes_remaining: backupCodes.length,
    totp_last_used_at: lastUsedAt?.toISOString() ?? null,
    locked_until: block === undefined || suspended ? null : block.until.toISOString(),
    suspended,
    attack_odds: attackOdds(window),
  };
}

/**
 * Makes ten new backup codes; the old ones become invalid with the same statement.
 *
 * @throws {AppError} 401 `auth_failed`, 409 `not_enabled`, 403 `wrong_password` or `invalid_code`, 429
 * `too_many_tries`.
 */
export async function regenerateBackupCodes(
  dependencies: SetupDependencies,
  owner: Owner,
  { password, code }: PasswordAndCode,
  client: Client,
): Promise<readonly string[]> {
  const { secondFactor, notices, clock } = dependencies;
  const { userId, tenantId, sessionId } = owner;
  const account = await confirmEnabled(dependencies, owner, password, client);
  let made: BackupCodes = { codes: [], hashes: [] };
  async function prepare(): Promise<void> {
    made = await makeBackupCodes();
  }
  await secondFactor.withCode({ ...owner, code, client, purpose: "backup_codes", prepare }, async (transaction) => {
    await lockSignedIn(transaction, account, sessionId);
    const now = clock.now();
    await replaceBackupCodes(transaction, userId, made.hashes);
    await notices.append(transaction, { userId, kind: "backup_codes_regenerated", at: now, details: { ip: client.ip } });
    await appendAudit(transaction, { event: "backup_codes_regenerated", at: now, userId, actorId: userId, tenantId, sessionId, client });
  });
  return made.codes;
}

/**
 * Switches the second factor off and deletes it. Counted tries stay, so that setting it up again gives nobody more
 * guesses.
 *
 * @throws {AppError} 401 `auth_failed`, 409 `not_enabled`, 403 `wrong_password` or `invalid_code`, 429
 * `too_many_tries`.
 */
export async function disableSecondFactor(
  dependencies: SetupDependencies,
  owner: Owner,
  { password, code }: PasswordAndCode,
  client: Client,
): Promise<void> {
  const { secondFactor, notices, clock } = dependencies;
  const { userId, tenantId, sessionId } = owner;
  const account = await confirmEnabled(dependencies, owner, password, client);
  await secondFactor.withCode({ ...owner, code, client, purpose: "disable" }, async (transaction) => {
    await lockSignedIn(transaction, account, sessionId);
    const now = clock.now();
    await wipeSecondFactor(transaction, userId);
    await deletePartialTokensOf(transaction, userId);
    await notices.append(transaction, { userId, kind: "two_factor_disabled", at: now, details: { ip: client.ip } });
    await endSessions(transaction, { userId, tenantId, actorId: userId, client, reason: "two_factor_disabled", now, except: sessionId });
    await appendAudit(transaction, { event: "2fa_disabled", at: now, userId, actorId: userId, tenantId, sessionId, client });
  });
}
