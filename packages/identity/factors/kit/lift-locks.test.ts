import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, createAdmin, giveSecondFactor } from "#testing/administration.ts";
import { createCodesUnderTest, type CodesUnderTest } from "#testing/code-attempts.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { createMailTicket } from "#recovery/mail-ticket.ts";
import { liftLocksOfADay } from "./code-tries.store.ts";

let subject: IdentityFixture;
let codes: CodesUnderTest;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

beforeEach(async () => {
  codes = await createCodesUnderTest(subject);
});

afterAll(() => subject.close());

const wrongBackupCode = () => "AAAA-BBBB-CCCC-DDDD";

/** Does what somebody with the password can do in a few hours: both kinds of codes are shut for most of a day. */
async function shutBothPools(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    for (let index = 0; index < 5; index++) {
      await codes.outcomeOf(codes.wrong());
      await codes.outcomeOf(wrongBackupCode());
    }
    subject.clock.forward(3660);
  }
  expect([await codes.outcomeOf(codes.right()), await codes.outcomeOf(codes.backupCodes[0] ?? "")]).toEqual([
    expect.any(Number),
    expect.any(Number),
  ]);
}

function lift(): Promise<boolean> {
  return subject.database.query.transaction().execute((transaction) => liftLocksOfADay(transaction, codes.userId, subject.clock.now()));
}

describe("both kinds of codes that somebody with the password has shut", () => {
  test("are looked at again when the owner has chosen a new password by a mailed link", async () => {
    await shutBothPools();

    expect(await lift()).toBe(true);

    expect(await codes.outcomeOf(codes.right())).toBe("totp");
    expect(await codes.outcomeOf(codes.backupCodes[0] ?? "")).toBe("backup_code");
    subject.clock.forward(86_400);
    expect(await lift()).toBe(false);
  });

  test("so they are by the route that takes the link, which tells the audit and the owner", async () => {
    await shutBothPools();
    const now = subject.clock.now();
    const link = await subject.database.query
      .transaction()
      .execute((transaction) => createMailTicket(transaction, { userId: codes.userId, purpose: "password_reset", now, publicUrl: "" }));
    const payload = { token: link.split("#token=")[1], new_password: "nine violet umbrellas" };

    const answer = await subject.server.inject({ method: "POST", url: "/login/password-reset/confirm", payload });

    expect(answer.statusCode).toBe(204);
    expect(await codes.outcomeOf(codes.right())).toBe("totp");
    expect(await codes.audit()).toContainEqual({ event: "2fa_unlocked", details: { by: "password_reset" } });
    expect(await codes.notices()).toContain("two_factor_unlocked");
  });

  test("give nobody more guesses in thirty days, however often that happens", async () => {
    let evaluated = 0;
    for (let round = 0; round < 8; round++) {
      for (let index = 0; index < 20; index++) {
        const outcome = await codes.outcomeOf(codes.wrong());
        evaluated += typeof outcome === "string" ? 1 : 0;
        await lift();
      }
    }

    expect(evaluated).toBe(100);
    expect(await codes.outcomeOf(codes.right())).toEqual(expect.any(Number));
  });

  test("are looked at again when another admin lifts the lock, who needs a step-up and is told of nowhere but in the audit", async () => {
    await shutBothPools();
    const ada = await createAdmin(subject, "ada@example.org");
    await giveSecondFactor(subject, ada.id);
    const before = await codes.row();
    await subject.database.query.updateTable("identity.sessions").set({ step_up_until: null }).where("id", "=", ada.sessionId).execute();
    const url = `/admin/users/${codes.userId}/2fa/unlock`;
    expect((await ask(subject.server, ada, "POST", url)).json()).toMatchObject({ error: "step_up_required" });
    await subject.database.query
      .updateTable("identity.sessions")
      .set({ step_up_until: new Date(subject.clock.now().getTime() + 600_000) })
      .where("id", "=", ada.sessionId)
      .execute();

    const answer = await ask(subject.server, ada, "POST", url);

    expect([answer.statusCode, answer.json()]).toMatchObject([200, { id: codes.userId, totp_enabled: true }]);
    expect(await codes.row()).toMatchObject(before);
    expect(await codes.outcomeOf(codes.right())).toBe("totp");
    expect(await codes.outcomeOf(codes.backupCodes[0] ?? "")).toBe("backup_code");
    expect((await codes.audit()).map(({ event }) => event)).toContain("2fa_unlocked");
    expect(await codes.notices()).toContain("two_factor_unlocked");
  });

  test("are not lifted by their own admin, by one without a second factor, nor where there is none; from the host they are", async () => {
    const bea = await createAdmin(subject, "bea@example.org");
    const cay = await createAdmin(subject, "cay@example.org");
    await giveSecondFactor(subject, bea.id);

    expect((await ask(subject.server, bea, "POST", `/admin/users/${bea.id}/2fa/unlock`)).json()).toMatchObject({
      error: "own_second_factor",
    });
    expect((await ask(subject.server, bea, "POST", `/admin/users/${cay.id}/2fa/unlock`)).json()).toMatchObject({ error: "not_enabled" });
    const byPassword = await ask(subject.server, cay, "POST", `/admin/users/${bea.id}/2fa/unlock`);
    expect([byPassword.statusCode, byPassword.json()]).toMatchObject([403, { error: "second_factor_needed" }]);
    await shutBothPools();
    const { email } = await codes.row();
    expect(await subject.identity.host.unlockSecondFactor(email)).toEqual({ email });
    expect(await codes.outcomeOf(codes.right())).toBe("totp");
  });
});
