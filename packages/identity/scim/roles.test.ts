import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, createAdmin, createMember, rowOf, signIn } from "#testing/administration.ts";
import { createDirectory, patchOf, type Directory, type Resource } from "#testing/directory.ts";
import { createIdentityFixture, refresh, cookieOf, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let acme: Directory;
let group: Resource;

beforeAll(async () => {
  subject = await createIdentityFixture();
  acme = await createDirectory(subject);
  group = await acme.done("POST", "/Groups", { displayName: "Admins of Sightline" });
});

afterAll(() => subject.close());

const disable = (id: string) => acme.send("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value: false }));
const members = (...ids: readonly string[]) =>
  acme.done("PATCH", `/Groups/${group.id}`, patchOf({ op: "replace", path: "members", value: ids.map((value) => ({ value })) }));
const roleOf = async (id: string) => (await rowOf(subject, id)).role;

test("a group that company sign-in calls one of admins makes its people admins, and takes it when they leave the group", async () => {
  const ada = await acme.done("POST", "/Users", { userName: "ada@acme.example" });
  const bea = await acme.done("POST", "/Users", { userName: "bea@acme.example" });
  const local = await createAdmin(subject, "local@acme.example");
  await acme.done("POST", "/Groups", { displayName: "Engines", members: [{ value: bea.id }] });
  await members(ada.id);
  expect([await roleOf(ada.id), await roleOf(bea.id)]).toEqual(["admin", "member"]);
  await members(bea.id);
  expect([await roleOf(ada.id), await roleOf(bea.id)]).toEqual(["member", "admin"]);
  // The directory keeps neither of them.
  expect([await roleOf(local.id), await roleOf(acme.admin.id)]).toEqual(["admin", "admin"]);

  await acme.done("DELETE", `/Users/${bea.id}`);
  expect((await acme.done("GET", `/Groups/${group.id}`))["members"]).toEqual([]);
  const { id } = await acme.done("POST", "/Users", { userName: "bea@acme.example" });
  expect([id, await roleOf(id)]).toEqual([bea.id, "member"]);
  const byId = await acme.done("POST", "/Groups", { displayName: "Others", externalId: "id-of-admins", members: [{ value: id }] });
  expect(await roleOf(id)).toBe("admin");
  await acme.done("DELETE", `/Groups/${byId.id}`);
  expect(await roleOf(id)).toBe("member");
});

test("no group is one of admins where the provider says nothing of roles, and then everybody keeps theirs", async () => {
  const carl = await createAdmin(subject, "carl@acme.example");
  await subject.database.query
    .updateTable("identity.sso_providers")
    .set({ role_claim: null })
    .where("tenant_id", "=", acme.tenantId)
    .execute();
  await acme.done("PATCH", `/Users/${carl.id}`, patchOf({ op: "add", path: "externalId", value: "carl" }));
  await members();
  expect(await roleOf(carl.id)).toBe("admin");
});

test("the last admin is neither disabled, removed nor demoted", async () => {
  const other = await createDirectory(subject, "solo", "solo.example");
  const rita = await createAdmin(subject, "rita@solo.example", "solo");
  await subject.database.query.updateTable("identity.users").set({ role: "member" }).where("id", "=", other.admin.id).execute();
  const off = await other.send("PATCH", `/Users/${rita.id}`, patchOf({ op: "replace", value: { active: false } }));
  expect(off.json()).toMatchObject({ status: "409", detail: expect.stringMatching(/last active admin/) });
  expect((await other.send("DELETE", `/Users/${rita.id}`)).statusCode).toBe(409);
  await other.done("PATCH", `/Users/${rita.id}`, patchOf({ op: "add", path: "externalId", value: "rita" }));
  await other.done("POST", "/Groups", { displayName: "Admins of Sightline" });
  expect(await rowOf(subject, rita.id)).toMatchObject({ role: "admin", disabled_at: null });
});

test("who leaves is out of identity at once: access tokens, sessions and what they had begun", async () => {
  const mem = await createMember(subject, acme.admin, "mem@acme.example");
  const cookie = cookieOf(await logIn(subject.server, mem.email));
  const session = await signIn(subject, mem.email);
  expect((await ask(subject.server, session, "GET", "/login/me")).statusCode).toBe(200);
  expect((await disable(mem.id)).statusCode).toBe(200);
  expect((await ask(subject.server, session, "GET", "/login/me")).statusCode).toBe(401);
  expect((await refresh(subject.server, cookie)).statusCode).toBe(401);
  expect((await logIn(subject.server, mem.email)).statusCode).toBe(401);
});
