import type { Transaction } from "kysely";
import type { Client } from "#audit/client.ts";
import type { IdentitySchema, SecondFactorPool } from "#schema.ts";

export type SecondFactorPurpose = "login" | "step_up" | "replace" | "backup_codes" | "disable";

export type CodeAttempt = {
  readonly userId: string;
  readonly tenantId: string;
  /** Undefined at the login, where there is none yet. */
  readonly sessionId?: string | undefined;
  /** Six digits, or a backup code; as typed. */
  readonly code: string;
  readonly client: Client;
  readonly purpose: SecondFactorPurpose;
};

export type AcceptedCode = { readonly method: SecondFactorPool; readonly backupCodesRemaining: number };

export type SecondFactor = {
  /**
   * Reserves a try (own committed transaction), evaluates the code outside of any transaction, then runs `action` in one
   * transaction with the code's consumption. What `action` throws leaves the code unused and the try uncounted.
   *
   * @throws {AppError} 401 `invalid_code`, 429 `too_many_tries` with `Retry-After`, 409 `not_enabled`, 503 `second_factor_unreadable`.
   */
  readonly withCode: <Result>(
    attempt: CodeAttempt,
    action: (transaction: Transaction<IdentitySchema>, accepted: AcceptedCode) => Promise<Result>,
  ) => Promise<Result>;
};
