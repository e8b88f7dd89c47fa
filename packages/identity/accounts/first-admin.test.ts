import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { problemsOfFirstAdmin } from "./first-admin-problems.ts";

const ada = { email: "ada@example.org", password: PASSWORD, name: "Ada" };

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture();
});

afterEach(() => subject.close());

async function everythingStored(): Promise<string> {
  const { query } = subject.database;
  return JSON.stringify([
    await query.selectFrom("identity.users").selectAll().execute(),
    await query.selectFrom("identity.audit").selectAll().execute(),
  ]);
}

describe("the first admin", () => {
  test("gets a one-time password that is told once, stored nowhere and logs in", async () => {
    const admin = await subject.identity.ensureFirstAdmin();

    expect(admin?.email).toBe("admin@sightline.localhost");
    expect(z.email().safeParse(admin?.email).success).toBe(true);
    expect(admin?.oneTimePassword).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
    expect(await subject.identity.ensureFirstAdmin()).toBeUndefined();
    expect(await everythingStored()).not.toContain(admin?.oneTimePassword);
    expect((await logIn(subject.server, admin?.email ?? "", admin?.oneTimePassword)).statusCode).toBe(200);
  });

  test("twenty starts at once, over two replicas, make one and tell one password", needsRealPostgres, async () => {
    const { identity: other } = await subject.replica();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? subject.identity : other).ensureFirstAdmin()),
    );

    const told = answers.filter((answer) => answer !== undefined);
    expect(told).toHaveLength(1);
    expect((await logIn(subject.server, told[0]?.email ?? "", told[0]?.oneTimePassword)).statusCode).toBe(200);
  });

  test("is the one of ADMIN_EMAIL and ADMIN_PASSWORD where they are set, with nothing to replace", async () => {
    const { identity } = await subject.replica({ environment: { ADMIN_EMAIL: "root@example.org", ADMIN_PASSWORD: PASSWORD } });

    expect(await identity.ensureFirstAdmin()).toEqual({ email: "root@example.org", oneTimePassword: undefined });

    const login = await logIn(subject.server, "root@example.org");
    const { access_token: token } = login.json<{ access_token: string }>();
    const me = await subject.server.inject({ url: "/login/me", headers: { authorization: `Bearer ${token}` } });
    expect(me.json()).toMatchObject({ role: "admin", must_change_password: false, tenant: { name: "default" } });
  });

  test("has no ADMIN_PASSWORD that is guessed first, as its own address is", () => {
    const problems = (ADMIN_PASSWORD?: string, ADMIN_EMAIL?: string) => problemsOfFirstAdmin({ ADMIN_PASSWORD, ADMIN_EMAIL });
    expect(problems("administrator1")).toEqual([expect.stringMatching(/^ADMIN_PASSWORD .*longer phrase of your own, or leave it out/)]);
    expect(problems("ada@example.org", "ada@example.org")).toHaveLength(1);
    expect([problems("ada@example.org"), problems(PASSWORD, "ada@example.org"), problems()]).toEqual([[], [], []]);
  });

  test("is not made when someone has registered before", async () => {
    await subject.server.inject({ method: "POST", url: "/api/v1/auth/register", payload: ada });

    expect(await subject.identity.ensureFirstAdmin()).toBeUndefined();
  });

  test("closes registration", async () => {
    await subject.identity.ensureFirstAdmin();

    const answer = await subject.server.inject({ method: "POST", url: "/api/v1/auth/register", payload: ada });

    expect(answer.statusCode).toBe(403);
  });

  test("a race of a registration with the first start makes one admin", needsRealPostgres, async () => {
    const [registered, started] = await Promise.all([
      subject.server.inject({ method: "POST", url: "/api/v1/auth/register", payload: ada }),
      subject.identity.ensureFirstAdmin(),
    ]);

    expect(registered.statusCode === 201).toBe(started === undefined);
    expect(await subject.database.query.selectFrom("identity.users").select("role").execute()).toEqual([{ role: "admin" }]);
  });
});

describe("an admin made on the host", () => {
  test("gets a one-time password, or the password given", async () => {
    const first = await subject.identity.createAdmin({ email: "a@example.org", name: "A", tenantName: "default" });
    const second = await subject.identity.createAdmin({ email: "b@example.org", name: "B", password: PASSWORD, tenantName: "default" });

    expect(first).toEqual({ email: "a@example.org", oneTimePassword: expect.any(String) });
    expect(second).toEqual({ email: "b@example.org", oneTimePassword: undefined });
    expect((await logIn(subject.server, "b@example.org")).statusCode).toBe(200);
  });

  test("belongs to the tenant named, which must be there", async () => {
    const admin = { email: "a@example.org", name: "A", tenantName: "acme" };
    await expect(subject.identity.createAdmin(admin)).rejects.toMatchObject({ code: "unknown_tenant", status: 404 });

    const tenant = await subject.identity.ensureTenant("acme");
    await subject.identity.createAdmin(admin);

    const rows = await subject.database.query.selectFrom("identity.users").select("tenant_id").execute();
    expect(rows).toEqual([{ tenant_id: tenant.id }]);
  });

  test("needs an address that is free and well-formed", async () => {
    await subject.identity.createAdmin({ email: "a@example.org", name: "A", tenantName: "default" });

    await expect(subject.identity.createAdmin({ email: "A@example.org", name: "A", tenantName: "default" })).rejects.toMatchObject({
      code: "email_taken",
    });
    await expect(subject.identity.createAdmin({ email: "a", name: "A", tenantName: "default" })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("tenants", () => {
  test("are made once, however often and by however many they are asked for", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => subject.identity.ensureTenant("acme")));

    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await subject.identity.listTenants()).toEqual([made[0]]);
  });

  test.each(["", "Acme", "9lives", "a-b", "a".repeat(42), 'x"; drop schema identity'])("%j is no name of a tenant", async (name) => {
    await expect(subject.identity.ensureTenant(name)).rejects.toMatchObject({ code: "invalid_tenant_name" });
  });
});
