import { afterAll, beforeAll, expect, test } from "vitest";
import { createSsoAdmin, saveSso, settingsFor } from "#testing/company-tenant.ts";
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

const ROUNDS = 5;
/** The least of more rounds tells other processes' disturbances from work of ours. */
const MAX_ROUNDS = 40;
const ALIKE = 1.5;

/** Milliseconds of processor time, which other processes do not stretch. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

test("every login that fails has the same answer after the same work", () => expectAlike(FAILURES, "invalid_credentials"));

test("so has every one at a domain that its tenant has proven and demands, whether there is an account or not", async () => {
  const admin = await createSsoAdmin(subject, "root@elsewhere.example");
  const provider = { issuer: "https://login.example.org", clients: [{ id: "sightline", secret: "secret-of-the-client-0123456789" }] };
  await saveSso(subject, admin, settingsFor(provider, { domains: ["example.org"], enforced: true }));

  await expectAlike(
    [...FAILURES, { who: "a known address with its password", email: "known@example.org", password: PASSWORD }],
    "sso_required",
  );
});

async function expectAlike(failures: typeof FAILURES, error: string): Promise<void> {
  await subject.database.query.deleteFrom("identity.throttles").execute();
  const least = new Map<string, number>();
  const answers = new Set<string>();
  const ratio = () => Math.max(...least.values()) / Math.min(...least.values());
  for (let round = 1; round <= ROUNDS || (round <= MAX_ROUNDS && ratio() >= ALIKE); round++) {
    for (const { who, email, password } of failures) {
      const before = processorTime();
      const answer = await logIn(subject.server, email, password, `198.51.100.${round}`);
      least.set(who, Math.min(least.get(who) ?? Infinity, processorTime() - before));
      answers.add(`${answer.statusCode} ${answer.body} ${Object.keys(answer.headers).join()} ${answer.cookies.length}`);
    }
  }

  expect([...answers]).toEqual([expect.stringContaining(error)]);
  expect(ratio()).toBeLessThan(ALIKE);
}
