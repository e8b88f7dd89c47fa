import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, auditOfUser, createAdmin, createMember, giveSecondFactor, rowOf, type Person } from "#testing/administration.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let ada: Person;
let zoe: Person;

beforeAll(async () => {
  subject = await createIdentityFixture();
  ada = await createAdmin(subject, "ada@example.org");
  zoe = await createAdmin(subject, "zoe@example.org", "acme");
  await createMember(subject, ada, "mem@example.org");
});

afterAll(() => subject.close());

test("the admins of every tenant are listed, members are not", async () => {
  await giveSecondFactor(subject, zoe.id);

  const now = subject.clock.now();
  const common = { name: "Ada", disabledAt: null, mustChangePassword: false, lastLoginAt: now };
  expect(await subject.identity.host.listAdmins()).toEqual([
    { ...common, tenant: "acme", email: "zoe@example.org", hasSecondFactor: true },
    { ...common, tenant: "default", email: "ada@example.org", hasSecondFactor: false },
  ]);
});

test("a password is replaced for anyone, by any writing of the address, and the audit names the host alone", async () => {
  const { email, oneTimePassword } = await subject.identity.host.resetPassword(" ADA@example.org ");

  expect(email).toBe("ada@example.org");
  expect((await ask(subject.server, ada, "GET", "/login/me")).statusCode).toBe(401);
  expect((await logIn(subject.server, email)).statusCode).toBe(401);
  expect((await logIn(subject.server, email, oneTimePassword)).statusCode).toBe(200);
  expect(await rowOf(subject, ada.id)).toMatchObject({ must_change_password: true });
  expect((await auditOfUser(subject, ada.id)).slice(-2)).toEqual([
    { event: "user_password_reset", actor_id: null, session_id: null, details: { by: "one_time_password", origin: "command" } },
    { event: "session_revoked", actor_id: null, session_id: ada.sessionId, details: { reason: "password_reset" } },
  ]);
});

test("a second factor is taken away with a reason, even the only admin's", async () => {
  await subject.identity.host.resetSecondFactor({ email: "zoe@example.org", reason: "  phone in the lake " });

  expect(await rowOf(subject, zoe.id)).toMatchObject({ totp_enabled: false, totp_secret: null });
  expect((await ask(subject.server, zoe, "GET", "/login/me")).statusCode).toBe(401);
  expect((await auditOfUser(subject, zoe.id)).slice(-2)).toMatchObject([
    { event: "2fa_admin_reset", actor_id: null, details: { reason: "phone in the lake", origin: "command" } },
    { event: "session_revoked", actor_id: null },
  ]);
  await expect(subject.identity.host.resetSecondFactor({ email: "zoe@example.org", reason: "once more" })).rejects.toMatchObject({
    code: "not_enabled",
  });
});

test("an address without an account is told what to do, and a reason is needed", async () => {
  const { host } = subject.identity;

  await expect(host.resetPassword("nobody@example.org")).rejects.toMatchObject({
    code: "unknown_user",
    message: expect.stringContaining("sightline admin list"),
  });
  await expect(host.resetSecondFactor({ email: "nobody\0", reason: "phone in the lake" })).rejects.toMatchObject({ code: "unknown_user" });
  await expect(host.resetSecondFactor({ email: "zoe@example.org", reason: " " })).rejects.toMatchObject({ code: "invalid_request" });
});

test("a tenant is deleted with all its accounts, whose tokens end, and another is as it was", async () => {
  const { host } = subject.identity;
  const eve = await createAdmin(subject, "eve@example.org", "leaving");
  await createMember(subject, eve, "member@example.org");

  expect(await host.deleteTenant("leaving")).toBe(2);
  expect((await ask(subject.server, eve, "GET", "/login/me")).statusCode).toBe(401);
  expect((await auditOfUser(subject, eve.id)).at(-1)).toMatchObject({
    event: "user_deleted",
    actor_id: null,
    details: { email: "eve@example.org", role: "admin", origin: "command" },
  });
  expect((await subject.identity.listTenants()).map(({ name }) => name)).toEqual(["acme", "default"]);
  expect(await host.deleteTenant("leaving")).toBeUndefined();
  expect(await host.deleteTenant("nobody")).toBeUndefined();
  await expect(host.deleteTenant("default")).rejects.toMatchObject({ code: "default_tenant", status: 409 });
});
