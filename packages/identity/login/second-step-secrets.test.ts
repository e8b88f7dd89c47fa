import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { auditOf, createAccount, createIdentityFixture, SECRETS, type IdentityFixture } from "#testing/identity-fixture.ts";
import {
  codeOf,
  enableSecondFactor,
  partialTokenOf,
  verifyCode,
  weakenPasswords,
  type EnabledSecondFactor,
} from "#testing/second-factor.ts";

const NEW_KEY = "k2:another-ring-secret-of-the-tests-0123456789";

let subject: IdentityFixture;
let ada: EnabledSecondFactor;
let bea: EnabledSecondFactor;

beforeEach(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, "ada@example.org");
  await createAccount(subject.identity, "bea@example.org");
  ada = await enableSecondFactor(subject, "ada@example.org");
  bea = await enableSecondFactor(subject, "bea@example.org");
  await weakenPasswords(subject);
});

afterEach(() => subject.close());

const envelopeOf = async (userId: string) =>
  (await subject.database.query.selectFrom("identity.users").select("totp_secret").where("id", "=", userId).executeTakeFirstOrThrow())
    .totp_secret ?? "";
const put = (userId: string, envelope: string) =>
  subject.database.query.updateTable("identity.users").set({ totp_secret: envelope }).where("id", "=", userId).execute();
const logInAsAda = async (code: string, server = subject.server) =>
  verifyCode(server, await partialTokenOf(server, "ada@example.org"), code);

async function expectRefusal(answer: Awaited<ReturnType<typeof verifyCode>>): Promise<void> {
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ error: "second_factor_unreadable" });
  expect(answer.cookies).toEqual([]);
  expect(await subject.database.query.selectFrom("identity.sessions").selectAll().execute()).toEqual([]);
  const row = await subject.database.query.selectFrom("identity.audit").selectAll().orderBy("id", "desc").executeTakeFirstOrThrow();
  expect(row).toMatchObject({ event: "2fa_login_failed", user_id: ada.userId, details: { reason: "secret_unreadable" } });
}

describe("a stored secret", () => {
  test("of another user opens nothing, with neither's code", async () => {
    const [first, second] = [await envelopeOf(ada.userId), await envelopeOf(bea.userId)];
    await put(ada.userId, second);
    await put(bea.userId, first);

    await expectRefusal(await logInAsAda(codeOf(ada.secret, subject.clock)));
    await expectRefusal(await logInAsAda(codeOf(bea.secret, subject.clock)));
  });

  test.each([
    { change: "a truncated tag", of: (envelope: string) => envelope.slice(0, -6) },
    { change: "a tag of four bytes", of: (envelope: string) => envelope.replace(/[^.]+$/, (tag) => tag.slice(0, 6)) },
    { change: "no tag", of: (envelope: string) => envelope.replace(/[^.]+$/, "") },
    { change: "an unknown key id", of: (envelope: string) => envelope.replace(".k1.", ".k9.") },
    { change: "another version", of: (envelope: string) => envelope.replace("v1.", "v2.") },
    { change: "another ciphertext", of: (envelope: string) => envelope.replace(/\.([^.])([^.]+)\.([^.]+)$/, ".$2$1.$3") },
    { change: "nothing left of it", of: () => "" },
  ])("with $change is never skipped: the login is refused, audited and not counted", async ({ of }) => {
    await put(ada.userId, of(await envelopeOf(ada.userId)));

    for (let round = 0; round < 6; round++) {
      await expectRefusal(await logInAsAda(codeOf(ada.secret, subject.clock)));
    }
    expect(await subject.database.query.selectFrom("identity.second_factor_tries").selectAll().execute()).toEqual([]);
    expect((await logInAsAda(ada.backupCodes[0] ?? "")).statusCode).toBe(200);
  });

  test("sealed under an older key of the ring opens, and is sealed under the first one then", async () => {
    const { server } = await subject.replica({ environment: { ENCRYPTION_KEYS: `${NEW_KEY},${SECRETS.ENCRYPTION_KEYS}` } });

    expect((await logInAsAda(codeOf(ada.secret, subject.clock), server)).statusCode).toBe(200);

    const envelope = await envelopeOf(ada.userId);
    expect(envelope).toMatch(/^v1\.k2\./);
    subject.clock.forward(30);
    expect((await logInAsAda(codeOf(ada.secret, subject.clock), server)).statusCode).toBe(200);
    expect(await envelopeOf(ada.userId)).toBe(envelope);
    expect(await auditOf(subject)).not.toContain("2fa_login_failed");
  });
});
