import type { RawBuilder } from "kysely";
import type { Notices } from "#notices/notices.ts";
import type { AuditEvent } from "#audit/audit.store.ts";
import type { Queries, SecondFactorPool, Transaction } from "#schema.ts";
import type { FactorAttempt } from "./factor.ts";
import type { CodeLimits } from "./lockout.ts";

/** A kind of code that people type. */
export type CodeKind = {
  /** Its name in answers and in the audit. Each kind is counted apart: a lock of one never shuts the owner out of another. */
  readonly method: SecondFactorPool;
  readonly isSetUp: RawBuilder<boolean>;
  /** Its names in RFC 8176, which has none for a backup code. */
  readonly amr: readonly string[];
  readonly limits: CodeLimits;
  readonly words: {
    /** How the code looks: the end of a sentence. */
    readonly form: string;
    /** Answers a wrong code. */
    readonly wrong: string;
    /** The way out while the kind is locked: the end of a sentence. */
    readonly instead: string;
    /** Answers while the kind is suspended, where it can be. */
    readonly suspended?: string;
  };
  /** @returns the code as it is verified; undefined when it has not the form of the kind. */
  readonly read: (typed: string) => string | undefined;
  /** @throws {RefusedCode} @throws {SealError} */
  readonly evaluate: (queries: Queries, userId: string, code: string) => Promise<RightCode>;
  /** Records the use, once everything else of the transaction is done, where there is something to tell of it. */
  readonly recordUse?: (transaction: Transaction, notices: Notices, use: RecordedUse) => Promise<void>;
};

type RecordedUse = { readonly attempt: FactorAttempt; readonly event: Omit<AuditEvent, "event"> };

/** Uses the code up. @throws {RefusedCode} when someone else was faster, or the account has another secret now. */
export type RightCode = (transaction: Transaction) => Promise<void>;

export class RefusedCode extends Error {
  readonly reason: "wrong_code" | "code_replayed";
  constructor(reason: RefusedCode["reason"]) {
    super(reason);
    this.reason = reason;
  }
}
