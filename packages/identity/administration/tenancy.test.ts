import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, createAdmin, createMember, giveSecondFactor, type Person } from "#testing/administration.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let ada: Person;
let bea: Person;
let member: Person;
let stranger: Person;

beforeAll(async () => {
  subject = await createIdentityFixture();
  ada = await createAdmin(subject, "ada@example.org");
  bea = await createAdmin(subject, "bea@example.org");
  member = await createMember(subject, ada, "mem@example.org");
  stranger = await createAdmin(subject, "stranger@example.org", "acme");
  await createAdmin(subject, "stranger-2@example.org", "acme");
  await giveSecondFactor(subject, stranger.id);
});

afterAll(() => subject.close());

type Route = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: (id: string) => string;
  readonly body?: object;
  readonly stepUp: boolean;
};

const BY_ID: readonly Route[] = [
  { method: "GET", path: (id) => `/admin/users/${id}`, stepUp: false },
  { method: "PATCH", path: (id) => `/admin/users/${id}`, body: { name: "Owned" }, stepUp: true },
  { method: "PATCH", path: (id) => `/admin/users/${id}`, body: { role: "member" }, stepUp: true },
  { method: "PATCH", path: (id) => `/admin/users/${id}`, body: { disabled: true }, stepUp: true },
  { method: "PATCH", path: (id) => `/admin/users/${id}`, body: { must_change_password: true }, stepUp: true },
  { method: "POST", path: (id) => `/admin/users/${id}/password-reset`, stepUp: true },
  { method: "POST", path: (id) => `/admin/users/${id}/2fa/reset`, body: { reason: "no reason at all" }, stepUp: true },
  { method: "DELETE", path: (id) => `/admin/users/${id}`, stepUp: true },
];

const ALL: readonly Route[] = [
  ...BY_ID,
  { method: "GET", path: () => "/admin/users", stepUp: false },
  { method: "POST", path: () => "/admin/users", body: { email: "new@example.org", name: "New" }, stepUp: true },
];

/** Everything that a request could have changed. */
async function everything(): Promise<string> {
  const { query } = subject.database;
  return JSON.stringify([
    await query.selectFrom("identity.users").selectAll().orderBy("id").execute(),
    await query.selectFrom("identity.sessions").selectAll().orderBy("id").execute(),
    await query.selectFrom("identity.audit").selectAll().orderBy("id").execute(),
    await query.selectFrom("identity.notices").selectAll().orderBy("id").execute(),
    await query.selectFrom("identity.second_factor_counters").selectAll().execute(),
  ]);
}

describe("an account of another tenant", () => {
  test.each(BY_ID)("is not there for $method, and stays as it is", async ({ method, path, body }) => {
    const before = await everything();

    const answer = await ask(subject.server, ada, method, path(stranger.id), body);

    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ error: "unknown_user" });
    expect(answer.body).toBe((await ask(subject.server, ada, method, path("018f3d5e-0000-7000-8000-000000000000"), body)).body);
    expect(await everything()).toBe(before);
  });
});

test.each(BY_ID)("$method with something else than an id is refused", async ({ method, path, body }) => {
  expect((await ask(subject.server, ada, method, path("x'%20or%20true"), body)).statusCode).toBe(400);
});

test.each(ALL)("a member may not $method, stepped up or not", async ({ method, path, body }) => {
  const before = await everything();

  const answer = await ask(subject.server, member, method, path(bea.id), body);

  expect(answer.statusCode).toBe(403);
  expect(answer.json()).toMatchObject({ error: "admin_only" });
  expect(await everything()).toBe(before);
});

test.each(ALL)("nobody may $method without a session", async ({ method, path, body }) => {
  const answer = await subject.server.inject({ method, url: path(bea.id), ...(body === undefined ? {} : { payload: body }) });

  expect(answer.statusCode).toBe(401);
});

test.each(ALL.filter(({ stepUp }) => stepUp))(
  "$method asks for password and code once more when that was over ten minutes ago",
  async ({ method, path, body }) => {
    await subject.database.query
      .updateTable("identity.sessions")
      .set({ step_up_until: subject.clock.now() })
      .where("id", "=", ada.sessionId)
      .execute();
    const before = await everything();

    const answer = await ask(subject.server, ada, method, path(bea.id), body);

    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: "step_up_required" });
    expect(await everything()).toBe(before);
  },
);
