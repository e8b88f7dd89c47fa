import { sql } from "kysely";
import { expect, test } from "vitest";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createHousekeeping } from "./housekeeping.ts";
import { createAccount, createIdentityFixture } from "./testing/identity-fixture.ts";
import { ringUnderTest } from "./testing/second-factor-setup.ts";

test("links that are over and notices of three months ago are deleted", async () => {
  const subject = await createIdentityFixture({ environment: { SMTP_URL: "smtp://127.0.0.1" } });
  const { query: queries } = subject.database;
  await createAccount(subject.identity, "ada@example.org");
  await subject.server.inject({ method: "POST", url: "/login/password-reset", payload: { email: "ada@example.org" } });
  const housekeeping = createHousekeeping({ queries, sealer: ringUnderTest(), log: silentLog, clock: subject.clock });
  const count = async () => [
    (await queries.selectFrom("identity.mail_tickets").selectAll().execute()).length,
    (await queries.selectFrom("identity.notices").selectAll().execute()).length,
  ];

  await housekeeping.run();
  expect(await count()).toEqual([1, 1]);
  subject.clock.forward(30 * 60);
  await housekeeping.run();
  expect(await count()).toEqual([0, 1]);
  subject.clock.forward(90 * 24 * 3600);
  await housekeeping.run();
  expect(await count()).toEqual([0, 0]);
  await subject.close();
});

test("what can't be deleted keeps nothing else from being deleted", async () => {
  const subject = await createIdentityFixture({ environment: { SMTP_URL: "smtp://127.0.0.1" } });
  const { query: queries } = subject.database;
  await createAccount(subject.identity, "ada@example.org");
  await subject.server.inject({ method: "POST", url: "/login/password-reset", payload: { email: "ada@example.org" } });
  await sql`create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(
    queries,
  );
  await sql`create trigger refused before delete on identity.throttles execute function public.refuse()`.execute(queries);
  subject.clock.forward(30 * 60);
  await createHousekeeping({ queries, sealer: ringUnderTest(), log: silentLog, clock: subject.clock }).run();
  expect(await queries.selectFrom("identity.mail_tickets").selectAll().execute()).toEqual([]);
  await subject.close();
});
