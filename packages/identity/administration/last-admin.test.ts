import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, createAdmin, createAdmins, createMember } from "#testing/administration.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;

beforeEach(async () => {
  subject = await createIdentityFixture();
});

afterEach(() => subject.close());

async function activeAdmins(): Promise<number> {
  const rows = await subject.database.query
    .selectFrom("identity.users")
    .select("id")
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .execute();
  return rows.length;
}

const WAYS_OUT = [
  { way: "demoted", method: "PATCH", body: { role: "member" } },
  { way: "disabled", method: "PATCH", body: { disabled: true } },
  { way: "deleted", method: "DELETE", body: undefined },
] as const;

describe.each(WAYS_OUT)("the last active admin", ({ way, method, body }) => {
  test(`is not ${way}, though other accounts are there`, async () => {
    const ada = await createAdmin(subject, "ada@example.org");
    const bea = await createAdmin(subject, "bea@example.org");
    await createMember(subject, ada, "mem@example.org");
    await createAdmin(subject, "elsewhere@example.org", "acme");
    await ask(subject.server, ada, "PATCH", `/admin/users/${bea.id}`, { disabled: true });

    const answer = await ask(subject.server, ada, method, `/admin/users/${ada.id}`, body);

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ error: "last_admin" });
    expect((await ask(subject.server, ada, "GET", "/admin/users")).statusCode).toBe(200);
  });

  test(`stays when twenty admins, over two replicas, have one another ${way} at once`, needsRealPostgres, async () => {
    const { server: other } = await subject.replica();
    const admins = await createAdmins(subject, 20);

    const answers = await Promise.all(
      admins.map((admin, index) =>
        ask(index % 2 === 0 ? subject.server : other, admin, method, `/admin/users/${admins[(index + 1) % 20]?.id ?? ""}`, body),
      ),
    );

    const done = answers.filter(({ statusCode }) => statusCode < 300).length;
    expect(await activeAdmins()).toBe(20 - done);
    expect(await activeAdmins()).toBeGreaterThan(0);
    for (const { statusCode } of answers.filter(({ statusCode: status }) => status >= 300)) {
      expect([401, 403, 404]).toContain(statusCode);
    }
  });
});

test("of two admins who disable each other at once one is left", needsRealPostgres, async () => {
  const [ada, bea] = [await createAdmin(subject, "ada@example.org"), await createAdmin(subject, "bea@example.org")];

  const answers = await Promise.all([
    ask(subject.server, ada, "PATCH", `/admin/users/${bea.id}`, { disabled: true }),
    ask(subject.server, bea, "PATCH", `/admin/users/${ada.id}`, { disabled: true }),
  ]);

  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  expect(await activeAdmins()).toBe(1);
});

test("an admin who is demoted while a request of theirs waits for its turn makes no account any more", needsRealPostgres, async () => {
  const [ada, bea] = [await createAdmin(subject, "ada@example.org"), await createAdmin(subject, "bea@example.org")];

  const [demotion, ...made] = await Promise.all([
    ask(subject.server, ada, "PATCH", `/admin/users/${bea.id}`, { role: "member" }),
    ...Array.from({ length: 10 }, (_, index) =>
      ask(subject.server, bea, "POST", "/admin/users", { email: `eve-${index}@example.org`, name: "Eve", role: "admin" }),
    ),
  ]);

  expect(demotion?.statusCode).toBe(200);
  const rows = await subject.database.query
    .selectFrom("identity.audit")
    .select(["event", "details"])
    .where((expression) =>
      expression.or([
        expression("actor_id", "=", bea.id),
        expression.and([expression("user_id", "=", bea.id), expression("event", "=", "user_changed")]),
      ]),
    )
    .orderBy("id")
    .execute();
  // Nothing that Bea did stands behind her demotion.
  expect(rows.at(-1)?.event).toBe("user_changed");
  expect(made.filter(({ statusCode }) => statusCode === 201)).toHaveLength(rows.filter(({ event }) => event === "user_created").length);
});
