import type { Clock } from "@sightline/foundation/clock";
import { AppError, orRefuse } from "@sightline/foundation/errors";
import { raiseEpoch } from "#accounts/account.store.ts";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Client } from "#audit/client.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";
import type { Queries, SecondFactorPool } from "#schema.ts";
import { deletePartialTokensOf } from "#session/session.store.ts";
import {
  deleteTry,
  insertTry,
  lockOwner,
  readPool,
  requirePasswordChange,
  saveFailuresInARow,
  type SecondFactorOwner,
} from "./code-tries.store.ts";
import { blocksOf, withoutTry, withTry, type Block } from "./lockout.ts";

export type SecondFactorPurpose = "login" | "step_up" | "replace" | "backup_codes" | "disable";

export type CodeAttempt = {
  readonly userId: string;
  readonly tenantId: string;
  /** The calling session; undefined at the login. */
  readonly sessionId?: string | undefined;
  /** Six digits, or a backup code; as typed. */
  readonly code: string;
  readonly client: Client;
  readonly purpose: SecondFactorPurpose;
  /** Slow work that only a right code is worth; done before the transaction begins. */
  readonly prepare?: () => Promise<void>;
};

/** A try that is counted before anything is evaluated. */
export type CodeTry = {
  readonly id: string;
  readonly pool: SecondFactorPool;
  readonly owner: SecondFactorOwner;
  /** Whether the budget is used up if this try is wrong. */
  readonly isLast: boolean;
};

export type FailureReason = "wrong_code" | "code_replayed";

export type CodeTries = ReturnType<typeof createCodeTries>;

type Dependencies = { readonly queries: Queries; readonly notices: Notices; readonly clock: Clock };

/** Each operation has a transaction of its own: a counted try stays counted, whatever becomes of the request. */
export function createCodeTries({ queries, notices, clock }: Dependencies) {
  return {
    /** @throws {AppError} 429 `too_many_tries`, 409 `not_enabled`; then nothing is counted. */
    reserve: async ({ userId }: CodeAttempt, pool: SecondFactorPool): Promise<CodeTry> => {
      const now = clock.now();
      return queries.transaction().execute(async (transaction) => {
        const owner = orRefuse(await lockOwner(transaction, userId), () => refusal("not_enabled"));
        const state = await readPool(transaction, { userId, pool }, now);
        const [block] = blocksOf(pool, state, now);
        if (block !== undefined) {
          throw tooManyTries(pool, block, now);
        }
        const next = withTry(pool, state, now);
        const id = await insertTry(transaction, { userId, pool }, now);
        if (pool === "totp") {
          await saveFailuresInARow(transaction, userId, next);
        }
        return { id, pool, owner, isLast: blocksOf(pool, next, now).length > 0 };
      });
    },

    fail: async (attempt: CodeAttempt, { pool, isLast }: CodeTry, reason: FailureReason): Promise<void> => {
      const { userId } = attempt;
      const now = clock.now();
      await queries.transaction().execute(async (transaction) => {
        const owner = await lockOwner(transaction, userId);
        const blocks = isLast ? blocksOf(pool, await readPool(transaction, { userId, pool }, now), now) : [];
        const [block] = blocks;
        if (owner !== undefined && block !== undefined) {
          await raiseEpoch(transaction, { id: userId, now });
          await deletePartialTokensOf(transaction, userId);
          const details = { method: pool, ip: attempt.client.ip };
          await notices.append(transaction, { userId, kind: "two_factor_locked", at: now, details });
          // Somebody who fails that often at the second step knows the password.
          if (pool === "totp" && !owner.mustChangePassword && blocks.some(({ reason: why }) => why !== "in_a_row")) {
            await requirePasswordChange(transaction, userId);
            await notices.append(transaction, { userId, kind: "password_guessed", at: now, details });
          }
        }
        const event = auditOf(attempt, pool, now);
        if (reason === "code_replayed") {
          await appendAudit(transaction, { ...event, event: "2fa_code_replayed" });
        }
        const failed = attempt.purpose === "login" ? "2fa_login_failed" : "step_up_failed";
        await appendAudit(transaction, { ...event, event: failed, details: { ...event.details, reason } });
        if (block !== undefined) {
          const details = { ...event.details, reason: block.reason, until: block.until.toISOString() };
          await appendAudit(transaction, { ...event, event: "2fa_locked", details });
        }
      });
    },

    /** Call it when the try was not evaluated, or was right although its action failed. */
    giveBack: async ({ userId }: CodeAttempt, { id, pool }: CodeTry): Promise<void> => {
      await queries.transaction().execute(async (transaction) => {
        await lockOwner(transaction, userId);
        if ((await deleteTry(transaction, id)) && pool === "totp") {
          const state = await readPool(transaction, { userId, pool }, clock.now());
          await saveFailuresInARow(transaction, userId, withoutTry(state));
        }
      });
    },
  };
}

/** The fields that every audit row about a code has. */
export function auditOf(
  { userId, tenantId, sessionId, client, purpose }: CodeAttempt,
  method: SecondFactorPool,
  at: Date,
): Omit<AuditEvent, "event"> {
  return { at, userId, tenantId, sessionId, client, actorId: sessionId === undefined ? undefined : userId, details: { purpose, method } };
}

function tooManyTries(pool: SecondFactorPool, { until, reason }: Block, now: Date): AppError {
  const seconds = Math.max(Math.ceil((until.getTime() - now.getTime()) / 1000), 1);
  const wait = `Too many wrong codes. Wait ${seconds} seconds`;
  const messages = {
    totp:
      reason === "suspended"
        ? "Too many wrong codes: codes of the authenticator app are no longer looked at. Use a backup code, or ask another admin to reset your second factor."
        : `${wait}, or use a backup code.`,
    backup_code: `${wait}, or use a code of the authenticator app.`,
  };
  return new AppError({ code: "too_many_tries", status: 429, message: messages[pool], headers: { "retry-after": String(seconds) } });
}
