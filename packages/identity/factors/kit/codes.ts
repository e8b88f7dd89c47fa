import { sql } from "kysely";
import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import { appendAudit, auditAlone } from "#audit/audit.store.ts";
import { SealError } from "#keys/sealed-values.ts";
import type { Notices } from "#notices/notices.ts";
import { refusal } from "#refusals.ts";
import type { Queries, SecondFactorPool, Transaction } from "#schema.ts";
import { RefusedCode, type CodeKind } from "./code-kind.ts";
import { auditOfCode, createCodeTries, type CodeAttempt } from "./code-tries.ts";
import { deleteTry, forgetFailuresInARow } from "./code-tries.store.ts";
import type { FactorProof, ProvedFactor } from "./factor.ts";

export type Codes = ReturnType<typeof createCodes>;

type Dependencies = { readonly queries: Queries; readonly notices: Notices; readonly clock: Clock; readonly kinds: readonly CodeKind[] };

/** The only way by which a code of any kind is accepted, so that no route has limits of its own. */
export function createCodes({ queries, notices, clock, kinds }: Dependencies) {
  const tries = createCodeTries({ queries, notices, clock });

  function read(typed: string): { readonly kind: CodeKind; readonly code: string } | undefined {
    for (const kind of kinds) {
      const code = kind.read(typed);
      if (code !== undefined) {
        return { kind, code };
      }
    }
    return undefined;
  }

  async function recordSuccess(transaction: Transaction, attempt: CodeAttempt, kind: CodeKind): Promise<void> {
    const event = auditOfCode(attempt, kind, clock.now());
    await kind.recordUse?.(transaction, notices, { attempt, event });
    if (attempt.purpose === "login") {
      await appendAudit(transaction, { ...event, event: "2fa_login_ok" });
    }
  }

  /** Refuses the login when the secret cannot be read: the factor is never skipped. */
  async function refuseUnreadable(attempt: CodeAttempt, kind: CodeKind, cause: SealError): Promise<AppError> {
    const event = auditOfCode(attempt, kind, clock.now());
    const failed = attempt.purpose === "login" ? "2fa_login_failed" : "step_up_failed";
    await auditAlone(queries, { ...event, event: failed, details: { ...event.details, reason: "secret_unreadable" } });
    return refusal("second_factor_unreadable", { cause });
  }

  /**
   * Reserves a try (own committed transaction), evaluates the code outside of any transaction, then runs `action` in one
   * transaction with the code's consumption. What `action` throws leaves the code unused and the try uncounted, as does what has not
   * the form of a code.
   *
   * @throws {AppError} 401 (login) or 403 `invalid_code`, 429 `too_many_tries` with `Retry-After`, 409 `not_enabled`, 503 `second_factor_unreadable`.
   */
  async function accept<Result>(
    attempt: CodeAttempt,
    action: (transaction: Transaction, proved: ProvedFactor<SecondFactorPool>) => Promise<Result>,
  ): Promise<Result> {
    // To a client with an access token 401 would say that this is over.
    const refuse = (message: string) => new AppError({ code: "invalid_code", status: attempt.purpose === "login" ? 401 : 403, message });
    const typed = read(attempt.code);
    if (typed === undefined) {
      // A slip of the keys guesses nothing, and costs nothing.
      throw refuse(`That is no code: ${kinds.map(({ words }) => words.form).join(", ")}.`);
    }
    const { kind, code } = typed;
    const taken = await tries.reserve(attempt, kind);
    try {
      const useUp = await kind.evaluate(queries, attempt.userId, code);
      await attempt.prepare?.();
      return await queries.transaction().execute(async (transaction) => {
        await useUp(transaction);
        await deleteTry(transaction, taken.id);
        await forgetFailuresInARow(transaction, attempt.userId);
        const result = await action(transaction, { method: kind.method, amr: kind.amr });
        await recordSuccess(transaction, attempt, kind);
        return result;
      });
    } catch (error) {
      if (error instanceof RefusedCode) {
        await tries.fail(attempt, taken, error.reason);
        throw refuse(kind.words.wrong);
      }
      await tries.giveBack(attempt, taken);
      throw error instanceof SealError ? await refuseUnreadable(attempt, kind, error) : error;
    }
  }

  return {
    accept,
    /** The code as a second factor at the login or a step-up. */
    proofOf: (code: string): FactorProof<SecondFactorPool> => ({
      isSetUp: sql<boolean>`(${sql.join(
        kinds.map(({ isSetUp }) => isSetUp),
        sql` or `,
      )})`,
      isGuess: read(code) !== undefined,
      prove: (attempt, action) => accept({ ...attempt, code }, action),
    }),
  };
}
