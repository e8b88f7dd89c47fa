import { afterAll, beforeAll, expect, test } from "vitest";
import { createDirectory, directoryWith, makeToken, patchOf, type Directory, type Resource } from "#testing/directory.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let acme: Directory;
let ada: Resource;
let group: Resource;

beforeAll(async () => {
  subject = await createIdentityFixture();
  acme = await createDirectory(subject);
  ada = await acme.done("POST", "/Users", { userName: "ada@acme.example" });
  group = await acme.done("POST", "/Groups", { displayName: "Engines", members: [{ value: ada.id }] });
});

afterAll(() => subject.close());

const ODD = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "\0",
  "a\0b@acme.example",
  "\ud800",
  "\u202E",
  "x".repeat(100_000),
  [],
  [[]],
  [null],
  {},
  { value: "\0" },
  { value: { value: [] } },
  { __proto__: null, constructor: 1 },
  JSON.parse('{"__proto__": {"active": false}}'),
] as const;
const ATTRIBUTES = [
  "userName",
  "externalId",
  "active",
  "displayName",
  "name",
  "name.givenName",
  "emails",
  "members",
  "id",
  "meta",
  "schemas",
  "__proto__",
  "constructor",
];

test.each(ATTRIBUTES)("whatever %s is, it is taken or refused, and never an error of ours", async (attribute) => {
  for (const odd of ODD) {
    for (const [method, path, body] of [
      ["POST", "/Users", { userName: "bea@acme.example", [attribute]: odd }],
      ["PUT", `/Users/${ada.id}`, { userName: "ada@acme.example", [attribute]: odd }],
      ["PATCH", `/Users/${ada.id}`, patchOf({ op: "replace", path: attribute, value: odd })],
      ["PATCH", `/Users/${ada.id}`, patchOf({ op: "add", value: { [attribute]: odd } })],
      ["POST", "/Groups", { displayName: "Others", [attribute]: odd }],
      ["PATCH", `/Groups/${group.id}`, patchOf({ op: "add", path: attribute, value: odd })],
      ["PATCH", `/Groups/${group.id}`, patchOf({ op: "remove", path: attribute, value: odd })],
    ] as const) {
      const { statusCode } = await acme.send(method, path, body);
      expect(statusCode, `${method} ${path} ${JSON.stringify(odd)?.slice(0, 80)}`).toBeLessThan(500);
    }
  }
});

test.each([
  "\0",
  "%00",
  "a".repeat(2_000),
  '"',
  'userName eq "\0"',
  'members eq "\0"',
  'id eq "\0"',
  'displayName eq "\\\\\\"" and id eq "x"',
  "userName eq",
])("whatever is asked for, such as %j, is answered or refused", async (filter) => {
  for (const path of [
    `/Users?filter=${encodeURIComponent(filter)}`,
    `/Groups?filter=${encodeURIComponent(filter)}`,
    `/Users/${encodeURIComponent(filter)}`,
    `/Groups/${encodeURIComponent(filter)}`,
  ]) {
    for (const method of ["GET", "PUT", "DELETE"] as const) {
      expect((await acme.send(method, path, method === "PUT" ? {} : undefined)).statusCode, `${method} ${path}`).toBeLessThan(500);
    }
  }
});

test.each([
  ["no JSON", "application/scim+json", "{"],
  ["nothing", "application/scim+json", ""],
  ["a list", "application/json", "[]"],
  ["a form", "application/x-www-form-urlencoded", "userName=a"],
  ["too much", "application/scim+json", JSON.stringify({ userName: "x".repeat(3_000_000) })],
])("a body with %s is refused in the words of SCIM", async (_what, type, payload) => {
  const token = await makeToken(subject, acme.admin);
  acme = { ...acme, ...directoryWith(subject, token) };
  const authorization = `Bearer ${token}`;
  const answer = await subject.server.inject({
    method: "POST",
    url: "/scim/v2/Users",
    headers: { authorization, "content-type": type },
    payload,
  });
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(answer.statusCode).toBeLessThan(500);
  expect(answer.json()).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: String(answer.statusCode) });
});

test.each([[null], [""], [[]], [[{}]], [[{ value: null }]], [{}], [0], [1], ["off?"]])(
  "active as %j lets nobody in again who was disabled",
  async (odd) => {
    const { id } = await acme.done("POST", "/Users", { userName: `${crypto.randomUUID()}@acme.example`, active: false });
    await acme.send("PATCH", `/Users/${id}`, patchOf({ op: "replace", path: "active", value: odd }));
    await acme.send("PATCH", `/Users/${id}`, patchOf({ op: "remove", path: "active" }));
    const { userName } = await acme.done("GET", `/Users/${id}`);
    await acme.done("PUT", `/Users/${id}`, { userName });
    await acme.send("PUT", `/Users/${id}`, { userName, active: odd });
    expect(await acme.done("GET", `/Users/${id}`)).toMatchObject({ active: false });
  },
);

test("an organization has a thousand groups and no more, and is told so", async () => {
  const { query } = subject.database;
  const row = { tenant_id: acme.tenantId, external_id: null, created_at: subject.clock.now(), changed_at: subject.clock.now() };
  await query
    .insertInto("identity.groups")
    .values(Array.from({ length: 1_000 }, (_, n) => ({ ...row, id: crypto.randomUUID(), name: `Group ${n}` })))
    .execute();
  expect((await acme.send("POST", "/Groups", { displayName: "One more" })).json()).toMatchObject({ status: "409" });
  await query.deleteFrom("identity.groups").where("name", "like", "Group %").execute();
  expect((await acme.send("POST", "/Groups", { displayName: "One more" })).statusCode).toBe(201);
});
