import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import { appendAudit, auditAlone } from "#audit/audit.store.ts";
import { SealError, type Sealer } from "#keys/sealed-values.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";
import type { Queries, SecondFactorPool, Transaction } from "#schema.ts";
import { findBackupCode, isBackupCode } from "./backup-code-hashes.ts";
import { auditOf, createCodeTries, type CodeAttempt, type CodeTry, type FailureReason } from "./code-tries.ts";
import { openTotpSecret, sealTotpSecret } from "./sealed-secret.ts";
import { deleteTry, forgetFailuresInARow, type SecondFactorOwner } from "./code-tries.store.ts";
import { readTotpCode, stepOfCode, timeOfStep } from "./totp-code.ts";
import { consumeBackupCode, consumeStep, replaceEnvelope } from "./used-codes.store.ts";

const WRONG_TOTP_CODE =
  "The code is wrong or was used before. Wait for the next one, see that the clock of your phone is right, or use a backup code.";
const WRONG_BACKUP_CODE = "The backup code is wrong or was used before. Try another one, or a code of the app.";

const NO_CODE = "That is no code: the app's have six digits, backup codes sixteen letters and digits.";

export type AcceptedCode = { readonly method: SecondFactorPool; readonly backupCodesRemaining: number };

/** Whether it has the form of a code of either kind: anything else is a slip of the keys. */
export function isCode(typed: string): boolean {
  return readTotpCode(typed) !== undefined || isBackupCode(typed);
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;

type Dependencies = {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly notices: Notices;
  readonly clock: Clock;
  /** TOTP_WINDOW */
  readonly window: number;
};

/** A right code that has not been used up yet. */
type RightCode =
  | { readonly method: "totp"; readonly step: number; readonly secret: string }
  | { readonly method: "backup_code"; readonly hash: string };

class RefusedCode extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason) {
    super(reason);
    this.reason = reason;
  }
}

/** The only way by which a code of either kind is accepted, so that no route has limits of its own. */
export function createSecondFactor({ queries, sealer, notices, clock, window }: Dependencies) {
  const tries = createCodeTries({ queries, notices, clock });

  /** @throws {RefusedCode} @throws {SealError} */
  async function evaluate(typed: string, totpCode: string | undefined, owner: SecondFactorOwner): Promise<RightCode> {
    if (totpCode === undefined) {
      const hash = await findBackupCode(owner.backupCodes, typed);
      if (hash === undefined) {
        throw new RefusedCode("wrong_code");
      }
      return { method: "backup_code", hash };
    }
    const secret = openTotpSecret(sealer, owner.id, owner.envelope);
    const step = await stepOfCode({ secret, code: totpCode, now: clock.now(), window });
    if (step === undefined) {
      throw new RefusedCode("wrong_code");
    }
    if (owner.lastStep !== null && step <= owner.lastStep) {
      throw new RefusedCode("code_replayed");
    }
    return { method: "totp", step, secret };
  }

  /** @returns how many backup codes are left. @throws {RefusedCode} when someone else was faster, or the secret is another one now. */
  async function useUp(transaction: Transaction, userId: string, right: RightCode): Promise<number> {
    const used =
      right.method === "totp"
        ? await consumeStep(transaction, userId, right.step, timeOfStep(right.step))
        : await consumeBackupCode(transaction, userId, right.hash);
    if (used === undefined) {
      throw new RefusedCode("code_replayed");
    }
    const { envelope, backupCodesRemaining } = used;
    if (right.method === "totp") {
      // An envelope that was sealed again meanwhile holds the same secret.
      if (openTotpSecret(sealer, userId, envelope) !== right.secret) {
        throw new RefusedCode("wrong_code");
      }
      if (!sealer.isCurrent(envelope)) {
        await replaceEnvelope(transaction, userId, envelope, sealTotpSecret(sealer, userId, right.secret));
      }
    }
    return backupCodesRemaining;
  }

  async function recordSuccess(transaction: Transaction, attempt: CodeAttempt, accepted: AcceptedCode): Promise<void> {
    const { userId, client } = attempt;
    const { method } = accepted;
    const now = clock.now();
    const event = auditOf(attempt, method, now);
    if (method === "backup_code") {
      const remaining = String(accepted.backupCodesRemaining);
      await notices.append(transaction, { userId, kind: "backup_code_used", at: now, details: { remaining, ip: client.ip } });
      await appendAudit(transaction, { ...event, event: "backup_code_used", details: { ...event.details, remaining } });
    }
    if (attempt.purpose === "login") {
      await appendAudit(transaction, { ...event, event: "2fa_login_ok" });
    }
  }

  /** Refuses the login when the secret cannot be read: the factor is never skipped. */
  async function refuseUnreadable(attempt: CodeAttempt, { pool }: CodeTry, cause: SealError): Promise<AppError> {
    const event = auditOf(attempt, pool, clock.now());
    const failed = attempt.purpose === "login" ? "2fa_login_failed" : "step_up_failed";
    await auditAlone(queries, { ...event, event: failed, details: { ...event.details, reason: "secret_unreadable" } });
    return refusal("second_factor_unreadable", { cause });
  }

  return {
    /**
     * Reserves a try (own committed transaction), evaluates the code outside of any transaction, then runs `action` in one
     * transaction with the code's consumption. What `action` throws leaves the code unused and the try uncounted, as does what has not
     * the form of a code.
     *
     * @throws {AppError} 401 (login) or 403 `invalid_code`, 429 `too_many_tries` with `Retry-After`, 409 `not_enabled`, 503 `second_factor_unreadable`.
     */
    withCode: async <Result>(
      attempt: CodeAttempt,
      action: (transaction: Transaction, accepted: AcceptedCode) => Promise<Result>,
    ): Promise<Result> => {
      const totpCode = readTotpCode(attempt.code);
      // To a client with an access token 401 would say that this is over.
      const refuse = (message: string) => new AppError({ code: "invalid_code", status: attempt.purpose === "login" ? 401 : 403, message });
      if (!isCode(attempt.code)) {
        // A slip of the keys guesses nothing, and costs nothing.
        throw refuse(NO_CODE);
      }
      const taken = await tries.reserve(attempt, totpCode === undefined ? "backup_code" : "totp");
      try {
        const right = await evaluate(attempt.code, totpCode, taken.owner);
        await attempt.prepare?.();
        return await queries.transaction().execute(async (transaction) => {
          const backupCodesRemaining = await useUp(transaction, attempt.userId, right);
          await deleteTry(transaction, taken.id);
          await forgetFailuresInARow(transaction, attempt.userId);
          const accepted = { method: right.method, backupCodesRemaining };
          const result = await action(transaction, accepted);
          await recordSuccess(transaction, attempt, accepted);
          return result;
        });
      } catch (error) {
        if (error instanceof RefusedCode) {
          await tries.fail(attempt, taken, error.reason);
          throw refuse(totpCode === undefined ? WRONG_BACKUP_CODE : WRONG_TOTP_CODE);
        }
        await tries.giveBack(attempt, taken);
        throw error instanceof SealError ? await refuseUnreadable(attempt, taken, error) : error;
      }
    },
  };
}
