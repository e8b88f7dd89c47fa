import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, createIdentityUnderTest, logIn, PASSWORD, type IdentityUnderTest } from "#testing/identity-under-test.ts";

let subject: IdentityUnderTest;

beforeAll(async () => {
  subject = await createIdentityUnderTest();
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

/** The fastest of many: what else the machine does can only add. */
const MOST_ROUNDS = 40;

test("every login that fails has the same answer after the same time", async () => {
  const fastest = new Map<string, number>();
  const answers = new Set<string>();
  const spread = () => Math.max(...fastest.values()) / Math.min(...fastest.values());
  for (let round = 1; round <= 4 || (round <= MOST_ROUNDS && spread() > 1.5); round++) {
    for (const { who, email, password } of FAILURES) {
      const begun = performance.now();
      const answer = await logIn(subject.server, email, password, `198.51.100.${round}`);
      fastest.set(who, Math.min(fastest.get(who) ?? Infinity, performance.now() - begun));
      answers.add(`${answer.statusCode} ${answer.body} ${Object.keys(answer.headers).join()} ${answer.cookies.length}`);
    }
  }

  expect([...answers]).toHaveLength(1);
  expect(spread()).toBeLessThan(1.5);
});
