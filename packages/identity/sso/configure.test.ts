import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCertificate } from "@sightline/foundation/testing/certificates";
import { ask, auditOfUser, createAdmin, createMember, giveSecondFactor, rowOf, signIn, type Person } from "#testing/administration.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { signInAt } from "#testing/company-sign-in.ts";
import { createSsoAdmin, saveSso, settingsFor } from "#testing/company-tenant.ts";
import { codeAt } from "#testing/authenticator.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";
import { setUpSecondFactor } from "#testing/second-factor-setup.ts";

let subject: IdentityFixture;
let provider: CompanyProvider;
let admin: Person;

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({ environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" } });
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.sso_providers").execute();
  await subject.database.query.deleteFrom("identity.users").execute();
  await subject.database.query.deleteFrom("identity.throttles").execute();
  admin = await createSsoAdmin(subject, "root@acme.example");
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

const put = (person: Person, settings: object) => ask(subject.server, person, "PUT", "/admin/sso", settings);
const errorOf = (answer: Awaited<ReturnType<typeof put>>) => answer.json<{ error?: string }>().error;

async function noticesOf({ id }: Person) {
  return subject.database.query.selectFrom("identity.notices").select(["kind", "details"]).where("user_id", "=", id).execute();
}

describe("the settings", () => {
  test("are the tenant's own, told to other admins and the audit, and never show the secret", async () => {
    const bea = await createAdmin(subject, "bea@acme.example");
    const nothing = { sso: null, redirect_uri: "http://localhost:3000/login/sso" };
    expect((await ask(subject.server, admin, "GET", "/admin/sso")).json()).toEqual(nothing);

    const { client_secret: secret = "", ...settings } = settingsFor(provider);
    const saved = await put(admin, { ...settings, client_secret: secret });
    expect(saved.json()).toMatchObject({ sso: settings });
    expect(saved.body).not.toContain(secret);
    const row = await subject.database.query.selectFrom("identity.sso_providers").select("client_secret").executeTakeFirstOrThrow();
    expect(row.client_secret).toMatch(/^v1\.k1\./);

    await put(admin, { ...settings, name: "Acme" });
    const changes = (await auditOfUser(subject, admin.id)).filter(({ event }) => event === "sso_changed").map(({ details }) => details);
    expect(changes).toContainEqual({ changed: "client_secret", from: "none", to: "new" });
    expect(changes.at(-1)).toEqual({ changed: "name", from: "Acme ID", to: "Acme" });
    expect((await noticesOf(bea)).at(-1)).toMatchObject({ kind: "policy_changed", details: { what: "company sign-in (name)" } });

    const other = await createSsoAdmin(subject, "root@two.example", "two");
    expect((await ask(subject.server, other, "GET", "/admin/sso")).json()).toEqual(nothing);
    expect(errorOf(await ask(subject.server, other, "DELETE", "/admin/sso"))).toBe("sso_not_configured");
  });

  test("ask for a step-up, an admin, and a second factor of one's own", async () => {
    const bea = await createAdmin(subject, "bea@acme.example");
    expect(errorOf(await put(bea, settingsFor(provider)))).toBe("second_factor_needed");
    const mem = await createMember(subject, admin, "mem@acme.example");
    expect(errorOf(await put(mem, settingsFor(provider)))).toBe("admin_only");
    await subject.database.query.updateTable("identity.sessions").set({ step_up_until: null }).execute();
    expect(errorOf(await put(admin, settingsFor(provider)))).toBe("step_up_required");
    expect(errorOf(await ask(subject.server, admin, "POST", "/admin/sso/test", settingsFor(provider)))).toBe("step_up_required");
  });

  test("ask for the secret anew with another issuer or client: the stored one is sent nowhere else", async () => {
    const { client_secret: _secret, ...settings } = settingsFor(provider);
    await saveSso(subject, admin, settingsFor(provider));
    const elsewhere = { ...settings, issuer: "https://attacker.example" };

    expect(errorOf(await put(admin, elsewhere))).toBe("sso_secret_needed");
    expect(errorOf(await ask(subject.server, admin, "POST", "/admin/sso/test", elsewhere))).toBe("sso_secret_needed");
  });

  test.each([
    ["an issuer with a query", { issuer: "https://login.example.org/?a=b" }],
    ["an issuer with a password", { issuer: "https://me:secret@login.example.org" }],
    ["no issuer of the web", { issuer: "file:///etc/passwd" }],
    ["no domain", { domains: [] }],
    ["a domain for everybody", { domains: ["com"] }],
    ["a name of two lines", { name: "Acme\nID" }],
    ["a default that is admin", { default_role: "admin" }],
  ])("are refused with %s", async (_what, changes) => {
    expect((await put(admin, settingsFor(provider, changes))).statusCode).toBe(400);
  });

  test("that are removed end what they opened, and passwords count again", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    await provider.tell({ person: { sub: "ann", claims: { email: "ann@acme.example", email_verified: true } } });
    const { access_token: token } = (await signInAt(subject.server, id)).json<{ access_token: string }>();

    expect((await ask(subject.server, admin, "DELETE", "/admin/sso")).statusCode).toBe(204);
    expect((await ask(subject.server, { token }, "GET", "/login/me")).statusCode).toBe(401);
    expect(await subject.database.query.selectFrom("identity.sso_links").select("user_id").execute()).toEqual([]);
    expect((await ask(subject.server, admin, "GET", "/login/me")).statusCode).toBe(200);
  });
});

describe("the test before saving", () => {
  const check = async (changes: object) => {
    const answer = await ask(subject.server, admin, "POST", "/admin/sso/test", settingsFor(provider, { ...changes }));
    return answer.json<{ checks: { name: string; ok: boolean; message: string }[] }>().checks;
  };

  test("finds a good provider good", async () => {
    expect((await check({})).map(({ name, ok }) => [name, ok])).toEqual([
      ["Provider", true],
      ["Sign-in by code", true],
      ["PKCE", true],
      ["Keys", true],
      ["Client ID and secret", true],
    ]);
  });

  test("names a wrong secret, a wrong issuer, and a private network", async () => {
    expect((await check({ client_secret: "wrong-secret-of-a-client-98765" })).at(-1)).toMatchObject({
      name: "Client ID and secret",
      ok: false,
      message: expect.stringContaining("does not accept them"),
    });
    expect(await check({ issuer: `${provider.issuer}/realms/none` })).toMatchObject([{ name: "Provider", ok: false }]);
    const [refused] = await check({ issuer: "https://[::1]:1" });
    expect(refused).toMatchObject({ ok: false, message: expect.stringContaining("IDENTITY_ALLOW_PRIVATE_HOSTS") });
  });

  test("names a certificate that is not believed, a public address without TLS, and a provider that sends on", async () => {
    const certificate = await createCertificate();
    const ofOwnAuthority = createHttpsServer({ key: certificate.key, cert: certificate.certificate });
    const sendsOn = createHttpServer((_request, answer) => answer.writeHead(302, { location: provider.issuer }).end());
    try {
      expect(await check({ issuer: `https://127.0.0.1:${await listen(ofOwnAuthority)}` })).toMatchObject([
        { ok: false, message: expect.stringContaining("NODE_EXTRA_CA_CERTS") },
      ]);
      expect(await check({ issuer: `http://127.0.0.1:${await listen(sendsOn)}` })).toMatchObject([
        { ok: false, message: expect.stringContaining("sends on to another address") },
      ]);
      // Nothing is connected to: the address is refused before.
      expect(await check({ issuer: "http://1.1.1.1" })).toMatchObject([{ ok: false, message: expect.stringContaining("without TLS") }]);
    } finally {
      ofOwnAuthority.close();
      sendsOn.close();
      await certificate.remove();
    }
  });
});

/** @returns the port, on loopback. */
async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("a domain that is demanded", () => {
  const enforced = (changes: object = {}) => settingsFor(provider, { enforced: true, ...changes });

  test("needs an admin with a second factor who gets in without the provider", async () => {
    expect(errorOf(await put(admin, enforced()))).toBe("break_glass_needed");
    const bea = await createAdmin(subject, "bea@acme.example");
    expect(errorOf(await put(admin, enforced({ break_glass: [bea.id] })))).toBe("break_glass_unfit");
    const other = await createSsoAdmin(subject, "root@two.example", "two");
    expect(errorOf(await put(admin, enforced({ break_glass: [other.id] })))).toBe("break_glass_unfit");
    expect((await rowOf(subject, other.id)).break_glass).toBe(false);
    expect((await put(admin, enforced({ break_glass: [admin.id] }))).json()).toMatchObject({
      sso: { enforced: true, break_glass: [admin.id] },
    });
  });

  test("takes nobody's password but that of whoever is kept for emergencies, and tells strangers nothing", async () => {
    const root = await createAdmin(subject, "glass@acme.example");
    const { secret } = await setUpSecondFactor(subject, root.token);
    const mem = await createMember(subject, admin, "mem@acme.example");
    await saveSso(subject, admin, enforced({ break_glass: [root.id] }));

    expect((await ask(subject.server, mem, "GET", "/login/me")).statusCode).toBe(401);
    const answers = await Promise.all([
      logIn(subject.server, "mem@acme.example"),
      logIn(subject.server, "mem@acme.example", "a wrong password"),
      logIn(subject.server, "nobody@acme.example"),
      logIn(subject.server, "glass@acme.example", "a wrong password"),
    ]);
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers[0]?.json()).toMatchObject({ error: "sso_required" });
    expect((await logIn(subject.server, "nobody@elsewhere.example")).json()).toMatchObject({ error: "invalid_credentials" });

    subject.clock.forward(30);
    const { partial_token: partialToken } = (await logIn(subject.server, "glass@acme.example")).json<{ partial_token: string }>();
    const payload = { partial_token: partialToken, code: codeAt(secret, subject.clock.now()) };
    expect((await subject.server.inject({ method: "POST", url: "/login/verify-2fa", payload })).statusCode).toBe(200);
    expect((await auditOfUser(subject, root.id)).map(({ event }) => event)).toContain("break_glass_used");
  });

  test("counts right passwords that are refused as tries, too", async () => {
    await createMember(subject, admin, "mem@acme.example");
    await saveSso(subject, admin, enforced({ break_glass: [admin.id] }));
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      statuses.push((await logIn(subject.server, "mem@acme.example", undefined, "198.51.100.9")).statusCode);
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });

  test("keeps its last admin for emergencies from being demoted, disabled or deleted", async () => {
    const bea = await createAdmin(subject, "bea@elsewhere.example");
    await giveSecondFactor(subject, bea.id);
    const cay = await createAdmin(subject, "cay@acme.example");
    await saveSso(subject, bea, enforced({ break_glass: [admin.id] }));
    await subject.database.query.updateTable("identity.users").set({ totp_enabled: false }).where("id", "=", bea.id).execute();
    const again = await signIn(subject, bea.email);

    for (const changes of [{ role: "member" }, { disabled: true }]) {
      expect(errorOf(await ask(subject.server, again, "PATCH", `/admin/users/${admin.id}`, changes))).toBe("last_break_glass");
    }
    expect(errorOf(await ask(subject.server, again, "DELETE", `/admin/users/${admin.id}`))).toBe("last_break_glass");
    expect((await ask(subject.server, again, "PATCH", `/admin/users/${cay.id}`, { role: "member" })).statusCode).toBe(200);
  });

  test("is what the login page finds by it; an organization's name is shown to nobody else where there are several", async () => {
    const id = await saveSso(subject, admin, enforced({ break_glass: [admin.id] }));
    const find = async (query: string) => (await subject.server.inject({ url: `/login/sso${query}` })).json();
    const found = { providers: [{ id, name: "Acme ID", required: true }] };
    expect(await find("?domain=ACME.example")).toEqual(found);
    expect(await find("?domain=two.example")).toEqual({ providers: [] });
    await subject.database.query.deleteFrom("identity.tenants").where("name", "!=", "default").execute();
    expect(await find("")).toEqual({ providers: [{ id, name: "Acme ID", required: false }] });
    await subject.identity.ensureTenant("two");
    expect(await find("")).toEqual({ providers: [] });
  });
});
