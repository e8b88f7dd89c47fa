import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connectMcp } from "#testing/mcp-client.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";
import type { RoleName } from "#settings/role-names.ts";

const PASSWORD = "seven green lanterns";

let product: StartedProduct;
let root: string;
let ada: string;
let bea: string;
let groupId: string;

beforeAll(async () => {
  product = await startProduct("group-rights", {
    ADMIN_EMAIL: "root@example.org",
    ADMIN_PASSWORD: PASSWORD,
    CODEINDEX_ALLOW_FILE_URLS: "true",
  });
  root = await logIn("root@example.org", PASSWORD);
  await ask("identity", root, "POST", "/step-up", { password: PASSWORD });
  const people: string[] = [];
  for (const email of ["ada@example.org", "bea@example.org"]) {
    const made = await ask("identity", root, "POST", "/admin/users", { email, name: email });
    const { user, one_time_password: first } = made.json<{ user: { id: string }; one_time_password: string }>();
    await ask("identity", await logIn(email, first), "POST", "/login/password", { current_password: first, new_password: PASSWORD });
    people.push(user.id);
  }
  [ada, bea] = [await logIn("ada@example.org", PASSWORD), await logIn("bea@example.org", PASSWORD)];
  groupId = randomUUID();
  // As a directory makes it, which has tests of its own; and as after the set-up of a second factor.
  await product.database.pool.query(`
    update identity.users set totp_enabled = true, totp_secret = 'x' where email = 'root@example.org';
    insert into identity.groups (id, tenant_id, name, created_at, changed_at) select '${groupId}', id, 'Engines', now(), now() from identity.tenants;
    insert into identity.group_members values ('${groupId}', '${people[0] ?? ""}')`);
}, 60_000);

afterAll(() => product.stop());

function ask(role: RoleName, token: string, method: "GET" | "POST" | "PUT" | "PATCH", url: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}` };
  return product.roles.serverOf(role).inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

async function logIn(email: string, password: string): Promise<string> {
  const answer = await product.roles
    .serverOf("identity")
    .inject({ method: "POST", url: "/login/access-token", payload: { email, password } });
  return answer.json<{ access_token: string }>().access_token;
}

const give = (kind: string, id: string, groups: readonly object[] | null) =>
  ask("identity", root, "PUT", `/admin/rights/${kind}/${id}`, { groups }).then(({ statusCode }) => expect(statusCode).toBe(200));

const statusOf = async (role: RoleName, token: string, url: string) => (await ask(role, token, "GET", url)).statusCode;

test("a repository that a group is given is there for its people and admins, by every way of asking", async () => {
  const [open, kept] = await Promise.all(
    ["acme/shop", "acme/payroll"].map(async (name) => {
      const payload = { full_name: name, clone_url: `https://git.example.org/${name}.git`, index: false };
      return (await ask("code-index", root, "POST", "/api/v1/repos", payload)).json<{ id: string }>().id;
    }),
  );
  const seenBy = async (token: string) =>
    (await ask("code-index", token, "GET", "/api/v1/repos"))
      .json<{ items: { full_name: string }[] }>()
      .items.map(({ full_name: name }) => name);
  expect(await seenBy(bea)).toEqual(["acme/payroll", "acme/shop"]);

  await give("repository", kept ?? "", [{ id: groupId, level: "read" }]);
  await vi.waitFor(async () => expect(await seenBy(bea)).toEqual(["acme/shop"]), { timeout: 5_000, interval: 50 });
  expect(await seenBy(ada)).toEqual(["acme/payroll", "acme/shop"]);
  expect(await seenBy(root)).toEqual(["acme/payroll", "acme/shop"]);
  expect(await statusOf("code-index", bea, `/api/v1/repos/${kept}`)).toBe(404);
  expect(await statusOf("code-index", bea, `/api/v1/repos/${open}`)).toBe(200);
  expect((await ask("code-index", bea, "POST", `/api/v1/repos/${kept}/index`, {})).statusCode).toBe(404);
  const client = await connectMcp(product.environment["CODEINDEX_PUBLIC_URL"] ?? "", bea);
  const { text } = await client.call("list_repos", {});
  expect(text).toContain("acme/shop");
  expect(text).not.toContain("acme/payroll");
  expect((await client.call("search", { query: "x", repo: "acme/payroll" })).text).toMatch(/not indexed here; known: none yet/);
  await client.close();

  await give("repository", kept ?? "", null);
  await vi.waitFor(async () => expect(await seenBy(bea)).toEqual(["acme/payroll", "acme/shop"]), { timeout: 5_000, interval: 50 });
});

test("a token sees no more than whoever made it, and a list of repositories narrows that", async () => {
  const repositories = (await ask("code-index", root, "GET", "/api/v1/repos"))
    .json<{ items: { id: string }[] }>()
    .items.map(({ id }) => id);
  const make = async (kept?: readonly string[]) =>
    (
      await ask("code-index", root, "POST", "/api/v1/developer-tokens", {
        label: "CI",
        ...(kept === undefined ? {} : { repositories: kept }),
      })
    ).json<{ token: string }>().token;
  const [all, one] = [await make(), await make(repositories.slice(0, 1))];
  await give("repository", repositories[0] ?? "", []);
  const seenBy = async (token: string) =>
    (await ask("code-index", token, "GET", "/api/v1/repos")).json<{ items: unknown[] }>().items.length;
  expect([await seenBy(all), await seenBy(one)]).toEqual([2, 1]);
  // Whoever made them is a member from now on.
  await product.database.pool.query("update identity.users set role = 'member' where email = 'root@example.org'");
  await vi.waitFor(async () => expect([await seenBy(all), await seenBy(one)]).toEqual([1, 0]), { timeout: 5_000, interval: 50 });
  await product.database.pool.query("update identity.users set role = 'admin' where email = 'root@example.org'");
});

test("a project is opened at the level that a group is given, and to nobody else", async () => {
  const { id } = (await ask("observability", root, "POST", "/api/v1/projects", { name: "Agents" })).json<{ id: string }>();
  const path = `/api/v1/projects/${id}`;
  const roleOf = async (token: string) => (await ask("observability", token, "GET", path)).json<{ my_role?: string }>().my_role;
  expect(await statusOf("observability", ada, path)).toBe(404);
  for (const [level, role] of [
    ["read", "viewer"],
    ["write", "editor"],
    ["admin", "owner"],
  ] as const) {
    await give("project", id, [{ id: groupId, level }]);
    await vi.waitFor(async () => expect(await roleOf(ada)).toBe(role), { timeout: 5_000, interval: 50 });
    expect((await ask("observability", ada, "PATCH", path, { name: "Agents" })).statusCode).toBe(level === "admin" ? 200 : 403);
    expect(await statusOf("observability", bea, path)).toBe(404);
  }
  await give("project", id, []);
  await vi.waitFor(async () => expect(await statusOf("observability", ada, path)).toBe(404), { timeout: 5_000, interval: 50 });
});
