import type { RawBuilder } from "kysely";
import type { Client } from "#audit/client.ts";
import type { Queries, Transaction } from "#schema.ts";

/** A kind of second factor; a `FactorProof` of it proves that somebody has it. */
export type FactorKind<Description = unknown> = {
  /** Which accounts have it: SQL over a row of identity.users that is named `user`. */
  readonly isSetUp: RawBuilder<boolean>;
  /** Describes it to its owner. */
  readonly describe: (queries: Queries, userId: string, now: Date) => Promise<Description>;
  /** The refusal of a password that comes without it. */
  readonly missing: "code_required" | "passkey_required";
  /** Takes it from an account, with what was tried of it. */
  readonly remove: (transaction: Transaction, userId: string) => Promise<unknown>;
};

export type FactorPurpose = "login" | "step_up" | "replace" | "backup_codes" | "disable";

/** Somebody shows a second factor for a purpose. */
export type FactorAttempt = {
  readonly userId: string;
  readonly tenantId: string;
  /** The calling session; undefined at the login. */
  readonly sessionId?: string | undefined;
  readonly client: Client;
  readonly purpose: FactorPurpose;
};

export type ProvedFactor<Method extends string = string> = {
  readonly method: Method;
  /** Its names in RFC 8176, which has none for some. */
  readonly amr: readonly string[];
  /** Details for the audit of a login. */
  readonly details?: Readonly<Record<string, string>>;
};

/** Something that was sent as a second factor: a code, or the answer of a passkey. */
export type FactorProof<Method extends string = string> = {
  /** The accounts that it could belong to, as SQL. */
  readonly isSetUp: RawBuilder<boolean>;
  /** False of a slip of the keys, which guesses nothing. */
  readonly isGuess: boolean;
  /**
   * Verifies it, and uses it up in the transaction that `action` runs in.
   *
   * @throws {AppError} 401 (login) or 403 (beside an access token) when it is wrong, 429 `too_many_tries`.
   */
  readonly prove: <Result>(
    attempt: FactorAttempt,
    action: (transaction: Transaction, proved: ProvedFactor<Method>) => Promise<Result>,
  ) => Promise<Result>;
};
