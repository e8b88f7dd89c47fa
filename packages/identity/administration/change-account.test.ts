import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, auditOfUser, createAdmin, createMember, giveSecondFactor, rowOf, signIn, type Person } from "#testing/administration.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let ada: Person;
let bea: Person;
let serial = 0;

beforeAll(async () => {
  subject = await createIdentityFixture();
  ada = await createAdmin(subject, "ada@example.org");
  bea = await createAdmin(subject, "bea@example.org");
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.throttles").execute();
});

afterAll(() => subject.close());

function newAddress(): string {
  serial += 1;
  return `person-${serial}@example.org`;
}

function change(person: Pick<Person, "id">, payload: object, actor = ada) {
  return ask(subject.server, actor, "PATCH", `/admin/users/${person.id}`, payload);
}

describe("PATCH /admin/users/:id", () => {
  test("a new name is written down with the old one and ends nothing", async () => {
    const member = await createMember(subject, ada, newAddress());

    const answer = await change(member, { name: "Grace Hopper" });

    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ id: member.id, name: "Grace Hopper" });
    expect((await ask(subject.server, member, "GET", "/login/me")).statusCode).toBe(200);
    expect((await auditOfUser(subject, member.id)).slice(-1)).toEqual([
      { event: "user_changed", actor_id: ada.id, session_id: ada.sessionId, details: { changed: "name", from: "Mem", to: "Grace Hopper" } },
    ]);
  });

  test("one's own name may be changed", async () => {
    expect((await change(bea, { name: "Bea" }, bea)).statusCode).toBe(200);
  });

  test("another role ends the sessions and the tokens from before", async () => {
    const member = await createMember(subject, ada, newAddress());
    const { epoch } = await rowOf(subject, member.id);

    const answer = await change(member, { role: "admin" });

    expect(answer.json()).toMatchObject({ role: "admin" });
    expect((await ask(subject.server, member, "GET", "/login/me")).statusCode).toBe(401);
    expect(await rowOf(subject, member.id)).toMatchObject({ epoch: epoch + 1, epoch_raised_at: subject.clock.now() });
    expect((await auditOfUser(subject, member.id)).slice(-2)).toMatchObject([
      { event: "user_changed", details: { changed: "role", from: "member", to: "admin" } },
      { event: "session_revoked", actor_id: ada.id, details: { reason: "role_changed" } },
    ]);
    const promoted = await signIn(subject, member.email);
    expect((await ask(subject.server, promoted, "GET", "/admin/users")).statusCode).toBe(200);
  });

  test("an admin who becomes a member keeps the second factor: a change of roles is no way to take it", async () => {
    const admin = await createAdmin(subject, newAddress());
    await giveSecondFactor(subject, admin.id);
    const before = await rowOf(subject, admin.id);

    expect((await change(admin, { role: "member" })).statusCode).toBe(200);
    const asMember = await logIn(subject.server, admin.email);
    expect((await change(admin, { role: "admin" })).statusCode).toBe(200);

    expect(asMember.json()).toMatchObject({ two_factor_required: true });
    const { totp_enabled, totp_secret, totp_backup_codes, totp_last_step } = before;
    expect(await rowOf(subject, admin.id)).toMatchObject({ totp_enabled, totp_secret, totp_backup_codes, totp_last_step });
    expect((await auditOfUser(subject, admin.id)).map(({ event }) => event)).not.toContain("2fa_admin_reset");
  });

  test("a disabled account ends at once, logs in no more, and comes back when it is enabled", async () => {
    const member = await createMember(subject, ada, newAddress());

    expect((await change(member, { disabled: true })).json()).toMatchObject({ disabled_at: subject.clock.now().toISOString() });

    expect((await ask(subject.server, member, "GET", "/login/me")).statusCode).toBe(401);
    expect((await logIn(subject.server, member.email)).statusCode).toBe(401);
    expect((await auditOfUser(subject, member.id)).slice(-2)).toMatchObject([
      { event: "user_disabled", actor_id: ada.id },
      { event: "session_revoked", details: { reason: "account_disabled" } },
    ]);

    expect((await change(member, { disabled: false })).json()).toMatchObject({ disabled_at: null });
    expect((await ask(subject.server, member, "GET", "/login/me")).statusCode).toBe(401);
    expect((await logIn(subject.server, member.email)).statusCode).toBe(200);
    expect((await auditOfUser(subject, member.id)).slice(-1)[0]?.event).toBe("user_enabled");
  });

  test("a forced change ends the sessions, and the next login opens its own replacement and nothing else", async () => {
    const member = await createMember(subject, ada, newAddress());

    expect((await change(member, { must_change_password: true })).json()).toMatchObject({ must_change_password: true });

    expect((await ask(subject.server, member, "GET", "/login/me")).statusCode).toBe(401);
    const limited = await signIn(subject, member.email);
    expect((await ask(subject.server, limited, "GET", "/login/me")).json()).toMatchObject({ must_change_password: true });
    const refused = await ask(subject.server, limited, "GET", "/admin/users");
    expect(refused.json()).toMatchObject({ error: "password_change_required" });
  });

  test("what is so already is no change: no audit row, no session ended", async () => {
    const member = await createMember(subject, ada, newAddress());
    const before = await auditOfUser(subject, member.id);

    const answer = await change(member, { name: "Mem", role: "member", disabled: false });

    expect(answer.statusCode).toBe(200);
    expect(await auditOfUser(subject, member.id)).toEqual(before);
    expect((await ask(subject.server, member, "GET", "/login/me")).statusCode).toBe(200);
  });

  test.each([
    { wrong: "nothing", body: {} },
    { wrong: "a forced change taken back", body: { must_change_password: false } },
    { wrong: "another address", body: { email: "other@example.org" } },
    { wrong: "a name with control characters", body: { name: "Eve\u0007" } },
  ])("$wrong is refused", async ({ body }) => {
    expect((await change(bea, body)).statusCode).toBe(400);
  });

  test.each([
    { what: "role", body: { role: "member" } },
    { what: "account's end", body: { disabled: true } },
    { what: "forced change", body: { must_change_password: true } },
  ])("nobody decides on their own $what", async ({ body }) => {
    const answer = await change(ada, body);

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "own_account" });
    expect((await ask(subject.server, ada, "GET", "/admin/users")).statusCode).toBe(200);
  });
});

describe("DELETE /admin/users/:id", () => {
  test("takes the account with all that hangs on it; its address is free again, the audit keeps it", async () => {
    const member = await createMember(subject, ada, newAddress());

    const answer = await ask(subject.server, ada, "DELETE", `/admin/users/${member.id}`);

    expect(answer.statusCode).toBe(204);
    expect((await ask(subject.server, member, "GET", "/login/me")).statusCode).toBe(401);
    expect((await logIn(subject.server, member.email)).statusCode).toBe(401);
    expect((await ask(subject.server, ada, "GET", `/admin/users/${member.id}`)).statusCode).toBe(404);
    const rows = await subject.database.query.selectFrom("identity.sessions").select("id").where("user_id", "=", member.id).execute();
    expect(rows).toEqual([]);
    expect((await auditOfUser(subject, member.id)).find(({ event }) => event === "user_deleted")).toEqual({
      event: "user_deleted",
      actor_id: ada.id,
      session_id: ada.sessionId,
      details: { email: member.email, role: "member" },
    });
    expect((await createMember(subject, ada, member.email)).id).not.toBe(member.id);
  });

  test("nobody deletes themself", async () => {
    const answer = await ask(subject.server, ada, "DELETE", `/admin/users/${ada.id}`);

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "own_account" });
  });
});
