import { createHash, randomBytes } from "node:crypto";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAccount, createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import {
  codeOf,
  enableSecondFactor,
  partialTokenOf,
  verifyCode,
  weakenPasswords,
  wrongCodeOf,
  type EnabledSecondFactor,
} from "#testing/second-factor.ts";

const EMAIL = "ada@example.org";

let subject: IdentityFixture;
let ada: EnabledSecondFactor;

beforeEach(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, EMAIL);
  ada = await enableSecondFactor(subject, EMAIL);
  await weakenPasswords(subject);
});

afterEach(() => subject.close());

const code = () => codeOf(ada.secret, subject.clock);
const firstStep = () => partialTokenOf(subject.server, EMAIL);
const count = async (table: "identity.second_factor_tries" | "identity.partial_tokens") =>
  (await subject.database.query.selectFrom(table).selectAll().execute()).length;

/** Partial tokens beyond the three that a login leaves alive: the account's budget must hold without that rule. */
async function putPartialTokens(tokens: readonly string[]): Promise<void> {
  const { epoch } = await subject.database.query.selectFrom("identity.users").select("epoch").executeTakeFirstOrThrow();
  const now = subject.clock.now();
  await subject.database.query
    .insertInto("identity.partial_tokens")
    .values(
      tokens.map((token) => ({
        token_hash: createHash("sha256").update(token).digest(),
        user_id: ada.userId,
        epoch,
        ip: "203.0.113.7",
        user_agent: null,
        authenticated_at: now,
        expires_at: new Date(now.getTime() + 300_000),
      })),
    )
    .execute();
}

describe("forty wrong codes at once, over two replicas", () => {
  async function guessAtOnce(tokens: readonly string[], guess: (index: number) => string) {
    const { server: other } = await subject.replica();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        verifyCode(index % 2 === 0 ? subject.server : other, tokens[index % tokens.length] ?? "", guess(index), `198.51.100.${index}`),
      ),
    );
    return answers.map((answer) => answer.json<{ error: string }>().error);
  }

  const wrong = (index: number) => wrongCodeOf(ada.secret, subject.clock, index * 20_000);

  test(
    "on forty partial tokens: five are looked at; then the right code is refused, and accepted after the lock",
    needsRealPostgres,
    async () => {
      const tokens = Array.from({ length: 40 }, () => randomBytes(32).toString("base64url"));
      await putPartialTokens(tokens);

      const errors = await guessAtOnce(tokens, wrong);

      expect(errors.filter((error) => error === "invalid_code")).toHaveLength(5);
      expect(errors.every((error) => ["invalid_code", "too_many_tries", "invalid_partial_token"].includes(error))).toBe(true);
      expect(await count("identity.second_factor_tries")).toBe(5);
      const refused = await verifyCode(subject.server, await firstStep(), code());
      expect(refused.statusCode).toBe(429);
      expect(refused.headers["retry-after"]).toBe("900");
      subject.clock.forward(900);
      expect((await verifyCode(subject.server, await firstStep(), code())).statusCode).toBe(200);
    },
  );

  test("on the three tokens that forty logins leave alive: five are looked at", needsRealPostgres, async () => {
    const tokens: string[] = [];
    for (let round = 0; round < 40; round++) {
      tokens.push(await firstStep());
    }
    expect(await count("identity.partial_tokens")).toBe(3);

    const errors = [...(await guessAtOnce(tokens, wrong)), ...(await guessAtOnce(tokens.slice(-3), wrong))];

    expect(errors.filter((error) => error === "invalid_code")).toHaveLength(5);
    expect((await verifyCode(subject.server, await firstStep(), code())).statusCode).toBe(429);
  });

  test("forty logins at once leave three partial tokens", needsRealPostgres, async () => {
    const { server: other } = await subject.replica();
    await Promise.all(Array.from({ length: 40 }, (_, index) => partialTokenOf(index % 2 === 0 ? subject.server : other, EMAIL)));

    expect(await count("identity.partial_tokens")).toBe(3);
  });

  test("wrong backup codes: five are looked at, and the app's codes go on", needsRealPostgres, async () => {
    const tokens = Array.from({ length: 40 }, () => randomBytes(32).toString("base64url"));
    await putPartialTokens(tokens);

    const errors = await guessAtOnce(tokens, () => "AAAA-AAAA-AAAA-AAAA");

    expect(errors.filter((error) => error === "invalid_code")).toHaveLength(5);
    expect((await verifyCode(subject.server, await firstStep(), ada.backupCodes[0] ?? "")).statusCode).toBe(429);
    expect((await verifyCode(subject.server, await firstStep(), code())).statusCode).toBe(200);
  });
});

describe("a locked account", () => {
  test("costs no try of the partial token, and a backup code opens it with the same token", async () => {
    for (let round = 0; round < 5; round++) {
      await verifyCode(subject.server, await firstStep(), wrongCodeOf(ada.secret, subject.clock));
    }
    const token = await firstStep();
    for (let round = 0; round < 7; round++) {
      expect((await verifyCode(subject.server, token, code())).statusCode).toBe(429);
    }

    expect((await verifyCode(subject.server, token, ada.backupCodes[0] ?? "")).statusCode).toBe(200);
  });

  test("has lost its partial tokens with the lock", async () => {
    const early = await firstStep();
    const token = await firstStep();
    for (let round = 0; round < 5; round++) {
      await verifyCode(subject.server, token, wrongCodeOf(ada.secret, subject.clock));
    }
    subject.clock.forward(1);

    for (const dead of [early, token]) {
      expect((await verifyCode(subject.server, dead, ada.backupCodes[0] ?? "")).json()).toMatchObject({ error: "invalid_partial_token" });
    }
  });
});

describe("one network", () => {
  test("has thirty tries in ten minutes over all accounts; an IPv6 /64 is one network", async () => {
    const guess = (ip: string) => verifyCode(subject.server, "no such token", "123456", ip);
    for (let round = 0; round < 30; round++) {
      expect((await guess(`2001:db8:1:2::${round}`)).statusCode).toBe(401);
    }

    const answer = await guess("2001:db8:1:2:ffff::1");

    expect(answer.statusCode).toBe(429);
    expect(answer.headers["retry-after"]).toBe("600");
    expect((await guess("2001:db8:1:3::1")).statusCode).toBe(401);
    subject.clock.forward(600);
    expect((await verifyCode(subject.server, await firstStep(), code(), "2001:db8:1:2::1")).statusCode).toBe(200);
  });

  test("is not charged for right codes", async () => {
    for (let round = 0; round < 31; round++) {
      expect((await verifyCode(subject.server, await firstStep(), code())).statusCode).toBe(200);
      subject.clock.forward(30);
    }
  });
});
