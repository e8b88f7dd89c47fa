import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isOwnAddress } from "#accounts/account.store.ts";
import { ask, createAdmin, type Person } from "#testing/administration.ts";
import { startCompanyProvider, type CompanyProvider } from "#testing/company-provider.ts";
import { signInAt } from "#testing/company-sign-in.ts";
import { createSsoAdmin, listDomains, publish, saveSso, settingsFor, verify } from "#testing/company-tenant.ts";
import { createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let provider: CompanyProvider;
let owner: Person;
let intruder: Person;
let intruderProvider: string;

beforeAll(async () => {
  provider = await startCompanyProvider();
  subject = await createIdentityFixture({ environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" } });
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.sso_providers").execute();
  await subject.database.query.deleteFrom("identity.users").execute();
  await subject.database.query.deleteFrom("identity.throttles").execute();
  owner = await createAdmin(subject, "root@acme.example");
  intruder = await createSsoAdmin(subject, "root@bravo.example", "bravo");
  const settings = { name: "Bravo IdP", domains: ["acme.example", "bravo.example"], enforced: true, break_glass: [intruder.id] };
  ({ id: intruderProvider } = await listDomains(subject, intruder, settingsFor(provider, settings)));
});

afterAll(async () => {
  await subject.close();
  await provider.stop();
});

test("the login page shows nobody's provider for a domain that was listed and not proven", async () => {
  expect((await subject.server.inject({ url: "/login/sso?domain=acme.example" })).json()).toEqual({ providers: [] });
});

test("a mistyped password of another tenant's account is a wrong password", async () => {
  expect((await logIn(subject.server, owner.email, "a mistyped password")).json()).toMatchObject({ error: "invalid_credentials" });
});

test("a provider makes no accounts in a domain that was not proven", async () => {
  await provider.tell({ person: { sub: "new", claims: { email: "new@acme.example", email_verified: true } } });
  expect((await signInAt(subject.server, intruderProvider)).statusCode).not.toBe(200);
  expect((await ask(subject.server, owner, "POST", "/admin/users", { email: "new@acme.example", name: "New" })).statusCode).toBe(201);
});

test("mail of alerts goes to a tenant's own accounts, and to domains that it has proven, not to those that it lists", async () => {
  const isOwn = async (person: Person, address: string) => {
    const { tenant_id: tenantId } = await subject.database.query
      .selectFrom("identity.users")
      .select("tenant_id")
      .where("id", "=", person.id)
      .executeTakeFirstOrThrow();
    return isOwnAddress(subject.database.query, tenantId, address);
  };
  expect(await isOwn(owner, "Root@Acme.example")).toBe(true);
  expect(await isOwn(intruder, owner.email)).toBe(false);
  expect(await isOwn(intruder, "list@bravo.example")).toBe(false);
  await saveSso(subject, intruder, settingsFor(provider, { domains: ["bravo.example"] }));
  expect(await isOwn(intruder, "list@bravo.example")).toBe(true);
  expect(await isOwn(owner, "list@bravo.example")).toBe(false);
  const gone = await createSsoAdmin(subject, "gone@bravo.example", "bravo");
  await ask(subject.server, intruder, "PATCH", `/admin/users/${gone.id}`, { disabled: true });
  expect(await isOwn(intruder, gone.email)).toBe(false);
});

test("listing a domain takes it from nobody", async () => {
  const own = await createSsoAdmin(subject, "second@acme.example");
  expect((await ask(subject.server, own, "PUT", "/admin/sso", settingsFor(provider))).json()).toMatchObject({
    sso: { domains: ["acme.example"] },
  });
});

describe("an address in a domain that another tenant has proven and demands", () => {
  const WRONG = "a mistyped password";

  beforeEach(async () => {
    const settings = { name: "Bravo IdP", domains: ["acme.example", "bravo.example"], enforced: true, break_glass: [intruder.id] };
    await saveSso(subject, intruder, settingsFor(provider, settings));
    await ask(subject.server, intruder, "POST", "/admin/users", { email: "theirs@acme.example", name: "Theirs" });
  });

  test.each([
    ["of the first tenant, right password", "root@acme.example", PASSWORD, undefined],
    ["of the first tenant, wrong password", "root@acme.example", WRONG, "invalid_credentials"],
    ["of the tenant itself, wrong password", "theirs@acme.example", WRONG, "sso_required"],
    ["of nobody", "nobody@acme.example", WRONG, "sso_required"],
    ["kept for emergencies, wrong password", "root@bravo.example", WRONG, "sso_required"],
    ["of nobody, in a domain that nobody has proven", "nobody@other.example", WRONG, "invalid_credentials"],
  ])("%s", async (_who, email, password, error) => {
    expect((await logIn(subject.server, email, password)).json<{ error?: string }>().error).toBe(error);
  });

  test("still is one at which the first tenant makes accounts", async () => {
    expect((await ask(subject.server, owner, "POST", "/admin/users", { email: "new@acme.example", name: "New" })).statusCode).toBe(201);
    expect((await ask(subject.server, owner, "POST", "/admin/users", { email: "theirs@acme.example", name: "X" })).json()).toMatchObject({
      error: "email_taken",
    });
  });
});

/** The answers to the people of the first tenant, but for what differs each time. */
async function answersToOwners(): Promise<readonly string[]> {
  await subject.database.query.deleteFrom("identity.throttles").execute();
  const made = await ask(subject.server, owner, "POST", "/admin/users", { email: "made@acme.example", name: "Made" });
  const { user } = made.json<{ user?: { id: string } }>();
  const removed = await ask(subject.server, owner, "DELETE", `/admin/users/${user?.id}`);
  const own = [
    await logIn(subject.server, owner.email),
    await logIn(subject.server, owner.email, "a mistyped password"),
    await ask(subject.server, owner, "GET", "/admin/sso"),
    await ask(subject.server, owner, "GET", "/login/me"),
    made,
    removed,
  ];
  return own.map(({ statusCode, body }) => `${statusCode} ${/"error":"\w+"/.exec(body)?.[0] ?? ""}`);
}

test("whatever another tenant lists, proves, demands or removes, the people of the first are answered the same", async () => {
  await ask(subject.server, intruder, "DELETE", "/admin/sso");
  const before = await answersToOwners();
  expect(before).toEqual(["200 ", '401 "error":"invalid_credentials"', "200 ", "200 ", "201 ", "204 "]);
  const anything = fc.record({
    domains: fc.uniqueArray(fc.constantFrom("acme.example", "bravo.example", "other.example"), { minLength: 1 }),
    proves: fc.boolean(),
    removes: fc.boolean(),
    enforced: fc.boolean(),
    creates_accounts: fc.boolean(),
    default_role: fc.constantFrom("member", null),
    vouches_for_addresses: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(anything, async ({ proves, removes, ...settings }) => {
      const { domain_proofs: proofs } = await listDomains(
        subject,
        intruder,
        settingsFor(provider, { ...settings, break_glass: [intruder.id] }),
      );
      for (const proof of proves ? proofs : []) {
        publish(subject, proof.record);
        await verify(subject, intruder, proof.domain);
      }
      if (removes) {
        await ask(subject.server, intruder, "DELETE", "/admin/sso");
      }
      expect(await answersToOwners()).toEqual(before);
    }),
    { numRuns: 20 },
  );
});
