import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSealer } from "#keys/sealed-values.ts";
import type { Notice } from "#contract.ts";
import { accessTokenOf, createAccount, createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { noticeSentence } from "./notice-texts.ts";
import { createNotices, type NewNotice } from "./notices.ts";

let subject: IdentityFixture;
let ada: string;
let bob: string;

const notices = createNotices({ sealer: createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]), mailed: false });

beforeAll(async () => {
  subject = await createIdentityFixture();
  await createAccount(subject.identity, "ada@example.org");
  await createAccount(subject.identity, "bob@example.org");
  ada = await accessTokenOf(subject.server, "ada@example.org");
  bob = await accessTokenOf(subject.server, "bob@example.org");
});

beforeEach(() => subject.database.query.deleteFrom("identity.notices").execute());

afterAll(() => subject.close());

async function append(notice: Partial<NewNotice> = {}): Promise<void> {
  const userId = decodeJwt(ada).sub ?? "";
  await subject.database.query
    .transaction()
    .execute((transaction) => notices.append(transaction, { userId, kind: "two_factor_enabled", at: subject.clock.now(), ...notice }));
}

async function shownTo(token: string): Promise<readonly Notice[]> {
  const answer = await subject.server.inject({ url: "/login/notices", headers: { authorization: `Bearer ${token}` } });
  expect(answer.headers["cache-control"]).toBe("no-store");
  return answer.json<{ notices: Notice[] }>().notices;
}

async function read(token: string, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await subject.server.inject({ method: "POST", url: `/login/notices/${id}/read`, headers })).statusCode;
}

describe("GET /login/notices", () => {
  test("tells its owner, in a sentence, newest first, and nobody else", async () => {
    await append();
    subject.clock.forward(1);
    await append({ kind: "backup_code_used", details: { remaining: "9", ip: "203.0.113.7" } });

    expect(await shownTo(ada)).toEqual([
      {
        id: expect.any(String),
        kind: "backup_code_used",
        at: subject.clock.now().toISOString(),
        text: "A backup code of your account was used; 9 are left.",
        details: { remaining: "9", ip: "203.0.113.7" },
      },
      expect.objectContaining({ kind: "two_factor_enabled", text: "Two-factor authentication (2FA) was turned on for your account." }),
    ]);
    expect(await shownTo(bob)).toEqual([]);
  });

  test("never shows what holds a link", async () => {
    await append({ kind: "password_reset", link: "https://sightline.example.org/login/reset#token=x" });

    expect(await shownTo(ada)).toEqual([]);
  });

  test("shows the newest fifty", async () => {
    for (let index = 0; index < 51; index++) {
      await append({ details: { index: String(index) } });
    }

    const shown = await shownTo(ada);
    expect(shown).toHaveLength(50);
    expect(shown[0]?.details["index"]).toBe("50");
  });

  test("has a sentence of one line for every kind", () => {
    for (const kind of [
      "two_factor_enabled",
      "two_factor_disabled",
      "two_factor_replaced",
      "two_factor_reset",
      "two_factor_locked",
      "backup_codes_regenerated",
      "backup_code_used",
      "password_guessed",
      "password_changed",
      "invitation",
      "password_reset",
    ] as const) {
      expect(noticeSentence(kind, {})).toMatch(/^[A-Z][^\n]+\.$/);
    }
  });

  test("say which codes are locked, since the others still open the account", () => {
    expect(noticeSentence("two_factor_locked", { method: "backup_code" })).toMatch(/so backup codes are not accepted for a while\.$/);
    expect(noticeSentence("two_factor_locked", { method: "totp" })).toMatch(
      /so codes of your authenticator app are not accepted for a while\.$/,
    );
  });
});

describe("POST /login/notices/:id/read", () => {
  test("hides it from its owner, again and again", async () => {
    await append();
    const [notice] = await shownTo(ada);

    expect(await read(ada, notice?.id ?? "")).toBe(204);
    expect(await read(ada, notice?.id ?? "")).toBe(204);
    expect(await shownTo(ada)).toEqual([]);
  });

  test("knows nobody else's", async () => {
    await append();
    const [notice] = await shownTo(ada);

    expect(await read(bob, notice?.id ?? "")).toBe(404);
    expect(await read(ada, "018f3d5e-0000-7000-8000-000000000000")).toBe(404);
    expect(await read(ada, "no-id")).toBe(400);
    expect(await shownTo(ada)).toHaveLength(1);
  });

  test("asks for a session", async () => {
    expect((await subject.server.inject({ url: "/login/notices" })).statusCode).toBe(401);
    expect(await read("x.y.z", "018f3d5e-0000-7000-8000-000000000000")).toBe(401);
  });
});
