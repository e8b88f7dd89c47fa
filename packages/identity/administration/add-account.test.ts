import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, auditOfUser, createAdmin, rowOf, type Person } from "#testing/administration.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let ada: Person;
let serial = 0;

beforeAll(async () => {
  subject = await createIdentityFixture();
  ada = await createAdmin(subject, "ada@example.org");
  await createAdmin(subject, "bea@example.org");
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.throttles").execute();
});

afterAll(() => subject.close());

function newAddress(): string {
  serial += 1;
  return `person-${serial}@example.org`;
}

describe("POST /admin/users", () => {
  test("makes an account whose one-time password is shown once, stored nowhere and opens its replacement", async () => {
    const email = newAddress();

    const answer = await ask(subject.server, ada, "POST", "/admin/users", { email, name: "  Grace  ", role: "admin" });

    expect(answer.statusCode).toBe(201);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const { user, one_time_password: oneTimePassword } = answer.json<{ user: { id: string }; one_time_password: string }>();
    expect(user).toEqual({
      id: expect.any(String),
      email,
      name: "Grace",
      role: "admin",
      created_at: subject.clock.now().toISOString(),
      disabled_at: null,
      last_login_at: null,
      totp_enabled: false,
      passkeys: 0,
      must_change_password: true,
      invited: false,
      waiting: null,
    });
    expect(JSON.stringify(await rowOf(subject, user.id))).not.toContain(oneTimePassword);
    expect((await logIn(subject.server, email, oneTimePassword)).statusCode).toBe(200);
    expect(await auditOfUser(subject, user.id)).toEqual([
      { event: "user_created", actor_id: ada.id, session_id: ada.sessionId, details: { role: "admin", origin: "admin" } },
    ]);
    const shown = await ask(subject.server, ada, "GET", `/admin/users/${user.id}`);
    expect(shown.json()).toEqual({ ...user, last_login_at: subject.clock.now().toISOString() });
  });

  test("an account is a member's unless said otherwise", async () => {
    const answer = await ask(subject.server, ada, "POST", "/admin/users", { email: newAddress(), name: "Mem" });

    expect(answer.json()).toMatchObject({ user: { role: "member" } });
  });

  test("an address is taken in any case of its letters", async () => {
    const answer = await ask(subject.server, ada, "POST", "/admin/users", { email: "BEA@example.org", name: "Bea" });

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ error: "email_taken" });
  });

  test.each([
    { wrong: "no name", body: { name: " " } },
    { wrong: "a name with a line break", body: { name: "Eve\r\nBcc: all@example.org" } },
    { wrong: "a name with a null character", body: { name: "Eve\0" } },
    { wrong: "a name that turns letters round", body: { name: "Eve \u202Enimda" } },
    { wrong: "half a character for a name", body: { name: "Eve \ud800" } },
    { wrong: "a name over the limit", body: { name: "x".repeat(201) } },
    { wrong: "no address", body: { email: "eve" } },
    { wrong: "an address with a null character", body: { email: "eve\0@example.org" } },
    { wrong: "an unknown role", body: { role: "owner" } },
  ])("$wrong makes no account", async ({ body }) => {
    const before = await subject.database.query.selectFrom("identity.users").select("id").execute();

    const answer = await ask(subject.server, ada, "POST", "/admin/users", { email: newAddress(), name: "Eve", ...body });

    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "invalid_request" });
    expect(await subject.database.query.selectFrom("identity.users").select("id").execute()).toHaveLength(before.length);
  });

  test("an invitation without a mail server is refused with what to do", async () => {
    const answer = await ask(subject.server, ada, "POST", "/admin/users", { email: newAddress(), name: "Eve", invite: true });

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toEqual({ error: "mail_not_configured", message: expect.stringContaining("SMTP_URL") });
  });
});
