import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, auditOfUser, createAdmin, createMember, giveSecondFactor, rowOf, type Person } from "#testing/administration.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let ada: Person;
let bea: Person;
let serial = 0;

beforeAll(async () => {
  subject = await createIdentityFixture();
  ada = await createAdmin(subject, "ada@example.org");
  bea = await createAdmin(subject, "bea@example.org");
  await giveSecondFactor(subject, ada.id);
  await giveSecondFactor(subject, bea.id);
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.throttles").execute();
});

afterAll(() => subject.close());

function newAddress(): string {
  serial += 1;
  return `person-${serial}@example.org`;
}

describe("POST /admin/users/:id/password-reset", () => {
  test("gives a one-time password in place of the old one and leaves the second factor alone", async () => {
    const admin = await createAdmin(subject, newAddress());
    await giveSecondFactor(subject, admin.id);

    const answer = await ask(subject.server, ada, "POST", `/admin/users/${admin.id}/password-reset`);

    expect(answer.statusCode).toBe(200);
    const { one_time_password: oneTimePassword } = answer.json<{ one_time_password: string }>();
    expect(oneTimePassword).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
    expect(await rowOf(subject, admin.id)).toMatchObject({ totp_enabled: true, totp_secret: "v1.k1.a.b.c", must_change_password: true });
    expect((await ask(subject.server, admin, "GET", "/login/me")).statusCode).toBe(401);
    expect((await logIn(subject.server, admin.email)).statusCode).toBe(401);
    expect((await logIn(subject.server, admin.email, oneTimePassword)).json()).not.toHaveProperty("access_token");
    expect((await auditOfUser(subject, admin.id)).slice(-2)).toMatchObject([
      { event: "user_password_reset", actor_id: ada.id, details: { by: "one_time_password" } },
      { event: "session_revoked", details: { reason: "password_reset" } },
    ]);
    const stored = JSON.stringify([await rowOf(subject, admin.id), await auditOfUser(subject, admin.id)]);
    expect(stored).not.toContain(oneTimePassword);
  });

  test("needs no body, whatever content type a client names", async () => {
    const member = await createMember(subject, ada, newAddress());
    const headers = { authorization: `Bearer ${ada.token}`, "content-type": "application/json" };

    const answer = await subject.server.inject({ method: "POST", url: `/admin/users/${member.id}/password-reset`, headers });

    expect(answer.statusCode).toBe(200);
    expect((await subject.server.inject({ method: "DELETE", url: `/admin/users/${member.id}`, headers })).statusCode).toBe(204);
  });

  test.each([
    { writing: "as it is", idOf: ({ id }: Person) => id },
    { writing: "in capitals", idOf: ({ id }: Person) => id.toUpperCase() },
  ])("one's own password is changed by POST /login/password alone; id $writing", async ({ idOf }) => {
    const answer = await ask(subject.server, ada, "POST", `/admin/users/${idOf(ada)}/password-reset`);

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "own_account", message: expect.stringContaining("POST /login/password") });
  });

  test("a disabled account gets none", async () => {
    const member = await createMember(subject, ada, newAddress());
    await ask(subject.server, ada, "PATCH", `/admin/users/${member.id}`, { disabled: true });

    const answer = await ask(subject.server, ada, "POST", `/admin/users/${member.id}/password-reset`);

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ error: "account_disabled" });
  });

  test("a mail asked for without a mail server is refused with what to do", async () => {
    const answer = await ask(subject.server, ada, "POST", `/admin/users/${bea.id}/password-reset`, { mail: true });

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ error: "mail_not_configured" });
  });
});

describe("POST /admin/users/:id/2fa/reset", () => {
  test("leaves nothing of the second factor, ends the sessions, tells the owner, and writes down why", async () => {
    const admin = await createAdmin(subject, newAddress());
    await giveSecondFactor(subject, admin.id);
    const { epoch } = await rowOf(subject, admin.id);

    const answer = await ask(subject.server, ada, "POST", `/admin/users/${admin.id}/2fa/reset`, { reason: "phone in the lake" });

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ id: admin.id, totp_enabled: false });
    expect(await rowOf(subject, admin.id)).toMatchObject({
      totp_enabled: false,
      totp_secret: null,
      totp_backup_codes: [],
      totp_last_used_at: null,
      totp_last_step: null,
      epoch: epoch + 1,
    });
    for (const table of ["identity.second_factor_counters", "identity.second_factor_tries"] as const) {
      expect(await subject.database.query.selectFrom(table).select("user_id").where("user_id", "=", admin.id).execute()).toEqual([]);
    }
    expect((await ask(subject.server, admin, "GET", "/login/me")).statusCode).toBe(401);
    expect((await auditOfUser(subject, admin.id)).slice(-2)).toMatchObject([
      { event: "2fa_admin_reset", actor_id: ada.id, session_id: ada.sessionId, details: { reason: "phone in the lake" } },
      { event: "session_revoked", details: { reason: "two_factor_reset" } },
    ]);
    const notices = await subject.database.query.selectFrom("identity.notices").select("kind").where("user_id", "=", admin.id).execute();
    expect(notices).toEqual([{ kind: "two_factor_reset" }]);
    expect((await logIn(subject.server, admin.email)).json()).toMatchObject({ token_type: "bearer" });
  });

  test.each([
    { writing: "as it is", idOf: ({ id }: Person) => id },
    { writing: "in capitals", idOf: ({ id }: Person) => id.toUpperCase() },
  ])("is never done to oneself; id $writing", async ({ idOf }) => {
    const admin = await createAdmin(subject, newAddress());
    await giveSecondFactor(subject, admin.id);

    const answer = await ask(subject.server, admin, "POST", `/admin/users/${idOf(admin)}/2fa/reset`, { reason: "phone in the lake" });

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "own_second_factor" });
    expect(await rowOf(subject, admin.id)).toMatchObject({ totp_enabled: true });
  });

  test.each([
    { wrong: "no reason", body: {} },
    { wrong: "blanks for a reason", body: { reason: "    " } },
    { wrong: "a null character", body: { reason: "phone\0lost" } },
    { wrong: "half a character", body: { reason: "phone lost \udc00" } },
  ])("$wrong is refused", async ({ body }) => {
    await giveSecondFactor(subject, bea.id).catch(() => undefined);

    const answer = await ask(subject.server, ada, "POST", `/admin/users/${bea.id}/2fa/reset`, body);

    expect(answer.statusCode).toBe(400);
    expect(await rowOf(subject, bea.id)).toMatchObject({ totp_enabled: true });
  });

  test("an account without a second factor has none to reset", async () => {
    const member = await createMember(subject, ada, newAddress());

    const answer = await ask(subject.server, ada, "POST", `/admin/users/${member.id}/2fa/reset`, { reason: "phone in the lake" });

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ error: "not_enabled" });
  });
});
