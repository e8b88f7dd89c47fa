import type { Clock } from "@sightline/foundation/clock";
import { AppError, orRefuse } from "@sightline/foundation/errors";
import { raiseEpoch } from "#accounts/account.store.ts";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { deletePartialTokensOf } from "#session/session.store.ts";
import { deleteTry, insertTry, lockOwner, readPool, requirePasswordChange, saveFailuresInARow } from "./code-tries.store.ts";
import type { CodeKind, RefusedCode } from "./code-kind.ts";
import type { FactorAttempt } from "./factor.ts";
import { findBlocks, withoutTry, withTry, type Block } from "./lockout.ts";

export type CodeAttempt = FactorAttempt & {
  /** A code of any kind, as typed. */
  readonly code: string;
  /** Slow work that only a right code is worth; done before the transaction begins. */
  readonly prepare?: () => Promise<void>;
};

/** A try that is counted before anything is evaluated. */
export type CodeTry = {
  readonly id: string;
  readonly kind: CodeKind;
  /** Whether the budget is used up if this try is wrong. */
  readonly isLast: boolean;
};

export type CodeTries = ReturnType<typeof createCodeTries>;

type Dependencies = { readonly queries: Queries; readonly notices: Notices; readonly clock: Clock };

/** Each operation has a transaction of its own: a counted try stays counted, whatever becomes of the request. */
export function createCodeTries({ queries, notices, clock }: Dependencies) {
  return {
    /** @throws {AppError} 429 `too_many_tries`, 409 `not_enabled`; then nothing is counted. */
    reserve: async ({ userId }: CodeAttempt, kind: CodeKind): Promise<CodeTry> => {
      const now = clock.now();
      return queries.transaction().execute(async (transaction) => {
        orRefuse(await lockOwner(transaction, userId, kind), () => refusal("not_enabled"));
        const state = await readPool(transaction, userId, kind, now);
        const [block] = findBlocks(kind.limits, state, now);
        if (block !== undefined) {
          throw tooManyTries(kind, block, now);
        }
        const next = withTry(kind.limits, state, now);
        const id = await insertTry(transaction, userId, kind.method, now);
        if (kind.limits.inARow) {
          await saveFailuresInARow(transaction, userId, kind.method, next);
        }
        return { id, kind, isLast: findBlocks(kind.limits, next, now).length > 0 };
      });
    },

    fail: async (attempt: CodeAttempt, { kind, isLast }: CodeTry, reason: RefusedCode["reason"]): Promise<void> => {
      const { userId } = attempt;
      const now = clock.now();
      await queries.transaction().execute(async (transaction) => {
        const owner = await lockOwner(transaction, userId, kind);
        const blocks = isLast ? findBlocks(kind.limits, await readPool(transaction, userId, kind, now), now) : [];
        const [block] = blocks;
        if (owner !== undefined && block !== undefined) {
          await raiseEpoch(transaction, { id: userId, now });
          await deletePartialTokensOf(transaction, userId);
          const details = { method: kind.method, ip: attempt.client.ip };
          await notices.append(transaction, { userId, kind: "two_factor_locked", at: now, details });
          // Somebody who fails that often at the second step knows the password.
          if (kind.limits.inARow && !owner.mustChangePassword && blocks.some(({ reason: why }) => why !== "in_a_row")) {
            await requirePasswordChange(transaction, userId);
            await notices.append(transaction, { userId, kind: "password_guessed", at: now, details });
          }
        }
        const event = auditOfCode(attempt, kind, now);
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
    giveBack: async ({ userId }: CodeAttempt, { id, kind }: CodeTry): Promise<void> => {
      await queries.transaction().execute(async (transaction) => {
        await lockOwner(transaction, userId, kind);
        if ((await deleteTry(transaction, id)) && kind.limits.inARow) {
          const state = await readPool(transaction, userId, kind, clock.now());
          await saveFailuresInARow(transaction, userId, kind.method, withoutTry(state));
        }
      });
    },
  };
}

/** The fields that every audit row about a code has. */
export function auditOfCode(
  { userId, tenantId, sessionId, client, purpose }: CodeAttempt,
  { method }: CodeKind,
  at: Date,
): Omit<AuditEvent, "event"> {
  return { at, userId, tenantId, sessionId, client, actorId: sessionId === undefined ? undefined : userId, details: { purpose, method } };
}

function tooManyTries({ words }: CodeKind, { until, reason }: Block, now: Date): AppError {
  const seconds = Math.max(Math.ceil((until.getTime() - now.getTime()) / 1000), 1);
  const locked = `Too many wrong codes. Wait ${seconds} seconds, or ${words.instead}.`;
  const message = reason === "suspended" ? (words.suspended ?? locked) : locked;
  return new AppError({ code: "too_many_tries", status: 429, message, headers: { "retry-after": String(seconds) } });
}
