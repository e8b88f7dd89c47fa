import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  accessTokenOf,
  cookieOf,
  createAccount,
  createIdentityUnderTest,
  logIn,
  PASSWORD,
  type IdentityUnderTest,
} from "#testing/identity-under-test.ts";

let subject: IdentityUnderTest;

beforeAll(async () => {
  subject = await createIdentityUnderTest();
});

afterAll(() => subject.close());

test(
  "logins, logouts, revocations and a new password of one account at once, on two replicas, wait for each other and never for ever",
  needsRealPostgres,
  async () => {
    const { server: other } = await subject.replica();
    const statuses = new Set<number>();
    for (const round of [1, 2, 3]) {
      const email = `ada-${round}@example.org`;
      await createAccount(subject.identity, email);
      const cookies = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => cookieOf(await logIn(subject.server, email, PASSWORD, `198.51.100.${index}`))),
      );
      const authorization = `Bearer ${await accessTokenOf(subject.server, email)}`;
      const payload = { current_password: PASSWORD, new_password: "nine violet umbrellas" };

      const answers = await Promise.all([
        ...cookies.map((cookie, index) =>
          (index % 2 === 0 ? subject.server : other).inject({ method: "POST", url: "/logout", headers: { cookie } }),
        ),
        ...[1, 2, 3].map((index) => logIn(other, email, PASSWORD, `203.0.113.${index}`)),
        ...[4, 5].map((index) => logIn(other, email, "not the password", `203.0.113.${index}`)),
        subject.server.inject({ method: "POST", url: "/login/password", headers: { authorization }, payload }),
        other.inject({ method: "DELETE", url: "/login/sessions", headers: { authorization } }),
      ]);
      for (const { statusCode } of answers) {
        statuses.add(statusCode);
      }
    }

    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    expect(await subject.identity.verifyAudit()).toMatchObject({ intact: true });
  },
);
