import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, createIdentityFixture, logIn, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
  for (const name of ["known", "disabled", "careful", "disabled-careful", "invited"]) {
    await createAccount(subject.identity, `${name}@example.org`);
  }
  const { query } = subject.database;
  const enabled = { totp_enabled: true, totp_secret: "v1.k1.a.b.c" };
  const disabled = { disabled_at: subject.clock.now() };
  await query.updateTable("identity.users").set(disabled).where("email", "like", "disabled%").execute();
  await query.updateTable("identity.users").set(enabled).where("email", "like", "%careful@%").execute();
  await query.updateTable("identity.users").set({ password_hash: "!" }).where("email", "=", "invited@example.org").execute();
});

afterAll(() => subject.close());

const FAILURES = [
  { who: "a known address", email: "known@example.org", password: "not the password" },
  { who: "an unknown address", email: "nobody@example.org", password: "not the password" },
  { who: "a disabled account", email: "disabled@example.org", password: "not the password" },
  { who: "a disabled account with its password", email: "disabled@example.org", password: PASSWORD },
  { who: "an account with a second factor", email: "careful@example.org", password: "not the password" },
  { who: "a disabled account with a second factor and its password", email: "disabled-careful@example.org", password: PASSWORD },
  { who: "someone invited who has no password yet", email: "invited@example.org", password: "!" },
];

const ROUNDS = 12;

/** Milliseconds of processor time, which other processes do not stretch. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

test("every login that fails has the same answer after the same work", () => expectAlike(FAILURES, "invalid_credentials"));

test("so has every one at a domain that its tenant has proven and demands, whether there is an account or not", async () => {
  const provider = {
    id: uuidv7(),
    tenant_id: (await subject.identity.ensureTenant("default")).id,
    ...{ name: "Example", issuer: "https://login.example.org", client_id: "sightline", client_secret: "v1.k1.d.e.f", scopes: [] },
    ...{ role_claim: null, admin_values: [], member_values: [], default_role: null, creates_accounts: false, enforced: true },
    ...{ asks_second_factor: false, vouches_for_addresses: false, created_at: subject.clock.now(), updated_at: subject.clock.now() },
  };
  const proven = { token: "t", verified_at: subject.clock.now(), check_at: subject.clock.now() };
  await subject.database.query.insertInto("identity.sso_providers").values(provider).execute();
  await subject.database.query
    .insertInto("identity.sso_domains")
    .values({ provider_id: provider.id, domain: "example.org", ...proven })
    .execute();

  await expectAlike(
    [...FAILURES, { who: "a known address with its password", email: "known@example.org", password: PASSWORD }],
    "sso_required",
  );
});

async function expectAlike(failures: typeof FAILURES, error: string): Promise<void> {
  const least = new Map<string, number>();
  const answers = new Set<string>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { who, email, password } of failures) {
      const before = processorTime();
      const answer = await logIn(subject.server, email, password, `198.51.${error.length}.${round}`);
      least.set(who, Math.min(least.get(who) ?? Infinity, processorTime() - before));
      answers.add(`${answer.statusCode} ${answer.body} ${Object.keys(answer.headers).join()} ${answer.cookies.length}`);
    }
  }

  expect([...answers]).toEqual([expect.stringContaining(error)]);
  expect(Math.max(...least.values()) / Math.min(...least.values())).toBeLessThan(1.5);
}
