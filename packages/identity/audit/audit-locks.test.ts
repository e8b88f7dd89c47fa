import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { decodeJwt } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  accessTokenOf,
  createAccount,
  createIdentityFixture,
  isSomeoneWaiting,
  PASSWORD,
  type IdentityFixture,
} from "#testing/identity-fixture.ts";
import { appendAudit } from "./audit.store.ts";

let subject: IdentityFixture;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

test("whoever waits for a session's row does not hold the chain's end meanwhile", needsRealPostgres, async () => {
  await createAccount(subject.identity, "ada@example.org");
  const elsewhere = await accessTokenOf(subject.server, "ada@example.org");
  const authorization = `Bearer ${await accessTokenOf(subject.server, "ada@example.org")}`;
  const payload = { current_password: PASSWORD, new_password: "nine violet umbrellas" };
  const sessionId = String(decodeJwt(elsewhere)["sid"]);

  // A logout between its two statements, while a new password ends the same session.
  const [changing] = await subject.database.query.transaction().execute(async (transaction) => {
    await sql`update identity.sessions set revoked_at = now(), revoked_reason = 'logout' where id = ${sessionId}::uuid`.execute(
      transaction,
    );
    const answer = subject.server.inject({ method: "POST", url: "/login/password", headers: { authorization }, payload });
    await vi.waitUntil(() => isSomeoneWaiting(subject), { timeout: 20_000 });
    await appendAudit(transaction, { event: "session_revoked", at: subject.clock.now(), sessionId });
    return [answer];
  });

  expect((await changing)?.statusCode).toBe(200);
  expect(await subject.identity.verifyAudit()).toMatchObject({ intact: true });
});
