import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { makeAssistant } from "#testing/assistant.ts";
import { openBrowser } from "#testing/browser.ts";
import { connectMcp } from "#testing/mcp-client.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";
import type { RoleName } from "#settings/role-names.ts";

const PASSWORD = "seven green lanterns";
/** How soon whoever leaves is out of every part. */
const OUT_MS = 5_000;

let product: StartedProduct;
let root: string;
let directory: string;

beforeAll(async () => {
  product = await startProduct("leavers", { ADMIN_EMAIL: "root@sightline.example", ADMIN_PASSWORD: PASSWORD });
  root = await logIn("root@sightline.example", PASSWORD);
  await ask("identity", root, "POST", "/step-up", { password: PASSWORD });
  // As after a proof by DNS and the set-up of a second factor, which have tests of their own.
  await product.database.pool.query(`
    update identity.users set totp_enabled = true, totp_secret = 'x';
    insert into identity.sso_providers (id, tenant_id, name, issuer, client_id, client_secret, scopes, admin_values, member_values, role_claim,
      creates_accounts, enforced, asks_second_factor, vouches_for_addresses, created_at, updated_at)
    select '${randomUUID()}', id, 'Acme', 'https://login.acme.example', 'x', 'x', '{}', '{Admins}', '{}', 'groups', true, false, false, false, now(), now()
      from identity.tenants where name = 'default';
    insert into identity.sso_domains (provider_id, domain, token, verified_at, check_at)
    select id, 'acme.example', 'x', now(), now() + interval '1 day' from identity.sso_providers`);
  directory = (await done("identity", root, "POST", "/admin/scim/token")).secret ?? "";
}, 60_000);

afterAll(() => product.stop());

const answerSchema = z.looseObject({
  id: z.string().optional(),
  secret: z.string().optional(),
  token: z.unknown().optional(),
  one_time_password: z.string().nullish(),
});

function ask(role: RoleName, token: string, method: "GET" | "POST" | "PATCH" | "DELETE", url: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}` };
  return product.roles.serverOf(role).inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

async function done(...request: Parameters<typeof ask>) {
  const answer = await ask(...request);
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answerSchema.parse(answer.body === "" ? {} : answer.json());
}

async function logIn(email: string, password: string): Promise<string> {
  const answer = await product.roles
    .serverOf("identity")
    .inject({ method: "POST", url: "/login/access-token", payload: { email, password } });
  return answer.json<{ access_token: string }>().access_token;
}

/** An admin whom the directory made, who has chosen a password, with all that an admin can hold. */
async function makeAda(email: string) {
  const { id = "" } = await done("identity", directory, "POST", "/scim/v2/Users", { userName: email });
  await done("identity", directory, "POST", "/scim/v2/Groups", {
    displayName: `Group of ${email}`,
    externalId: "Admins",
    members: [{ value: id }],
  });
  const { one_time_password: first } = await done("identity", root, "POST", `/admin/users/${id}/password-reset`, { mail: false });
  await done("identity", await logIn(email, first ?? ""), "POST", "/login/password", { current_password: first, new_password: PASSWORD });
  const site = product.environment["PUBLIC_URL"] ?? "";
  const browser = openBrowser(site);
  const json = (body: object, headers: object = {}) => ({
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const opened = await browser.ask("/api/identity/login/access-token", json({ email, password: PASSWORD }));
  const { access_token: session } = z.object({ access_token: z.string() }).parse(await opened.json());
  const made = await done("code-index", session, "POST", "/api/v1/developer-tokens", { label: "CI", traces: true });
  const mcp = new URL(`${product.environment["CODEINDEX_PUBLIC_URL"] ?? ""}/mcp`);
  const assistant = makeAssistant();
  await assistant.begin(mcp);
  const { at } = await browser.goTo(assistant.asked());
  const consent = { decision: "allow", repositories: null, traces: true, days: 30 };
  const path = `/api/identity/oauth/interactions/${at.pathname.split("/").at(-1) ?? ""}/consent`;
  const consented = await browser.ask(path, json(consent, { authorization: `Bearer ${session}` }));
  const { continue_to: next } = z.object({ continue_to: z.string() }).parse(await consented.json());
  await assistant.finish(mcp, (await browser.goTo(new URL(next))).at);
  return { id, session, developerToken: z.string().parse(made.token), assistant, mcp, browser };
}

test.each([
  ["disabled", "PATCH", { Operations: [{ op: "Replace", path: "active", value: "False" }] }],
  ["removed", "DELETE", undefined],
] as const)("whoever is %s by the directory is out of every part within five seconds, whatever they hold", async (what, method, body) => {
  const { id, session, developerToken, assistant, mcp, browser } = await makeAda(`ada-${what}@acme.example`);
  const app = assistant.accessToken();
  const held = async () => [
    (await ask("identity", session, "GET", "/login/me")).statusCode,
    (await ask("code-index", session, "GET", "/api/v1/repos")).statusCode,
    (await ask("observability", session, "GET", "/api/v1/projects")).statusCode,
    (await ask("code-index", developerToken, "GET", "/api/v1/repos")).statusCode,
    (await ask("code-index", app, "GET", "/api/v1/repos")).statusCode,
    (await browser.ask("/api/identity/login/refresh", { method: "POST" })).status,
  ];
  expect(await held()).toEqual([200, 200, 200, 200, 200, 200]);
  const client = await connectMcp(mcp.origin, developerToken);
  expect((await client.call("list_repos", {})).isError).toBe(false);

  // By the address that the directory is told, which is the console's.
  const { base_url: base } = z.object({ base_url: z.string() }).parse((await ask("identity", root, "GET", "/admin/scim")).json());
  const headers = { authorization: `Bearer ${directory}`, "content-type": "application/scim+json" };
  const said = await fetch(`${base}/Users/${id}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  expect(said.status).toBe(method === "PATCH" ? 200 : 204);
  expect(said.headers.get("content-type") ?? "application/scim+json").toContain("application/scim+json");
  const since = performance.now();
  await vi.waitFor(async () => expect(await held()).toEqual([401, 401, 401, 401, 401, 401]), { timeout: OUT_MS, interval: 50 });
  console.log(`${what}: out of every part after ${Math.round(performance.now() - since)} ms`);
  await expect(client.call("list_repos", {})).rejects.toThrow(Error);
  await expect(assistant.refresh(mcp)).rejects.toThrow(Error);
  await expect(connectMcp(mcp.origin, app)).rejects.toThrow(Error);
  await client.close();
  expect((await ask("observability", root, "GET", "/api/v1/projects")).statusCode).toBe(200);
});
