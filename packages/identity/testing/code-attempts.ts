import type { Selectable } from "kysely";
import { AppError } from "@sightline/foundation/errors";
import { createSealer } from "#keys/sealed-values.ts";
import { createNotices } from "#notices/notices.ts";
import type { IdentitySchema } from "#schema.ts";
import { type CodeAttempt, type CodeTries, createCodeTries } from "#factors/kit/code-tries.ts";
import type { FactorPurpose } from "#factors/kit/factor.ts";
import { backupCodes } from "#factors/backup-code/backup-codes.ts";
import type { CodeKind } from "#factors/kit/code-kind.ts";
import { createTotpCodes } from "#factors/totp/totp.ts";
import { createCodes, type Codes } from "#factors/kit/codes.ts";
import { createAccount, type IdentityFixture } from "./identity-fixture.ts";
import { codeOf, enableSecondFactor, wrongCodeOf, type EnabledSecondFactor } from "./second-factor.ts";

/** The ring of the tests. */
export const sealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]);

/** One account's second factor without routes around it. */
export type CodesUnderTest = EnabledSecondFactor & {
  readonly codes: Codes;
  readonly totp: CodeKind;
  readonly tries: CodeTries;
  readonly right: () => string;
  readonly wrong: () => string;
  readonly attemptOf: (code: string, purpose?: FactorPurpose) => CodeAttempt;
  /** `totp` or `backup_code` when it was accepted, else the error's code; for a lock the seconds to wait. */
  readonly outcomeOf: (code: string, purpose?: FactorPurpose) => Promise<string | number>;
  /** Tries until nothing is looked at any more. */
  readonly failUntilLocked: (code: () => string) => Promise<{ readonly outcomes: readonly string[]; readonly seconds: number }>;
  readonly row: () => Promise<Selectable<IdentitySchema["identity.users"]>>;
  readonly triedAt: () => Promise<readonly Date[]>;
  readonly audit: () => Promise<readonly { readonly event: string; readonly details: object }[]>;
  readonly notices: () => Promise<readonly string[]>;
};

let count = 0;

export async function createCodesUnderTest({ identity, database, clock }: IdentityFixture): Promise<CodesUnderTest> {
  const email = `user-${++count}@example.org`;
  await createAccount(identity, email);
  const enabled = await enableSecondFactor({ database }, email);
  const { userId, tenantId, secret } = enabled;
  const queries = database.query;
  const dependencies = { queries, notices: createNotices({ sealer, mailed: false }), clock };
  const totp = createTotpCodes({ sealer, clock, window: 1 });
  const codes = createCodes({ ...dependencies, kinds: [totp, backupCodes] });

  function attemptOf(code: string, purpose: FactorPurpose = "login"): CodeAttempt {
    return { userId, tenantId, code, purpose, client: { ip: "203.0.113.7", userAgent: undefined } };
  }

  async function outcomeOf(code: string, purpose?: FactorPurpose): Promise<string | number> {
    try {
      return await codes.accept(attemptOf(code, purpose), async (_transaction, { method }) => method);
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      return error.status === 429 ? Number(error.headers["retry-after"]) : error.code;
    }
  }

  return {
    ...enabled,
    codes,
    totp,
    tries: createCodeTries(dependencies),
    right: () => codeOf(secret, clock),
    wrong: () => wrongCodeOf(secret, clock),
    attemptOf,
    outcomeOf,
    failUntilLocked: async (code) => {
      const outcomes: string[] = [];
      for (;;) {
        const outcome = await outcomeOf(code());
        if (typeof outcome === "number") {
          return { outcomes, seconds: outcome };
        }
        outcomes.push(outcome);
      }
    },
    row: () => queries.selectFrom("identity.users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow(),
    triedAt: async () => {
      const rows = await queries.selectFrom("identity.second_factor_tries").select("at").where("user_id", "=", userId).execute();
      return rows.map(({ at }) => at);
    },
    audit: () =>
      queries
        .selectFrom("identity.audit")
        .select(["event", "details"])
        .where("user_id", "=", userId)
        .where("event", "!=", "user_created")
        .orderBy("id")
        .execute(),
    notices: async () => {
      const rows = await queries.selectFrom("identity.notices").select("kind").where("user_id", "=", userId).orderBy("id").execute();
      return rows.map(({ kind }) => kind);
    },
  };
}
