import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askFor, exchange, registerApp, type App } from "#testing/connect-app.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let app: App;

beforeEach(async () => {
  subject = await createIdentityFixture();
  app = await registerApp(subject.server);
});

afterEach(() => subject.close());

describe("an app whose request waits in the database until somebody ends the waiting", needsRealPostgres, () => {
  /** Cancels what waits for the codes of apps, which another holds. */
  async function whileHeld<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const { query } = subject.database;
    return query.transaction().execute(async (transaction) => {
      await sql`lock table identity.oauth_states`.execute(transaction);
      const answer = ask();
      const cancel = sql`
        select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await cancel.execute(query)).rows.length).toBe(1);
      return answer;
    });
  }

  test("is told to come again, in OAuth's words", async () => {
    const answer = await whileHeld(() => exchange(subject.server, app, "code"));
    expect([answer.statusCode, answer.headers["retry-after"], answer.json()]).toEqual([
      503,
      "5",
      { error: "temporarily_unavailable", error_description: expect.stringContaining("try again in a few seconds") },
    ]);
  });

  test("has the person read the same", async () => {
    const answer = await whileHeld(() => askFor(subject.server, app, {}, "", { accept: "text/html" }));
    expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "5"]);
    expect(answer.body).toContain("temporarily_unavailable");
    expect(answer.body).toContain("try again in a few seconds");
  });
});

test("what is broken stays 500", async () => {
  await sql`alter table identity.oauth_states rename to lost`.execute(subject.database.query);
  const answer = await exchange(subject.server, app, "code");
  expect([answer.statusCode, answer.json()]).toMatchObject([500, { error: "server_error" }]);
});
