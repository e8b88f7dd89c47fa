import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask as call, auditOfUser, createAdmin, createMember, giveSecondFactor, signIn, type Person } from "#testing/administration.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
/** Admins with a second factor. */
let ada: Person;
let bea: Person;
/** An admin without one. */
let cay: Person;
let serial = 0;

beforeAll(async () => {
  subject = await createIdentityFixture();
});

beforeEach(async () => {
  await subject.database.query.deleteFrom("identity.users").execute();
  await subject.database.query.deleteFrom("identity.policies").execute();
  await subject.database.query.deleteFrom("identity.throttles").execute();
  ada = await createAdmin(subject, newAddress());
  bea = await createAdmin(subject, newAddress());
  cay = await createAdmin(subject, newAddress());
  await giveSecondFactor(subject, ada.id);
  await giveSecondFactor(subject, bea.id);
});

afterAll(() => subject.close());

function newAddress(): string {
  serial += 1;
  return `admin-${serial}@example.org`;
}

function ask(person: Person, method: "GET" | "POST" | "PATCH" | "DELETE", url: string, payload?: object) {
  return call(subject.server, person, method, url, payload);
}

function setPolicy(person: Person, payload: object, server = subject.server) {
  return server.inject({ method: "PUT", url: "/admin/policy", headers: { authorization: `Bearer ${person.token}` }, payload });
}

const isoIn = (seconds: number) => new Date(subject.clock.now().getTime() + seconds * 1000).toISOString();
const noticesOf = async ({ id }: Person) =>
  (await subject.database.query.selectFrom("identity.notices").select("kind").where("user_id", "=", id).execute()).map(({ kind }) => kind);

describe("where resets need two, what takes an admin away does, too", () => {
  const WAYS: readonly (readonly ["delete" | "demote" | "disable", "DELETE" | "PATCH", object | undefined, number])[] = [
    ["delete", "DELETE", undefined, 204],
    ["demote", "PATCH", { role: "member" }, 200],
    ["disable", "PATCH", { disabled: true }, 200],
  ];
  const rowOrNone = async ({ id }: Person) =>
    subject.database.query.selectFrom("identity.users").select(["role", "disabled_at"]).where("id", "=", id).executeTakeFirst();

  beforeEach(async () => {
    await setPolicy(ada, { resets_need_two: true });
  });

  test.each(WAYS)("%s: waits for another admin, whoever else is told, whether the account has a second factor or not", async (...way) => {
    const [action, method, payload, status] = way;
    for (const factor of [false, true]) {
      const dot = await createAdmin(subject, newAddress());
      await (factor ? giveSecondFactor(subject, dot.id) : undefined);
      const act = (actor: Person) => ask(actor, method, `/admin/users/${dot.id}`, payload);

      expect((await act(cay)).json()).toMatchObject({ error: "second_factor_needed" });
      const asked = [await act(ada), await act(ada)];
      expect(asked.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
      expect(asked[1]?.json()).toMatchObject({
        role: "admin",
        disabled_at: null,
        waiting: { action, asked_by: { email: ada.email }, reason: "" },
      });
      expect(await rowOrNone(dot)).toEqual({ role: "admin", disabled_at: null });
      expect((await ask(dot, "GET", "/login/me")).statusCode).toBe(200);
      expect(await noticesOf(dot)).toContain("second_admin_asked");

      expect((await act(bea)).statusCode).toBe(status);
      expect(await rowOrNone(dot)).toEqual(
        { delete: undefined, demote: { role: "member", disabled_at: null }, disable: { role: "admin", disabled_at: subject.clock.now() } }[
          action
        ],
      );
      expect((await auditOfUser(subject, dot.id)).map(({ event, actor_id: actor }) => [event, actor])).toContainEqual([
        "second_admin_asked",
        ada.id,
      ]);
    }
  });

  test.each(WAYS)(
    "%s: is confirmed by no other wish, nor by one whom its asker made, and can be taken back",
    async (action, method, payload) => {
      const act = (actor: Person) => ask(actor, method, `/admin/users/${cay.id}`, payload);
      for (const [, others, sent] of WAYS.filter(([name]) => name !== action)) {
        await ask(ada, others, `/admin/users/${cay.id}`, sent);
      }
      expect((await act(bea)).json()).toMatchObject({ waiting: { action, asked_by: { id: bea.id } } });
      expect((await ask(cay, "DELETE", `/admin/users/${cay.id}/waiting`)).json()).toMatchObject({ waiting: null });

      const puppet = await createMember(subject, ada, newAddress());
      await ask(ada, "PATCH", `/admin/users/${puppet.id}`, { role: "admin" });
      const promoted = await signIn(subject, puppet.email);
      await giveSecondFactor(subject, promoted.id);
      await act(ada);
      expect((await act(promoted)).json()).toMatchObject({ error: "admin_too_new" });
      expect(await rowOrNone(cay)).toEqual({ role: "admin", disabled_at: null });
    },
  );

  test("the rest of a request is done, and of two that take an admin away one is confirmed at a time", async () => {
    const both = { name: "Cay the second", role: "member", disabled: true };
    const asked = await ask(ada, "PATCH", `/admin/users/${cay.id}`, both);
    expect(asked.json()).toMatchObject({ name: "Cay the second", role: "admin", disabled_at: null, waiting: { action: "disable" } });
    const confirmed = await ask(bea, "PATCH", `/admin/users/${cay.id}`, both);
    expect([confirmed.statusCode, confirmed.json()]).toMatchObject([200, { role: "admin", disabled_at: isoIn(0), waiting: null }]);
    expect((await ask(ada, "PATCH", `/admin/users/${cay.id}`, { disabled: false })).json()).toMatchObject({ disabled_at: null });
  });

  test("a member is deleted, disabled and promoted by one", async () => {
    const member = await createMember(subject, ada, newAddress());
    expect((await ask(ada, "PATCH", `/admin/users/${member.id}`, { disabled: true })).statusCode).toBe(200);
    expect((await ask(ada, "DELETE", `/admin/users/${member.id}`)).statusCode).toBe(204);
  });
});
