import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import type { RoleName } from "#settings/role-names.ts";
import { startIdentityProvider, type IdentityProvider } from "#testing/identity-provider.ts";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";

vi.setConfig({ testTimeout: COMMAND_MS, hookTimeout: COMMAND_MS });

const PASSWORD = "seven green lanterns";
const COMMIT = "4".repeat(40);
const answerSchema = z.looseObject({ id: z.string().default(""), access_token: z.string().default(""), audience: z.string().default("") });

let product: StartedProduct;
let issuer: IdentityProvider;
let github: Server;
let githubUrl: string;
let folder: string;
let root: string;
let repository: string;
let project: string;
let other: string;
let rule: z.infer<typeof answerSchema>;

beforeAll(async () => {
  issuer = await startIdentityProvider();
  product = await startProduct("workload", {
    ADMIN_EMAIL: "root@sightline.example",
    ADMIN_PASSWORD: PASSWORD,
    IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
  });
  root = (await done("identity", "", "POST", "/login/access-token", { email: "root@sightline.example", password: PASSWORD })).access_token;
  await done("identity", root, "POST", "/step-up", { password: PASSWORD });
  // As after the set-up of a second factor, which has tests of its own.
  await product.database.pool.query("update identity.users set totp_enabled = true, totp_secret = 'x'");
  const clone = { full_name: "acme/shop", clone_url: "https://git.example.org/acme/shop.git", index: false };
  repository = (await done("code-index", root, "POST", "/api/v1/repos", clone)).id;
  const hidden = { full_name: "acme/payroll", clone_url: "https://git.example.org/acme/payroll.git", index: false };
  await done("code-index", root, "POST", "/api/v1/repos", hidden);
  project = (await done("observability", root, "POST", "/api/v1/projects", { name: "Shipping" })).id;
  other = (await done("observability", root, "POST", "/api/v1/projects", { name: "Billing" })).id;
  rule = await done("identity", root, "POST", "/admin/workloads", {
    issuer: new URL(issuer.jwksUrl).origin,
    subject: "repo:acme/shop:*",
    repository_id: repository,
    project_id: project,
    scopes: ["scip", "evaluate"],
  });
  // What GitHub gives a job, and the job of which branch it is.
  github = createServer((request, response) => {
    const aud = new URL(request.url ?? "", "http://127.0.0.1").searchParams.get("audience") ?? "";
    const isJob = request.headers.authorization === "Bearer of-the-job";
    response.end(JSON.stringify(isJob ? { value: idToken({ aud }) } : {}));
  }).listen(0, "127.0.0.1");
  await once(github, "listening");
  const address = github.address();
  githubUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/token?api-version=2`;
  folder = await mkdtemp(join(tmpdir(), "sightline-workload-"));
  await writeFile(join(folder, "index.scip"), "x");
});

afterAll(async () => {
  github.close();
  issuer.close();
  await product.stop();
  await rm(folder, { recursive: true });
});

function ask(role: RoleName, token: string, method: "GET" | "POST" | "DELETE", url: string, payload?: object) {
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  return product.roles.serverOf(role).inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

async function done(...request: Parameters<typeof ask>) {
  const answer = await ask(...request);
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answerSchema.parse(answer.body === "" ? {} : answer.json());
}

function idToken(claims: Readonly<Record<string, unknown>> = {}): string {
  const job = { sub: "repo:acme/shop:ref:refs/heads/main", repository: "acme/shop", ref: "refs/heads/main", jti: crypto.randomUUID() };
  return issuer.issue({ iss: new URL(issuer.jwksUrl).origin, aud: rule.audience, ...job, ...claims });
}

async function exchange(): Promise<string> {
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    client_id: "sightline-workload",
    subject_token: idToken(),
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
  };
  const url = `${product.environment["PUBLIC_URL"]}/api/identity/oauth/token`;
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  return answerSchema.parse(await answer.json()).access_token;
}

test("a job's token opens the repository and the project of its rule, for its branch, and nothing else", async () => {
  const token = await exchange();
  const status = async (...[role, method, url, payload]: [RoleName, "GET" | "POST" | "DELETE", string, object?]) =>
    (await ask(role, token, method, url, payload)).statusCode;
  expect((await ask("code-index", token, "GET", "/api/v1/repos")).json<{ items: { id: string }[] }>().items.map(({ id }) => id)).toEqual([
    repository,
  ]);
  expect(await status("code-index", "GET", "/api/v1/developer-tokens")).toBe(403);
  expect(await status("code-index", "POST", `/api/v1/repos/${repository}/index`, {})).toBe(403);
  expect(await status("identity", "GET", "/login/me")).toBe(401);
  expect(await status("identity", "GET", "/admin/workloads")).toBe(401);
  expect(await status("observability", "GET", "/api/v1/projects")).toBe(403);
  expect(await status("observability", "GET", `/api/v1/projects/${project}/export`)).toBe(403);
  expect(await status("observability", "GET", `/api/v1/projects/${other}/datasets`)).toBe(404);
  const path = `/api/v1/projects/${project}`;
  const { id: dataset } = await done("observability", token, "POST", `${path}/datasets`, { name: "refunds" });
  await done("observability", token, "POST", `${path}/datasets/${dataset}/items`, { items: [{ input: 1 }] });
  const experiment = { dataset_id: dataset, name: "x" };
  const elsewhere = await ask("observability", token, "POST", `${path}/experiments`, { ...experiment, branch: "release" });
  expect(elsewhere.json()).toMatchObject({ error: "other_branch", message: expect.stringContaining("the branch main alone") });
  const made = await ask("observability", token, "POST", `${path}/experiments`, { ...experiment, branch: "main" });
  expect(made.json()).toMatchObject({ author: `key:${rule.id}`, branch: "main" });
  const { id: theirs } = await done("observability", root, "POST", `${path}/experiments`, { ...experiment, branch: "release" });
  const run = { item_id: dataset, repetition: 0, attempt: 1 };
  for (const [what, body] of [
    ["runs", { runs: [{ ...run, state: "failed", error: "x" }] }],
    ["scores", { evaluators: [{ name: "x" }], runs: [{ ...run, scores: [] }] }],
    ["finish", { state: "cancelled" }],
    ["gate", undefined],
  ] as const) {
    const refused = await ask("observability", token, "POST", `${path}/experiments/${theirs}/${what}`, body);
    expect(refused.json(), what).toMatchObject({ error: "other_branch" });
  }
  expect((await ask("observability", token, "DELETE", `${path}/datasets/${dataset}`)).json()).toMatchObject({ error: "other_branch" });
  const blind = [
    await ask("observability", token, "POST", `${path}/datasets/${dataset}/items/from-traces`, { traces: [{ trace_id: theirs }] }),
    await ask("observability", token, "GET", `${path}/traces/${theirs}/replay`),
  ];
  expect(blind.map((answer) => answer.json<{ error: string }>().error)).toEqual(["scope_missing", "scope_missing"]);
});

test("the command line gets its token from GitHub, GitLab or a pod, without a stored one", async () => {
  const environment = {
    SIGHTLINE_WORKLOAD: rule.audience,
    OBS_API_URL: `http://127.0.0.1:${product.environment["OBSERVABILITY_PORT"]}`,
    OBS_PROJECT_ID: project,
  };
  const gate = (own: Readonly<Record<string, string>>) =>
    runCommand(["eval", "gate", "--dataset", "refunds", "--branch", "nowhere"], { folder, environment: { ...environment, ...own } });
  const inside = { code: 3, error: expect.stringMatching(/There is no experiment of the branch nowhere|has no dataset refunds/) };
  expect(await gate({ ACTIONS_ID_TOKEN_REQUEST_URL: githubUrl, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-job" })).toMatchObject(inside);
  const given = idToken();
  expect(await gate({ SIGHTLINE_ID_TOKEN: given })).toMatchObject(inside);
  const again = await gate({ SIGHTLINE_ID_TOKEN: given });
  expect(again).toMatchObject({ code: 3, error: expect.stringContaining("it was exchanged already") });
  expect(again.error).not.toContain(given);
  await writeFile(join(folder, "token"), `${idToken()}\n`);
  expect(await gate({ SIGHTLINE_ID_TOKEN_FILE: join(folder, "token") })).toMatchObject(inside);
  expect(await gate({})).toMatchObject({ code: 2, error: expect.stringMatching(/id-token: write.*id_tokens.*service account token/s) });
  expect(await gate({ SIGHTLINE_WORKLOAD: "acme" })).toMatchObject({ code: 2, error: expect.stringContaining("no rule's audience") });

  const url = product.environment["CODEINDEX_PUBLIC_URL"] ?? "";
  const words = ["upload-scip", "index.scip", "--repo", "acme/shop", "--commit", COMMIT, "--url", url, "--wait", "0"];
  const uploaded = await runCommand(words, { folder, environment: { ...environment, SIGHTLINE_ID_TOKEN: idToken() } });
  expect(uploaded).toMatchObject({ code: 1, error: expect.stringMatching(/404 commit_not_found/) });
  const payroll = words.with(3, "acme/payroll");
  const refused = await runCommand(payroll, { folder, environment: { ...environment, SIGHTLINE_ID_TOKEN: idToken() } });
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("The token sees no repository acme/payroll") });
});

test("a rule that is deleted ends its tokens in every part within five seconds", async () => {
  const token = await exchange();
  const held = async () => [
    (await ask("code-index", token, "GET", "/api/v1/repos")).statusCode,
    (await ask("observability", token, "GET", `/api/v1/projects/${project}/datasets`)).statusCode,
  ];
  expect(await held()).toEqual([200, 200]);
  await done("identity", root, "DELETE", `/admin/workloads/${rule.id}`);
  await vi.waitFor(async () => expect(await held()).toEqual([401, 401]), { timeout: 5_000, interval: 50 });
});
