import { decodeJwt } from "jose";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { insertPasskey } from "#factors/passkey/passkey.store.ts";
import { lockUser } from "#session/session.store.ts";
import { ask, auditOfUser, createAdmin, createMember, rowOf, type Person } from "#testing/administration.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { finishAt, signInAt, startAt, throughProvider, type Browser } from "#testing/company-sign-in.ts";
import { createSsoAdmin, saveSso, settingsFor } from "#testing/company-tenant.ts";
import { createIdentityFixture, isSomeoneWaiting, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";
import { codeAt } from "#testing/authenticator.ts";
import { setUpSecondFactor } from "#testing/second-factor-setup.ts";

let subject: IdentityFixture;
let provider: CompanyProvider;
let admin: Person;

const ANN = { sub: "ann-1", claims: { email: "Ann@acme.example", email_verified: true, name: "Ann" } };
const BY_GROUPS = { role_claim: "groups", admin_values: ["admins"], member_values: ["staff"], default_role: null };

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({ environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" } });
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.sso_providers").execute();
  await subject.database.query.deleteFrom("identity.policies").execute();
  await subject.database.query.deleteFrom("identity.users").execute();
  await subject.database.query.deleteFrom("identity.throttles").execute();
  admin = await createSsoAdmin(subject, "root@sightline.example");
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

function tokenOf(answer: Awaited<ReturnType<typeof signInAt>>) {
  const { access_token: token } = answer.json<{ access_token: string }>();
  return { token, claims: decodeJwt<{ sub: string; role: string; amr: string[] }>(token) };
}

async function linksOf(userId: string) {
  return subject.database.query.selectFrom("identity.sso_links").select(["issuer", "subject"]).where("user_id", "=", userId).execute();
}

function withGroups(...groups: readonly string[]) {
  return { person: { ...ANN, claims: { ...ANN.claims, groups } } };
}

describe("an account", () => {
  test("is made just in time, as a member, for a day", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    await provider.tell({ person: ANN });

    const { token, claims } = tokenOf(await signInAt(subject.server, id));

    expect(claims).toMatchObject({ aud: "sightline", role: "member", amr: ["sso"] });
    expect((await ask(subject.server, { token }, "GET", "/login/me")).json()).toMatchObject({ email: "Ann@acme.example", name: "Ann" });
    expect((await ask(subject.server, admin, "GET", `/admin/users/${claims.sub}`)).json()).toMatchObject({ invited: false });
    expect((await auditOfUser(subject, claims.sub)).map(({ event, details }) => [event, details])).toEqual([
      ["user_created", { role: "member", origin: "sso" }],
      ["sso_linked", { issuer: provider.issuer, subject: "ann-1" }],
    ]);
    const [session] = (await ask(subject.server, { token }, "GET", "/login/sessions")).json<{ sessions: { expires_at: string }[] }>()
      .sessions;
    expect(session?.expires_at).toBe(new Date(subject.clock.now().getTime() + 86_400_000).toISOString());
  });

  test("is not made where the tenant does not want that", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider, { creates_accounts: false }));
    await provider.tell({ person: ANN });

    expect((await signInAt(subject.server, id)).json()).toMatchObject({ error: "sso_no_account" });
  });

  test("with the address is linked at the first sign-in; from then on the person counts, not the address", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    const ann = await createMember(subject, admin, "ann@acme.example");
    await provider.tell({ person: ANN });
    expect(tokenOf(await signInAt(subject.server, id)).claims.sub).toBe(ann.id);

    await provider.tell({ person: { ...ANN, claims: { ...ANN.claims, email: "ann.married@acme.example" } } });
    expect(tokenOf(await signInAt(subject.server, id)).claims.sub).toBe(ann.id);

    // Somebody new has got Ann's old address.
    await provider.tell({ person: { ...ANN, sub: "another-ann" } });
    expect((await signInAt(subject.server, id)).json()).toMatchObject({ error: "sso_other_person" });
    expect(await linksOf(ann.id)).toEqual([{ issuer: provider.issuer, subject: "ann-1" }]);
  });

  test("whose first passkey is added while the sign-in waits is asked for it, too", needsRealPostgres, async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    const ann = await createAdmin(subject, "ann@acme.example");
    await provider.tell({ person: ANN });
    const browser: Browser = { cookie: "" };
    const { continue_to: address } = (await startAt(subject.server, browser, id)).json<{ continue_to: string }>();
    const query = await throughProvider(address);

    const [answered] = await subject.database.query.transaction().execute(async (transaction) => {
      await lockUser(transaction, ann.id);
      const answer = finishAt(subject.server, browser, query);
      await vi.waitUntil(() => isSomeoneWaiting(subject), { timeout: 20_000 });
      await insertPasskey(transaction, {
        user_id: ann.id,
        credential_id: "of-ann",
        public_key: Buffer.alloc(1),
        counter: 0,
        transports: [],
        device_type: "singleDevice",
        backed_up: false,
        name: "Laptop",
        created_at: subject.clock.now(),
      });
      return [answer];
    });

    expect((await answered)?.json()).toMatchObject({ two_factor_required: true, methods: ["passkey"] });
  });

  test("with a second factor of its own is asked for it, and linked only once it was shown", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    const ann = await createAdmin(subject, "ann@acme.example");
    const { secret } = await setUpSecondFactor(subject, ann.token);
    await provider.tell({ person: { ...ANN, amr: ["mfa"] } });

    const partial = (await signInAt(subject.server, id)).json<{ partial_token: string }>();
    expect(partial).toMatchObject({ two_factor_required: true, expires_in: 300 });
    expect(await linksOf(ann.id)).toEqual([]);

    subject.clock.forward(30);
    const payload = { partial_token: partial.partial_token, code: codeAt(secret, subject.clock.now()) };
    const answer = await subject.server.inject({ method: "POST", url: "/login/verify-2fa", payload });
    expect(tokenOf(answer).claims).toMatchObject({ sub: ann.id, amr: ["sso", "otp", "mfa"] });
    expect(await linksOf(ann.id)).toHaveLength(1);
  });

  test("that was disabled stays out", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    await provider.tell({ person: ANN });
    const { claims } = tokenOf(await signInAt(subject.server, id));
    await ask(subject.server, admin, "PATCH", `/admin/users/${claims.sub}`, { disabled: true });

    expect((await signInAt(subject.server, id)).json()).toMatchObject({ error: "sso_account_disabled" });
  });

  test("whose one-time password nobody has replaced is opened all the same", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider));
    await ask(subject.server, admin, "POST", "/admin/users", { email: "ann@acme.example", name: "Ann" });
    await provider.tell({ person: ANN });

    expect(tokenOf(await signInAt(subject.server, id)).claims).toMatchObject({ aud: "sightline" });
  });
});

describe("two tenants with the same provider", () => {
  test("have accounts of their own; one of the other tenant is never reached", async () => {
    const [, second] = provider.clients;
    const id = await saveSso(subject, admin, settingsFor(provider));
    const other = await createSsoAdmin(subject, "root@two.example", "two");
    const client = { client_id: second?.id, client_secret: second?.secret };
    const otherId = await saveSso(subject, other, settingsFor(provider, { ...client, domains: ["two.example"] }));
    const ann = await createMember(subject, other, "ann@acme.example");
    await provider.tell({ person: ANN });

    expect((await signInAt(subject.server, id)).json()).toMatchObject({ error: "sso_no_account" });
    expect((await signInAt(subject.server, otherId)).json()).toMatchObject({ error: "sso_domain_not_allowed" });
    expect(await linksOf(ann.id)).toEqual([]);

    await provider.tell({ person: { ...ANN, claims: { ...ANN.claims, email: "ann@two.example" } } });
    const { claims } = tokenOf(await signInAt(subject.server, otherId));
    expect(claims["tid"]).not.toBe((await rowOf(subject, admin.id)).tenant_id);
    expect((await ask(subject.server, admin, "GET", `/admin/users/${claims.sub}`)).json()).toMatchObject({ error: "unknown_user" });
  });
});

test("an account without a password is told what confirms instead", async () => {
  const id = await saveSso(subject, admin, settingsFor(provider));
  await provider.tell({ person: ANN });
  const { token } = tokenOf(await signInAt(subject.server, id));

  const answer = await ask(subject.server, { token }, "POST", "/step-up", { password: "of somebody else, 12" });

  expect([answer.statusCode, answer.json()]).toMatchObject([403, { error: "no_password", message: expect.stringContaining("passkey") }]);
});

describe("the role", () => {
  test("follows the claim at each sign-in, and what was open with more rights ends", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider, BY_GROUPS));
    await provider.tell(withGroups("staff", "admins"));
    const first = tokenOf(await signInAt(subject.server, id));
    expect(first.claims.role).toBe("admin");
    expect((await ask(subject.server, first, "GET", "/admin/users")).statusCode).toBe(200);

    await provider.tell(withGroups("staff"));
    expect(tokenOf(await signInAt(subject.server, id)).claims.role).toBe("member");
    expect((await ask(subject.server, first, "GET", "/login/me")).statusCode).toBe(401);

    const second = tokenOf(await signInAt(subject.server, id));
    await provider.tell(withGroups("guests"));
    expect((await signInAt(subject.server, id)).json()).toMatchObject({ error: "sso_no_role" });
    expect((await ask(subject.server, second, "GET", "/login/me")).statusCode).toBe(401);
  });

  test("of the last admin stays, whatever the provider says", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider, { ...BY_GROUPS, domains: ["acme.example"] }));
    const ann = await createAdmin(subject, "ann@acme.example");
    await subject.database.query.updateTable("identity.users").set({ role: "member" }).where("id", "=", admin.id).execute();
    await provider.tell(withGroups("staff"));

    expect(tokenOf(await signInAt(subject.server, id)).claims).toMatchObject({ sub: ann.id, role: "admin" });
    await provider.tell(withGroups("guests"));
    expect(tokenOf(await signInAt(subject.server, id)).claims).toMatchObject({ sub: ann.id, role: "admin" });
  });
});

describe("the policy's second factor", () => {
  test("that somebody sets up leaves them signed in by the provider, for a day", async () => {
    const id = await saveSso(subject, admin, settingsFor(provider, BY_GROUPS));
    await provider.tell(withGroups("admins"));
    const before = tokenOf(await signInAt(subject.server, id));

    const { token } = await setUpSecondFactor(subject, before.token);

    expect(decodeJwt(token)).toMatchObject({ amr: ["sso", "otp", "mfa"] });
    const { sessions } = (await ask(subject.server, { token }, "GET", "/login/sessions")).json<{ sessions: { expires_at: string }[] }>();
    expect(sessions.map(({ expires_at: until }) => Date.parse(until) - subject.clock.now().getTime())).toEqual([24 * 60 * 60 * 1000]);
  });

  test("is the provider's where that says so, or the admin says it for it", async () => {
    const settings = settingsFor(provider, BY_GROUPS);
    const id = await saveSso(subject, admin, settings);
    await ask(subject.server, admin, "PUT", "/admin/policy", { admins_need_second_factor_from: subject.clock.now().toISOString() });
    await provider.tell(withGroups("admins"));
    expect(tokenOf(await signInAt(subject.server, id)).claims).toMatchObject({ aud: "sightline-second-factor-setup", amr: ["sso"] });

    await provider.tell({ person: { ...withGroups("admins").person, amr: ["pwd", "mfa"] } });
    expect(tokenOf(await signInAt(subject.server, id)).claims).toMatchObject({ aud: "sightline", amr: ["sso", "mfa"] });

    await provider.tell(withGroups("admins"));
    await saveSso(subject, admin, { ...settings, asks_second_factor: true });
    expect(tokenOf(await signInAt(subject.server, id)).claims).toMatchObject({ aud: "sightline", amr: ["sso", "mfa"] });
    expect((await logIn(subject.server, "root@sightline.example")).json()).toMatchObject({ two_factor_required: true });
  });
});
