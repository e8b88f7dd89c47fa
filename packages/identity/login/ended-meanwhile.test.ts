import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { raiseEpoch } from "#accounts/account.store.ts";
import type { Transaction } from "#schema.ts";
import { revokeSession } from "#session/session.store.ts";
import { ask, createAdmin, rowOf, type Person } from "#testing/administration.ts";
import { createIdentityFixture, isSomeoneWaiting, PASSWORD, type IdentityFixture } from "#testing/identity-fixture.ts";
import { enableSecondFactor } from "#testing/second-factor.ts";

let subject: IdentityFixture;
let made = 0;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

afterAll(() => subject.close());

type Meanwhile = (transaction: Transaction, person: Person) => Promise<unknown>;

const ends: readonly { readonly what: string; readonly meanwhile: Meanwhile }[] = [
  {
    what: "the owner ends the session from elsewhere",
    meanwhile: (transaction, { id, sessionId }) =>
      revokeSession(transaction, { id: sessionId, userId: id, reason: "revoked", now: subject.clock.now() }),
  },
  { what: "the password changes", meanwhile: (transaction, { id }) => raiseEpoch(transaction, { id, now: subject.clock.now() }) },
];

/** Requests that show the password, and then wait for the account's row. */
const routes = [
  { path: "/login/password", body: { current_password: PASSWORD, new_password: "nine violet umbrellas" } },
  { path: "/step-up", body: { password: PASSWORD } },
  { path: "/admin/2fa/replace", body: { password: PASSWORD } },
  { path: "/admin/2fa/backup-codes", body: { password: PASSWORD } },
  { path: "/admin/2fa/disable", body: { password: PASSWORD } },
];

describe.each(ends)("while password and code are looked at, $what", ({ meanwhile }) => {
  test.each(routes)("and POST $path does nothing any more", needsRealPostgres, async ({ path, body }) => {
    const person = await createAdmin(subject, `admin-${++made}@example.org`);
    const { backupCodes } = await enableSecondFactor(subject, person.email);
    const { epoch: _epoch, epoch_raised_at: _at, ...before } = await rowOf(subject, person.id);

    const [asked] = await subject.database.query.transaction().execute(async (transaction) => {
      await sql`select 1 from identity.users where id = ${person.id}::uuid for update`.execute(transaction);
      const answer = ask(subject.server, person, "POST", path, { ...body, code: backupCodes[0] });
      await vi.waitUntil(() => isSomeoneWaiting(subject), { timeout: 20_000 });
      await meanwhile(transaction, person);
      return [answer];
    });

    expect((await asked)?.statusCode).toBe(401);
    expect(await rowOf(subject, person.id)).toMatchObject(before);
  });
});
