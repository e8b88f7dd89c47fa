import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, createAdmin, createMember, type Person } from "#testing/administration.ts";
import { findGoneAccounts, findOwnAddress } from "./account.store.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let ada: Person;
let member: Person;
let stranger: Person;

beforeAll(async () => {
  subject = await createIdentityFixture();
  ada = await createAdmin(subject, "Ada@example.org");
  member = await createMember(subject, ada, "mem@example.org");
  stranger = await createAdmin(subject, "stranger@example.org", "acme");
});

afterAll(() => subject.close());

async function find(person: Pick<Person, "token">, request: object) {
  const answer = await ask(subject.server, person, "POST", "/people/find", request);
  return answer.statusCode === 200 ? answer.json<{ people: object[] }>().people : answer.statusCode;
}

test("a member finds a colleague by the whole e-mail address, in either case, and learns no more than who it is", async () => {
  expect(await find(member, { emails: ["ADA@example.org "] })).toEqual([{ id: ada.id, email: ada.email, name: "Ada", disabled: false }]);
  expect(await find(member, { emails: ["ada", "ada@", "%", "ada@example.org\0"] })).toEqual([]);
});

test("names go with ids, each once, and what is nobody's is left out", async () => {
  const ids = [member.id, ada.id, ada.id, "018f3d5e-0000-7000-8000-000000000000"];
  expect(await find(member, { ids, emails: ["mem@example.org"] })).toMatchObject([{ id: ada.id }, { id: member.id }]);
});

test("accounts of another tenant are nobody's", async () => {
  expect(await find(member, { ids: [stranger.id], emails: [stranger.email] })).toEqual([]);
  expect(await find(stranger, { ids: [ada.id, member.id], emails: [ada.email, member.email] })).toEqual([]);
});

test("nothing is listed without being asked for, and nothing answered without a session", async () => {
  expect(await find(ada, {})).toEqual([]);
  expect(await find({ token: "none" }, { emails: [ada.email] })).toBe(401);
  expect(await find(ada, { ids: ["x"] })).toBe(400);
});

test("whoever is disabled shows as that", async () => {
  const gone = await createMember(subject, ada, "gone@example.org");
  await ask(subject.server, ada, "PATCH", `/admin/users/${gone.id}`, { disabled: true });
  expect(await find(member, { ids: [gone.id] })).toMatchObject([{ email: "gone@example.org", disabled: true }]);
});

test("other parts learn who is gone, and the address of who may log in in the tenant", async () => {
  const { query } = subject.database;
  const [known, unknown] = [await createMember(subject, ada, "known@example.org"), "018f3d5e-0000-7000-8000-000000000000"];
  expect(await findGoneAccounts(query, [known.id, unknown, "of another provider"])).toEqual([unknown]);
  const tenantOf = async (id: string) =>
    (await query.selectFrom("identity.users").select("tenant_id").where("id", "=", id).executeTakeFirstOrThrow()).tenant_id;
  const [own, foreign] = [await tenantOf(known.id), await tenantOf(stranger.id)];
  expect(await findOwnAddress(query, own, known.id)).toBe("known@example.org");
  expect(await findOwnAddress(query, foreign, known.id)).toBe(undefined);
  await ask(subject.server, ada, "PATCH", `/admin/users/${known.id}`, { disabled: true });
  expect(await findOwnAddress(query, own, known.id)).toBe(undefined);
});
