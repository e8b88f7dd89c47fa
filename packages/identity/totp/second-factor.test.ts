import { sql } from "kysely";
import { AppError } from "@sightline/foundation/errors";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSealer } from "#keys/sealing.ts";
import { createNotices } from "#notices/notices.ts";
import { createAccount, createIdentityUnderTest, type IdentityUnderTest } from "#testing/identity-under-test.ts";
import { codeOf, enableSecondFactor, wrongCodeOf, type EnabledSecondFactor } from "#testing/second-factor.ts";
import { createCodeTries } from "./code-tries.ts";
import { sealTotpSecret } from "./sealed-secret.ts";
import { createSecondFactor, type CodeAttempt, type SecondFactor, type SecondFactorPurpose } from "./second-factor.ts";
import { makeTotpSecret } from "./totp-code.ts";

const sealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]);
const NO_BACKUP_CODE = "AAAA-AAAA-AAAA-AAAA";

let subject: IdentityUnderTest;
let secondFactor: SecondFactor;
let user: EnabledSecondFactor;
let count = 0;

beforeAll(async () => {
  subject = await createIdentityUnderTest();
  secondFactor = createSecondFactor({ ...dependencies(), sealer, window: 1 });
});

afterAll(() => subject.close());

beforeEach(async () => {
  count++;
  const email = `user-${count}@example.org`;
  await createAccount(subject.identity, email);
  user = await enableSecondFactor(subject, email);
});

function dependencies() {
  return { queries: subject.database.query, notices: createNotices({ sealer, mailed: false }), clock: subject.clock };
}

function attemptOf(code: string, purpose: SecondFactorPurpose = "login"): CodeAttempt {
  return { userId: user.userId, tenantId: user.tenantId, code, purpose, client: { ip: "203.0.113.7", userAgent: undefined } };
}

/** `totp` or `backup_code` when it was accepted, else the error's code; for a lock the seconds to wait. */
async function outcomeOf(code: string, purpose?: SecondFactorPurpose): Promise<string | number> {
  try {
    return await secondFactor.withCode(attemptOf(code, purpose), async (_transaction, { method }) => method);
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    return error.status === 429 ? Number(error.headers["retry-after"]) : error.code;
  }
}

const right = () => codeOf(user.secret, subject.clock);
const wrong = () => wrongCodeOf(user.secret, subject.clock);
const forward = (seconds: number) => subject.clock.forward(seconds);

/** Fails until nothing is looked at any more. @returns how often, and how long to wait then. */
async function failUntilLocked(code: () => string): Promise<{ failures: number; seconds: number }> {
  for (let failures = 0; ; failures++) {
    const outcome = await outcomeOf(code());
    if (typeof outcome === "number") {
      return { failures, seconds: outcome };
    }
    expect(outcome).toBe("invalid_code");
  }
}

const rowOf = () => subject.database.query.selectFrom("identity.users").selectAll().where("id", "=", user.userId).executeTakeFirstOrThrow();
const triesOf = () =>
  subject.database.query.selectFrom("identity.second_factor_tries").select("at").where("user_id", "=", user.userId).execute();
const auditRows = () =>
  subject.database.query
    .selectFrom("identity.audit")
    .select(["event", "details"])
    .where("user_id", "=", user.userId)
    .orderBy("id")
    .execute();
const events = async () => (await auditRows()).map(({ event }) => event).filter((event) => event !== "user_created");
const notices = async () =>
  (
    await subject.database.query.selectFrom("identity.notices").select("kind").where("user_id", "=", user.userId).orderBy("id").execute()
  ).map(({ kind }) => kind);

describe("wrong codes of the app in a row", () => {
  test("lock after 5, 10 and 15, for longer each time", async () => {
    expect(await failUntilLocked(wrong)).toEqual({ failures: 5, seconds: 900 });
    forward(900);
    expect(await failUntilLocked(wrong)).toEqual({ failures: 5, seconds: 1800 });
    forward(1800);
    expect(await failUntilLocked(wrong)).toEqual({ failures: 5, seconds: 3600 });
  });

  test("count over all purposes", async () => {
    for (const purpose of ["login", "step_up", "replace", "backup_codes", "disable"] as const) {
      expect(await outcomeOf(wrong(), purpose)).toBe("invalid_code");
    }

    expect(await outcomeOf(right())).toBe(900);
  });

  test("are forgotten with a right one", async () => {
    for (let round = 0; round < 4; round++) {
      await outcomeOf(wrong());
    }
    expect(await outcomeOf(right())).toBe("totp");
    expect((await failUntilLocked(wrong)).failures).toBe(5);
  });

  test("while they lock, nothing is looked at, counted or used up", async () => {
    await failUntilLocked(wrong);
    const before = [await rowOf(), await triesOf(), await auditRows()];

    expect(await outcomeOf(right())).toBe(900);
    expect(await outcomeOf(wrong())).toBe(900);

    expect([await rowOf(), await triesOf(), await auditRows()]).toEqual(before);
    forward(900);
    expect(await outcomeOf(right())).toBe("totp");
  });

  test("lock with an audit row, a notice and a raised epoch, once a lock", async () => {
    const { epoch } = await rowOf();
    await failUntilLocked(wrong);

    expect(await rowOf()).toMatchObject({ epoch: epoch + 1, epoch_raised_at: subject.clock.now(), must_change_password: false });
    expect(await notices()).toEqual(["two_factor_locked"]);
    expect(await events()).toEqual([...Array.from({ length: 5 }, () => "2fa_login_failed"), "2fa_locked"]);
    expect((await auditRows()).at(-1)?.details).toEqual({
      purpose: "login",
      method: "totp",
      reason: "in_a_row",
      until: new Date(subject.clock.now().getTime() + 900_000).toISOString(),
    });
  });

  test("never shut out the owner of a backup code, who ends the lock", async () => {
    await failUntilLocked(wrong);

    expect(await outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
    expect(await outcomeOf(right())).toBe("totp");
  });

  test("the hundredth suspends codes of the app until a backup code was used", async () => {
    await subject.database.query
      .insertInto("identity.second_factor_counters")
      .values({ user_id: user.userId, pool: "totp", in_a_row: 99, locked_until: null })
      .execute();

    expect(await outcomeOf(wrong())).toBe("invalid_code");
    forward(40 * 86_400);
    expect(await outcomeOf(right())).toBe(86_400);
    expect(await notices()).toEqual(["two_factor_locked", "password_guessed"]);
    expect(await outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
    expect(await outcomeOf(right())).toBe("totp");
  });
});

describe("rolling budgets of the app's codes", () => {
  /** Four wrong, one right: never five in a row. */
  async function failWithoutLock(failures: number): Promise<void> {
    for (let failure = 1; failure <= failures; failure++) {
      expect(await outcomeOf(wrong())).toBe("invalid_code");
      if (failure % 4 === 0 && failure < failures) {
        forward(30);
        expect(await outcomeOf(right())).toBe("totp");
      }
    }
  }

  test("20 in a day lock until the oldest slides out, whatever succeeded between; the password has to be changed", async () => {
    const begun = subject.clock.now().getTime();
    await failWithoutLock(19);
    expect(await notices()).toEqual([]);
    expect(await outcomeOf(wrong())).toBe("invalid_code");

    const passed = (subject.clock.now().getTime() - begun) / 1000;
    expect(await outcomeOf(right())).toBe(86_400 - passed);
    expect(await notices()).toEqual(["two_factor_locked", "password_guessed"]);
    expect((await rowOf()).must_change_password).toBe(true);
    expect((await auditRows()).at(-1)).toMatchObject({ event: "2fa_locked", details: { reason: "rolling" } });
    expect(await outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
    expect(await outcomeOf(right())).toBe(86_400 - passed);
    forward(86_400 - passed);
    expect(await outcomeOf(right())).toBe("totp");
  });

  test("100 in thirty days lock until the oldest slides out", async () => {
    const begun = subject.clock.now().getTime();
    for (let day = 0; day < 5; day++) {
      await failWithoutLock(19);
      forward(86_400);
      expect(await outcomeOf(right())).toBe("totp");
    }
    await failWithoutLock(4);
    forward(30);
    expect(await outcomeOf(right())).toBe("totp");
    expect(await outcomeOf(wrong())).toBe("invalid_code");

    const passed = (subject.clock.now().getTime() - begun) / 1000;
    expect(await outcomeOf(right())).toBe(30 * 86_400 - passed);
    expect(await triesOf()).toHaveLength(100);
    expect(await notices()).toEqual(["two_factor_locked", "password_guessed"]);
  });
});

describe("wrong backup codes", () => {
  test("lock after 5 in 15 minutes, until the oldest slides out, and leave the app's codes alone", async () => {
    expect(await outcomeOf(NO_BACKUP_CODE)).toBe("invalid_code");
    forward(60);
    expect(await failUntilLocked(() => NO_BACKUP_CODE)).toEqual({ failures: 4, seconds: 840 });

    expect(await outcomeOf(user.backupCodes[0] ?? "")).toBe(840);
    expect((await rowOf()).totp_backup_codes).toHaveLength(10);
    expect(await outcomeOf(right())).toBe("totp");
    expect(await notices()).toEqual(["two_factor_locked"]);
    expect((await rowOf()).must_change_password).toBe(false);
    forward(840);
    expect(await outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
  });

  test("lock after 20 in a day, though right ones came between", async () => {
    for (let round = 0; round < 4; round++) {
      await failUntilLocked(() => NO_BACKUP_CODE);
      forward(900);
      if (round < 3) {
        expect(await outcomeOf(user.backupCodes[round] ?? "")).toBe("backup_code");
      }
    }

    expect(await outcomeOf(user.backupCodes[9] ?? "")).toBe(86_400 - 3600);
  });
});

describe("a try", () => {
  test("is given back when what the code was for fails, and the code stays good", async () => {
    const failing = secondFactor.withCode(attemptOf(right()), async () => {
      throw new Error("the disk is full");
    });

    await expect(failing).rejects.toThrow("the disk is full");
    expect(await triesOf()).toEqual([]);
    expect(await events()).toEqual([]);
    expect(await outcomeOf(right())).toBe("totp");
  });

  test("that lifts the lock it had brought is given back with it", async () => {
    for (let round = 0; round < 4; round++) {
      await outcomeOf(wrong());
    }
    const failing = secondFactor.withCode(attemptOf(right()), async () => {
      throw new Error("the disk is full");
    });
    await expect(failing).rejects.toThrow("the disk is full");

    expect(await outcomeOf(wrong())).toBe("invalid_code");
    expect(await outcomeOf(right())).toBe(900);
  });

  test("of a process that died stays counted", async () => {
    const tries = createCodeTries(dependencies());
    for (let round = 0; round < 5; round++) {
      await tries.reserve(attemptOf(right()), "totp");
    }

    expect(await outcomeOf(right())).toBe(900);
  });

  test("stays counted when its failure can not be written down", async () => {
    await sql`create function identity.refuse() returns trigger language plpgsql as $$ begin raise exception 'audit is broken'; end $$`.execute(
      subject.database.query,
    );
    await sql`create trigger refuse before insert on identity.audit for each row when (new.event = '2fa_login_failed') execute function identity.refuse()`.execute(
      subject.database.query,
    );
    try {
      for (let round = 0; round < 5; round++) {
        await expect(outcomeOf(wrong())).rejects.toThrow("audit is broken");
      }
      expect(await outcomeOf(right())).toBe(900);
    } finally {
      await sql`drop function identity.refuse() cascade`.execute(subject.database.query);
    }
    expect(await triesOf()).toHaveLength(5);
  });

  test("at an account without a second factor is refused and not counted", async () => {
    await subject.database.query.updateTable("identity.users").set({ totp_enabled: false }).where("id", "=", user.userId).execute();

    expect(await outcomeOf(right())).toBe("not_enabled");
    expect(await triesOf()).toEqual([]);
  });
});

describe("a secret that changes while its code is looked at", () => {
  /** Puts another envelope into the row between the look at the code and its use. */
  async function replacing(envelope: string, work: () => Promise<void>): Promise<void> {
    await sql`create function identity.replace_secret() returns trigger language plpgsql as
      $$ begin new.totp_secret := ${sql.lit(envelope)}; return new; end $$`.execute(subject.database.query);
    await sql`create trigger replace_secret before update of totp_last_step on identity.users
      for each row execute function identity.replace_secret()`.execute(subject.database.query);
    try {
      await work();
    } finally {
      await sql`drop function identity.replace_secret() cascade`.execute(subject.database.query);
    }
  }

  test("is no hindrance when it was only sealed anew", async () => {
    await replacing(sealTotpSecret(sealer, user.userId, user.secret), async () => {
      expect(await outcomeOf(right())).toBe("totp");
    });
  });

  test("makes the code wrong when it is another secret", async () => {
    await replacing(sealTotpSecret(sealer, user.userId, makeTotpSecret()), async () => {
      expect(await outcomeOf(right())).toBe("invalid_code");
    });
    expect((await rowOf()).totp_last_step).toBeNull();
  });
});
