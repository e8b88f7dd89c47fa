import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCodesUnderTest, type CodesUnderTest } from "#testing/code-attempts.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

const NO_BACKUP_CODE = "AAAA-AAAA-AAAA-AAAA";

const wrongTimes = (times: number) => Array.from({ length: times }, () => "invalid_code");

let subject: IdentityFixture;
let user: CodesUnderTest;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

beforeEach(async () => {
  user = await createCodesUnderTest(subject);
});

describe("wrong codes of the app in a row", () => {
  test("lock after 5, 10 and 15, for longer each time", async () => {
    expect(await user.failUntilLocked(user.wrong)).toEqual({ outcomes: wrongTimes(5), seconds: 900 });
    subject.clock.forward(900);
    expect(await user.failUntilLocked(user.wrong)).toEqual({ outcomes: wrongTimes(5), seconds: 1800 });
    subject.clock.forward(1800);
    expect(await user.failUntilLocked(user.wrong)).toEqual({ outcomes: wrongTimes(5), seconds: 3600 });
  });

  test("count over all purposes", async () => {
    for (const purpose of ["login", "step_up", "replace", "backup_codes", "disable"] as const) {
      expect(await user.outcomeOf(user.wrong(), purpose)).toBe("invalid_code");
    }

    expect(await user.outcomeOf(user.right())).toBe(900);
  });

  test("are forgotten with a right one", async () => {
    for (let round = 0; round < 4; round++) {
      await user.outcomeOf(user.wrong());
    }
    expect(await user.outcomeOf(user.right())).toBe("totp");
    expect((await user.failUntilLocked(user.wrong)).outcomes).toEqual(wrongTimes(5));
  });

  test("while they lock, nothing is looked at, counted or used up", async () => {
    await user.failUntilLocked(user.wrong);
    const before = [await user.row(), await user.triedAt(), await user.audit()];

    expect(await user.outcomeOf(user.right())).toBe(900);
    expect(await user.outcomeOf(user.wrong())).toBe(900);

    expect([await user.row(), await user.triedAt(), await user.audit()]).toEqual(before);
    subject.clock.forward(900);
    expect(await user.outcomeOf(user.right())).toBe("totp");
  });

  test("lock with an audit row, a notice and a raised epoch, once a lock", async () => {
    const { epoch } = await user.row();
    await user.failUntilLocked(user.wrong);

    expect(await user.row()).toMatchObject({ epoch: epoch + 1, epoch_raised_at: subject.clock.now(), must_change_password: false });
    expect(await user.notices()).toEqual(["two_factor_locked"]);
    expect((await user.audit()).map(({ event }) => event)).toEqual([...Array.from({ length: 5 }, () => "2fa_login_failed"), "2fa_locked"]);
    expect((await user.audit()).at(-1)?.details).toEqual({
      purpose: "login",
      method: "totp",
      reason: "in_a_row",
      until: new Date(subject.clock.now().getTime() + 900_000).toISOString(),
    });
  });

  test("never shut out the owner of a backup code, who ends the lock", async () => {
    await user.failUntilLocked(user.wrong);

    expect(await user.outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
    expect(await user.outcomeOf(user.right())).toBe("totp");
  });

  test("the hundredth suspends codes of the app until a backup code was used", async () => {
    await subject.database.query
      .insertInto("identity.second_factor_counters")
      .values({ user_id: user.userId, pool: "totp", in_a_row: 99, locked_until: null })
      .execute();

    expect(await user.outcomeOf(user.wrong())).toBe("invalid_code");
    subject.clock.forward(40 * 86_400);
    expect(await user.outcomeOf(user.right())).toBe(86_400);
    expect(await user.notices()).toEqual(["two_factor_locked", "password_guessed"]);
    expect(await user.outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
    expect(await user.outcomeOf(user.right())).toBe("totp");
  });
});

describe("rolling budgets of the app's codes", () => {
  /** Four wrong, one right: never five in a row. */
  async function failWithoutLock(failures: number): Promise<void> {
    const outcomes: (string | number)[] = [];
    for (let failure = 0; failure < failures; failure++) {
      if (failure > 0 && failure % 4 === 0) {
        subject.clock.forward(30);
        outcomes.push(await user.outcomeOf(user.right()));
      }
      outcomes.push(await user.outcomeOf(user.wrong()));
    }
    expect(outcomes.filter((outcome) => outcome !== "totp")).toEqual(wrongTimes(failures));
  }

  test("20 in a day lock until the oldest slides out, whatever succeeded between; the password has to be changed", async () => {
    const begun = subject.clock.now().getTime();
    await failWithoutLock(19);
    expect(await user.notices()).toEqual([]);
    expect(await user.outcomeOf(user.wrong())).toBe("invalid_code");

    const passed = (subject.clock.now().getTime() - begun) / 1000;
    expect(await user.outcomeOf(user.right())).toBe(86_400 - passed);
    expect(await user.notices()).toEqual(["two_factor_locked", "password_guessed"]);
    expect((await user.row()).must_change_password).toBe(true);
    expect((await user.audit()).at(-1)).toMatchObject({ event: "2fa_locked", details: { reason: "rolling" } });
    expect(await user.outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
    expect(await user.outcomeOf(user.right())).toBe(86_400 - passed);
    subject.clock.forward(86_400 - passed);
    expect(await user.outcomeOf(user.right())).toBe("totp");
  });

  test("100 in thirty days lock until the oldest slides out", async () => {
    const begun = subject.clock.now().getTime();
    for (let day = 0; day < 5; day++) {
      await failWithoutLock(19);
      subject.clock.forward(86_400);
      expect(await user.outcomeOf(user.right())).toBe("totp");
    }
    await failWithoutLock(4);
    subject.clock.forward(30);
    expect(await user.outcomeOf(user.right())).toBe("totp");
    expect(await user.outcomeOf(user.wrong())).toBe("invalid_code");

    const passed = (subject.clock.now().getTime() - begun) / 1000;
    expect(await user.outcomeOf(user.right())).toBe(30 * 86_400 - passed);
    expect(await user.triedAt()).toHaveLength(100);
    expect(await user.notices()).toEqual(["two_factor_locked", "password_guessed"]);
  });
});

test("what has not the form of a code costs nothing, however often it is typed", async () => {
  const before = [await user.row(), await user.triedAt(), await user.audit()];
  for (const slip of ["12345", "1234567", "AAAA-AAAA-AAAA", "AAAA-AAAA-AAAA-AAAU", "", "ａ".repeat(300)]) {
    for (let times = 0; times < 6; times++) {
      expect(await user.outcomeOf(slip)).toBe("invalid_code");
    }
  }
  expect([await user.row(), await user.triedAt(), await user.audit()]).toEqual(before);
});

describe("wrong backup codes", () => {
  test("lock after 5 in 15 minutes, until the oldest slides out, and leave the app's codes alone", async () => {
    expect(await user.outcomeOf(NO_BACKUP_CODE)).toBe("invalid_code");
    subject.clock.forward(60);
    expect(await user.failUntilLocked(() => NO_BACKUP_CODE)).toEqual({ outcomes: wrongTimes(4), seconds: 840 });

    expect(await user.outcomeOf(user.backupCodes[0] ?? "")).toBe(840);
    expect((await user.row()).totp_backup_codes).toHaveLength(10);
    expect(await user.outcomeOf(user.right())).toBe("totp");
    expect(await user.notices()).toEqual(["two_factor_locked"]);
    expect((await user.row()).must_change_password).toBe(false);
    subject.clock.forward(840);
    expect(await user.outcomeOf(user.backupCodes[0] ?? "")).toBe("backup_code");
  });

  test("lock after 20 in a day, though right ones came between", async () => {
    for (let round = 0; round < 3; round++) {
      await user.failUntilLocked(() => NO_BACKUP_CODE);
      subject.clock.forward(900);
      expect(await user.outcomeOf(user.backupCodes[round] ?? "")).toBe("backup_code");
    }
    await user.failUntilLocked(() => NO_BACKUP_CODE);
    subject.clock.forward(900);

    expect(await user.outcomeOf(user.backupCodes[9] ?? "")).toBe(86_400 - 3600);
  });
});
