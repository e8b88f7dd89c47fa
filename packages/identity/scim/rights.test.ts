import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findStanding } from "#accounts/account.store.ts";
import { createStandings } from "#standing.ts";
import { ask, auditOfUser, createMember, rowOf, type Person } from "#testing/administration.ts";
import { createDirectory, type Directory, type Resource } from "#testing/directory.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let acme: Directory;
let ada: Resource;
let bea: Person;
let group: Resource;
let target: string;

beforeAll(async () => {
  subject = await createIdentityFixture();
  acme = await createDirectory(subject);
  ada = await acme.done("POST", "/Users", { userName: "ada@acme.example" });
  bea = await createMember(subject, acme.admin, "bea@elsewhere.example");
});

beforeEach(async () => {
  target = randomUUID();
  group = await acme.done("POST", "/Groups", { displayName: `Group of ${target}`, members: [{ value: ada.id }] });
});

afterAll(() => subject.close());

const standingOf = (id: string) => findStanding(subject.database.query, id);
const give = (kind: "repository" | "project", groups: readonly object[] | null, admin = acme.admin) =>
  ask(subject.server, admin, "PUT", `/admin/rights/${kind}/${target}`, { groups });

test("a repository that a group is given is kept to its people and admins, and stays so when the group is deleted", async () => {
  expect((await ask(subject.server, acme.admin, "GET", `/admin/rights/repository/${target}`)).json()).toEqual({ groups: null });
  const given = await give("repository", [{ id: group.id, level: "read" }]);
  expect(given.json()).toEqual({
    groups: [
      {
        id: group.id,
        name: group["displayName"],
        level: "read",
        members: [{ id: ada.id, email: "ada@acme.example", name: "ada@acme.example", disabled: false }],
      },
    ],
  });
  expect(await standingOf(ada.id)).toMatchObject({ hidden: [] });
  expect(await standingOf(bea.id)).toMatchObject({ hidden: [target] });
  expect(await standingOf(acme.admin.id)).toMatchObject({ isAdmin: true, hidden: [] });
  await acme.done("DELETE", `/Groups/${group.id}`);
  expect(await standingOf(ada.id)).toMatchObject({ hidden: [target] });
  expect((await ask(subject.server, acme.admin, "GET", `/admin/rights/repository/${target}`)).json()).toEqual({ groups: [] });
  await give("repository", null);
  expect(await standingOf(bea.id)).toMatchObject({ hidden: [] });
  expect((await auditOfUser(subject, acme.admin.id)).filter(({ event }) => event === "rights_changed").at(-2)?.details).toEqual({
    kind: "repository",
    target,
    groups: `Group of ${target} (read)`,
  });
});

test("groups that another admin has changed since are refused, and stay", async () => {
  const put = (expected: readonly object[] | null) =>
    ask(subject.server, acme.admin, "PUT", `/admin/rights/repository/${target}`, { groups: [{ id: group.id, level: "read" }], expected });
  const refused = await put([{ id: group.id, level: "write" }]);
  expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([409, "rights_changed"]);
  expect((await ask(subject.server, acme.admin, "GET", `/admin/rights/repository/${target}`)).json()).toEqual({ groups: null });
  expect((await put(null)).statusCode).toBe(200);
  await give("repository", null);
});

test("a project that a group is given is its people's at that level, until they leave the group", async () => {
  await give("project", [{ id: group.id, level: "write" }]);
  expect(await standingOf(ada.id)).toMatchObject({ projects: [{ id: target, level: "write" }], hidden: [] });
  expect(await standingOf(bea.id)).toMatchObject({ projects: [], hidden: [] });
  await acme.done("PUT", `/Groups/${group.id}`, { displayName: group["displayName"], members: [] });
  expect(await standingOf(ada.id)).toMatchObject({ projects: [] });
});

test("groups of another organization are given nothing, and what it gives holds for its own people", async () => {
  const rival = await createDirectory(subject, "rival", "rival.example");
  expect((await give("repository", [{ id: group.id, level: "read" }], rival.admin)).json()).toMatchObject({ error: "unknown_group" });
  await give("repository", [], rival.admin);
  expect(await standingOf(bea.id)).toMatchObject({ hidden: [] });
  expect((await ask(subject.server, acme.admin, "GET", `/admin/rights/repository/${target}`)).json()).toEqual({ groups: null });
  expect((await ask(subject.server, rival.admin, "GET", "/admin/groups")).json()).toEqual({ groups: [] });
  for (const [method, path] of [
    ["GET", "/admin/groups"],
    ["GET", `/admin/rights/project/${target}`],
    ["PUT", `/admin/rights/project/${target}`],
  ] as const) {
    expect((await ask(subject.server, bea, method, path, method === "PUT" ? { groups: null } : undefined)).statusCode, path).toBe(403);
  }
});

test("while the database can't be asked, who was known stays known; whoever was not is no answer", async () => {
  let isAway = false;
  const { query } = subject.database;
  const away = new Proxy(query, {
    get: (database, name: "selectFrom") => {
      if (isAway) {
        throw new Error("the database is away");
      }
      const found: unknown = Reflect.get(database, name, database);
      return typeof found === "function" ? found.bind(database) : found;
    },
  });
  const standings = createStandings(away, 0);
  expect(await standings(ada.id)).toMatchObject({ isAdmin: false });
  expect(await standings(randomUUID())).toBeUndefined();
  isAway = true;
  expect(await standings(ada.id)).toMatchObject({ isAdmin: false });
  await expect(standings(bea.id)).rejects.toThrow("the database is away");
  expect((await rowOf(subject, ada.id)).disabled_at).toBeNull();
});
