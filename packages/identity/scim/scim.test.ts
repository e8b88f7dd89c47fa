import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, auditOfUser, createAdmin, giveSecondFactor, rowOf } from "#testing/administration.ts";
import { createDirectory, directoryWith, makeToken, patchOf, type Directory, type Resource } from "#testing/directory.ts";
import { createIdentityFixture, logIn, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let acme: Directory;
let count = 0;
let email: string;
let user: Resource;

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

beforeAll(async () => {
  subject = await createIdentityFixture();
  acme = await createDirectory(subject);
});

beforeEach(async () => {
  count += 1;
  email = `ada${count}@acme.example`;
  user = await acme.done("POST", "/Users", entraUser(email));
});

afterAll(() => subject.close());

/** As Microsoft's reference shows it. */
function entraUser(userName: string) {
  return {
    schemas: [USER, ENTERPRISE],
    externalId: `id-of-${userName}`,
    userName,
    active: true,
    emails: [{ primary: true, type: "work", value: userName }],
    meta: { resourceType: "User" },
    name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
    roles: [],
    [ENTERPRISE]: { department: "Engines" },
  };
}

const idsOf = async (directory: Directory, path: string) =>
  (await directory.done<{ Resources: readonly Resource[] }>("GET", path)).Resources.map(({ id }) => id);

const makeGroup = (displayName: string, ...ids: readonly string[]) =>
  acme.done("POST", "/Groups", { schemas: [GROUP], externalId: "g", displayName, members: ids.map((value) => ({ value })) });

const membersOf = async (id: string) =>
  ((await acme.done("GET", `/Groups/${id}`))["members"] as readonly { value: string }[]).map(({ value }) => value);

describe("a person", () => {
  test("is made with what directories say, found, and answered as the standard has it", async () => {
    expect(user).toMatchObject({
      schemas: [USER],
      externalId: `id-of-${email}`,
      userName: email,
      active: true,
      displayName: "Ada Lovelace",
      name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
      emails: [{ value: email, type: "work", primary: true }],
      meta: { resourceType: "User", location: `http://localhost:3000/api/identity/scim/v2/Users/${user.id}` },
    });
    const answer = await acme.send("GET", `/Users/${user.id}`);
    expect(answer.headers["content-type"]).toMatch("application/scim+json");
    expect(answer.json()).toEqual(user);
    const filters = [
      `userName eq "${email.toUpperCase()}"`,
      `externalId eq "id-of-${email}"`,
      `emails[type eq "work"].value eq "${email}"`,
      `${USER}:userName Eq "${email}" and active eq true`,
      `id eq "${user.id}"`,
    ];
    for (const filter of filters) {
      expect(await idsOf(acme, `/Users?filter=${encodeURIComponent(filter)}`), filter).toEqual([user.id]);
    }
    expect(await idsOf(acme, `/Users?filter=${encodeURIComponent('userName eq "a\\"b"')}`)).toEqual([]);
    for (const filter of ['userName co "a"', "userName", 'title eq "x"', 'userName eq "a" or userName eq "b"']) {
      const refused = await acme.send("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect([refused.statusCode, refused.json()], filter).toMatchObject([400, { status: "400", scimType: "invalidFilter" }]);
    }
  });

  test("stands on one page, and pages hold all of them once", async () => {
    const { totalResults } = await acme.done<{ totalResults: number }>("GET", "/Users?count=0");
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= totalResults; startIndex += 2) {
      seen.push(...(await idsOf(acme, `/Users?startIndex=${startIndex}&count=2`)));
    }
    expect(new Set(seen).size).toBe(totalResults);
    expect(await idsOf(acme, "/Users?startIndex=-5&count=1000")).toEqual(seen);
  });

  test.each([
    ["Entra ID", [{ op: "Replace", path: "active", value: "False" }]],
    ["Entra ID's entries", [{ op: "Replace", path: "active", value: [{ $ref: null, value: "False" }] }]],
    ["Okta", [{ op: "replace", value: { active: false } }]],
    ["a path with its schema", [{ op: "replace", path: `${USER}:active`, value: false }]],
  ])("is disabled as %s says it, and enabled again", async (_who, operations) => {
    expect(await acme.done("PATCH", `/Users/${user.id}`, patchOf(...operations))).toMatchObject({ active: false });
    expect((await rowOf(subject, user.id)).disabled_at).not.toBeNull();
    expect(await acme.done("PATCH", `/Users/${user.id}`, patchOf({ op: "Replace", path: "active", value: "True" }))).toMatchObject({
      active: true,
    });
    expect((await auditOfUser(subject, user.id)).map(({ event, details }) => [event, details])).toEqual([
      ["user_created", { role: "member", origin: "scim" }],
      ["user_disabled", { origin: "scim" }],
      ["user_enabled", { origin: "scim" }],
    ]);
  });

  test("is changed by the operations that directories publish, and what is not kept is passed over", async () => {
    const changed = await acme.done(
      "PATCH",
      `/Users/${user.id}`,
      patchOf(
        { op: "Add", path: 'emails[type eq "work"].value', value: `other${email}` },
        { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+41 1" },
        { op: "Replace", path: "name.familyName", value: "King" },
        { op: "Add", path: `${ENTERPRISE}:department`, value: "Poetry" },
        { op: "Add", path: `${ENTERPRISE}:manager`, value: "x" },
        { op: "replace", value: { id: user.id, displayName: "Ada King", "name.givenName": "Augusta", nickName: "Ada" } },
        { op: "Remove", path: "title" },
      ),
    );
    expect(changed).toMatchObject({ userName: email, displayName: "Ada King", name: { familyName: "King", givenName: "Augusta" } });
    expect(changed).not.toHaveProperty("phoneNumbers");
    for (const [operation, scimType] of [
      [{ op: "replace", path: "active", value: "perhaps" }, "invalidValue"],
      [{ op: "replace", path: "a b", value: 1 }, "invalidPath"],
      [{ op: "remove" }, "noTarget"],
      [{ op: "explode", path: "active" }, "invalidValue"],
    ] as const) {
      const refused = await acme.send("PATCH", `/Users/${user.id}`, patchOf(operation));
      expect([refused.statusCode, refused.json()], scimType).toMatchObject([400, { scimType }]);
    }
    expect(await acme.done("GET", `/Users/${user.id}`)).toMatchObject({ active: true });
  });

  test("who has another address keeps the account, by a domain that is proven", async () => {
    const put = (userName: string) => acme.send("PUT", `/Users/${user.id}`, { ...entraUser(email), userName });
    expect((await put("ada@elsewhere.example")).json()).toMatchObject({ status: "403", detail: expect.stringMatching(/not proven/) });
    expect((await put(acme.admin.email)).statusCode).toBe(403);
    expect((await put(`new-${email}`)).json()).toMatchObject({ id: user.id, userName: `new-${email}` });
    expect((await rowOf(subject, user.id)).epoch).toBe(2);
    const second = await acme.done("POST", "/Users", entraUser(email));
    expect((await acme.send("PUT", `/Users/${second.id}`, { ...entraUser(email), userName: `new-${email}` })).json()).toMatchObject({
      status: "409",
      scimType: "uniqueness",
    });
  });

  test("is made once, and in no domain that is not proven", async () => {
    expect((await acme.send("POST", "/Users", entraUser(email))).json()).toMatchObject({ status: "409", scimType: "uniqueness" });
    expect((await acme.send("POST", "/Users", entraUser("eve@elsewhere.example"))).statusCode).toBe(403);
    expect((await acme.send("POST", "/Users", { userName: "no address" })).json()).toMatchObject({ scimType: "invalidValue" });
  });

  test("who is removed is out, and comes back to the same account with its second factor", async () => {
    await giveSecondFactor(subject, user.id);
    expect((await acme.send("DELETE", `/Users/${user.id}`)).statusCode).toBe(204);
    expect((await acme.send("GET", `/Users/${user.id}`)).statusCode).toBe(404);
    expect((await acme.send("DELETE", `/Users/${user.id}`)).statusCode).toBe(404);
    expect(await rowOf(subject, user.id)).toMatchObject({ totp_enabled: true, disabled_at: expect.any(Date) });

    const back = await acme.done("POST", "/Users", entraUser(email));
    expect(back.id).toBe(user.id);
    expect(await rowOf(subject, user.id)).toMatchObject({ totp_enabled: true, disabled_at: null });
  });
});

describe("accounts that were there before", () => {
  test("are the directory's where their domain is proven, and unknown to it elsewhere", async () => {
    const own = await createAdmin(subject, `before${count}@acme.example`);
    const other = await createAdmin(subject, `before${count}@elsewhere.example`);
    expect((await acme.send("GET", `/Users/${own.id}`)).statusCode).toBe(200);
    expect((await acme.send("GET", `/Users/${other.id}`)).statusCode).toBe(404);
    for (const request of [
      acme.send("PATCH", `/Users/${other.id}`, patchOf({ op: "replace", path: "active", value: false })),
      acme.send("PUT", `/Users/${other.id}`, entraUser(other.email)),
      acme.send("DELETE", `/Users/${other.id}`),
    ]) {
      expect((await request).statusCode).toBe(404);
    }
  });

  test("of another tenant are reached by no route, and its groups neither", async () => {
    const rival = await createDirectory(subject, `rival${count}`, `rival${count}.example`);
    const group = await makeGroup(`Ours ${count}`, user.id);
    for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
      expect((await rival.send("GET", path)).statusCode, path).toBe(404);
      expect((await rival.send("PUT", path, { ...entraUser(email), displayName: "Taken" })).statusCode, path).toBe(404);
      expect((await rival.send("PATCH", path, patchOf({ op: "replace", path: "displayName", value: "Taken" }))).statusCode, path).toBe(404);
      expect((await rival.send("DELETE", path)).statusCode, path).toBe(404);
    }
    expect((await rival.send("POST", "/Users", entraUser(`eve${count}@acme.example`))).statusCode).toBe(403);
    expect(await idsOf(rival, "/Users")).toEqual([]);
    expect(await idsOf(rival, "/Groups")).toEqual([]);
    const theirs = await rival.done("POST", "/Groups", { displayName: "Theirs", members: [{ value: user.id }] });
    expect(theirs["members"]).toEqual([]);
  });
});

describe("a group", () => {
  test("is kept by the operations that directories publish", async () => {
    const [a, b, c] = [
      user.id,
      (await acme.done("POST", "/Users", entraUser(`b${email}`))).id,
      (await acme.done("POST", "/Users", entraUser(`c${email}`))).id,
    ];
    const { id } = await makeGroup(`Engines ${count}`, a);
    const patch = (...operations: readonly object[]) => acme.done("PATCH", `/Groups/${id}`, patchOf(...operations));

    await patch({ op: "Add", path: "members", value: [{ $ref: null, value: b }] });
    await patch({ op: "add", path: "members", value: [{ value: c, display: "c" }, { value: a }, { value: "nobody" }] });
    expect((await membersOf(id)).toSorted()).toEqual([a, b, c].toSorted());
    await patch({ op: "Remove", path: "members", value: [{ $ref: null, value: b }] });
    await patch({ op: "remove", path: `members[value eq "${c}"]` });
    expect(await membersOf(id)).toEqual([a]);
    await patch({ op: "replace", path: "members", value: [{ value: b }, { value: c }] });
    expect((await membersOf(id)).toSorted()).toEqual([b, c].toSorted());
    await patch({ op: "replace", value: { id, displayName: `Poetry ${count}` } });
    expect(await idsOf(acme, `/Groups?filter=${encodeURIComponent(`displayName eq "Poetry ${count}"`)}`)).toEqual([id]);
    expect(await idsOf(acme, `/Groups?filter=${encodeURIComponent(`id eq "${id}" and members eq "${b}"`)}`)).toEqual([id]);
    expect(await idsOf(acme, `/Groups?filter=${encodeURIComponent(`id eq "${id}" and members eq "${a}"`)}`)).toEqual([]);
    expect(await acme.done("GET", `/Groups/${id}?excludedAttributes=members`)).not.toHaveProperty("members");
    await patch({ op: "remove", path: "members" });
    expect(await membersOf(id)).toEqual([]);
    expect((await acme.send("POST", "/Groups", { displayName: `Poetry ${count}` })).json()).toMatchObject({ scimType: "uniqueness" });
    expect((await acme.send("DELETE", `/Groups/${id}`)).statusCode).toBe(204);
    expect((await acme.send("GET", `/Groups/${id}`)).statusCode).toBe(404);
  });

  test("takes changes that come at once, all of them", async () => {
    const { id } = await makeGroup(`Crowd ${count}`);
    const people = await Promise.all(Array.from({ length: 8 }, (_, n) => acme.done("POST", "/Users", entraUser(`p${n}${email}`))));
    await Promise.all(
      people.map((one) => acme.done("PATCH", `/Groups/${id}`, patchOf({ op: "Add", path: "members", value: [{ value: one.id }] }))),
    );
    expect((await membersOf(id)).length).toBe(8);
  });
});

describe("the directory's token", () => {
  test("is an admin's to make, with a second factor and a step-up; a new one ends the old one, and the audit tells", async () => {
    const secret = await makeToken(subject, acme.admin);
    expect((await acme.send("GET", "/Users")).statusCode).toBe(401);
    acme = { ...acme, ...directoryWith(subject, secret) };
    expect((await acme.send("GET", "/Users")).statusCode).toBe(200);
    expect((await ask(subject.server, acme.admin, "GET", "/admin/scim")).json()).toEqual({
      base_url: "http://localhost:3000/api/identity/scim/v2",
      token: { created_at: expect.any(String), last_used_at: expect.any(String) },
    });
    const plain = await createAdmin(subject, `plain${count}@elsewhere.example`);
    expect((await ask(subject.server, plain, "POST", "/admin/scim/token")).json()).toMatchObject({ error: "second_factor_needed" });
    expect((await auditOfUser(subject, acme.admin.id)).map(({ event }) => event)).toContain("scim_token_made");
  });

  test("opens nothing else, and nothing else opens the directory's routes", async () => {
    const secret = await makeToken(subject, acme.admin);
    acme = { ...acme, ...directoryWith(subject, secret) };
    expect((await subject.server.inject({ url: "/admin/users", headers: { authorization: `Bearer ${secret}` } })).statusCode).toBe(401);
    for (const authorization of ["", `Bearer ${acme.admin.token}`, `Bearer sightline_scim_${"A".repeat(43)}`]) {
      const refused = await subject.server.inject({ url: "/scim/v2/Users", headers: { authorization } });
      expect(refused.statusCode).toBe(401);
      expect(refused.json()).toMatchObject({ schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "401" });
    }
    expect((await ask(subject.server, acme.admin, "DELETE", "/admin/scim/token")).statusCode).toBe(204);
    expect((await acme.send("GET", "/Users")).statusCode).toBe(401);
    acme = { ...acme, ...directoryWith(subject, await makeToken(subject, acme.admin)) };
  });

  test("shows what the server is", async () => {
    expect(await acme.done("GET", "/ServiceProviderConfig")).toMatchObject({ patch: { supported: true }, filter: { maxResults: 200 } });
    expect(await acme.done("GET", "/ResourceTypes")).toMatchObject({ totalResults: 2 });
    const { Resources: schemas } = await acme.done<{ Resources: readonly Resource[] }>("GET", "/Schemas");
    expect(schemas.map(({ id }) => id)).toEqual([USER, GROUP]);
    expect((await acme.send("GET", "/Me")).statusCode).toBe(404);
  });
});

test("nobody logs in by a password to what a directory made", async () => {
  expect((await logIn(subject.server, email, "seven green lanterns")).statusCode).toBe(401);
});
