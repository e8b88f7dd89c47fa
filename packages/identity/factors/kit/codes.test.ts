import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCodesUnderTest, sealer, type CodesUnderTest } from "#testing/code-attempts.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { deleteDeadPartialTokens } from "./partial-token.store.ts";
import { sealTotpSecret } from "#factors/totp/sealed-secret.ts";
import { deleteOldTries } from "./code-tries.store.ts";
import { makeTotpSecret } from "#factors/totp/totp-code.ts";

let subject: IdentityFixture;
let user: CodesUnderTest;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

beforeEach(async () => {
  user = await createCodesUnderTest(subject);
});

describe("a try", () => {
  test("is given back when what the code was for fails, and the code stays good", async () => {
    const failing = user.codes.accept(user.attemptOf(user.right()), async () => {
      throw new Error("the disk is full");
    });

    await expect(failing).rejects.toThrow("the disk is full");
    expect(await user.triedAt()).toEqual([]);
    expect(await user.audit()).toEqual([]);
    expect(await user.outcomeOf(user.right())).toBe("totp");
  });

  test("that lifts the lock it had brought is given back with it", async () => {
    for (let round = 0; round < 4; round++) {
      await user.outcomeOf(user.wrong());
    }
    const failing = user.codes.accept(user.attemptOf(user.right()), async () => {
      throw new Error("the disk is full");
    });
    await expect(failing).rejects.toThrow("the disk is full");

    expect(await user.outcomeOf(user.wrong())).toBe("invalid_code");
    expect(await user.outcomeOf(user.right())).toBe(900);
  });

  test("of a process that died stays counted", async () => {
    for (let round = 0; round < 5; round++) {
      await user.tries.reserve(user.attemptOf(user.right()), user.totp);
    }

    expect(await user.outcomeOf(user.right())).toBe(900);
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
        await expect(user.outcomeOf(user.wrong())).rejects.toThrow("audit is broken");
      }
      expect(await user.outcomeOf(user.right())).toBe(900);
    } finally {
      await sql`drop function identity.refuse() cascade`.execute(subject.database.query);
    }
    expect(await user.triedAt()).toHaveLength(5);
  });

  test("at an account without a second factor is refused and not counted", async () => {
    await subject.database.query.updateTable("identity.users").set({ totp_enabled: false }).where("id", "=", user.userId).execute();

    expect(await user.outcomeOf(user.right())).toBe("not_enabled");
    expect(await user.triedAt()).toEqual([]);
  });
});

test("a refusal speaks of the kind of code that was typed", async () => {
  const refusalOf = (code: string) => user.codes.accept(user.attemptOf(code), async () => undefined);

  await expect(refusalOf(user.wrong())).rejects.toThrow("Wait for the next one");
  await expect(refusalOf("AAAA-BBBB-CCCC-DDDD")).rejects.toThrow("The backup code is wrong or was used before.");
});

test("tries older than thirty days, and partial tokens that are over or worn out, are swept away", async () => {
  const { query } = subject.database;
  await user.outcomeOf(user.wrong());
  const { epoch } = await user.row();
  const token = { user_id: user.userId, epoch, ip: "203.0.113.7", user_agent: null, authenticated_at: subject.clock.now() };
  const inFiveMinutes = new Date(subject.clock.now().getTime() + 300_000);
  await query
    .insertInto("identity.partial_tokens")
    .values([
      { ...token, token_hash: Buffer.from("live"), expires_at: inFiveMinutes, tries: 4 },
      { ...token, token_hash: Buffer.from("worn out"), expires_at: inFiveMinutes, tries: 5 },
      { ...token, token_hash: Buffer.from("over"), expires_at: subject.clock.now() },
    ])
    .execute();

  await deleteDeadPartialTokens(query, subject.clock.now());
  expect(await query.selectFrom("identity.partial_tokens").select("token_hash").execute()).toEqual([{ token_hash: Buffer.from("live") }]);
  subject.clock.forward(30 * 86_400 - 1);
  await deleteOldTries(query, subject.clock.now());
  expect(await user.triedAt()).toHaveLength(1);
  subject.clock.forward(1);
  await deleteOldTries(query, subject.clock.now());
  expect(await user.triedAt()).toEqual([]);
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
      expect(await user.outcomeOf(user.right())).toBe("totp");
    });
  });

  test("makes the code wrong when it is another secret", async () => {
    await replacing(sealTotpSecret(sealer, user.userId, makeTotpSecret()), async () => {
      expect(await user.outcomeOf(user.right())).toBe("invalid_code");
    });
    expect((await user.row()).totp_last_step).toBeNull();
  });
});
