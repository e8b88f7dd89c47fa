import { createHmac, generateKeyPairSync } from "node:crypto";
import { makeMember, post, type Session } from "#identity-client.ts";
import { makeSmallRepository, type SmallRepository } from "#small-repository.ts";
import { REVIEWED_REPOSITORY, VIEWER } from "./page.ts";

/**
 * Gives a product what its pages are looked at with, and prints the id of the project: what works, what failed, what somebody else
 * may only look at. `REVIEW_URL=… ADMIN_EMAIL=… ADMIN_PASSWORD=… npm run furnish -w @sightline/e2e`; the product takes `file:` addresses.
 */
const { REVIEW_URL: consoleUrl, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = process.env;
if (consoleUrl === undefined || email === undefined || password === undefined) {
  throw new Error("Usage: REVIEW_URL=http://localhost:3000 ADMIN_EMAIL=… ADMIN_PASSWORD=… npm run furnish -w @sightline/e2e");
}
const SECRET = "sixteen characters or more";
const code = `${consoleUrl}/api/code-index/api/v1`;
const traces = `${consoleUrl}/api/observability/api/v1`;

const session = await post<Session>(`${consoleUrl}/api/identity/login/access-token`, { email, password });
const { email: viewer } = await makeMember(consoleUrl, { email, password }, VIEWER.email);
await makeRepositories(makeSmallRepository());
await makeCode();
const project = await makeProject();
console.log(project);

type Made = { readonly id: string };

function send<Answer>(address: string, body: object, method?: string): Promise<Answer> {
  return post<Answer>(address, body, session, method);
}

/** One that works, with good and bad deliveries; some that can't be fetched; one that is not indexed yet. */
async function makeRepositories(small: SmallRepository): Promise<void> {
  const settings = { webhook_secret: SECRET };
  await send(`${code}/repos`, { full_name: REVIEWED_REPOSITORY, clone_url: small.cloneUrl, ...settings });
  await send(`${code}/repos`, { full_name: "acme/legacy-billing", clone_url: `${small.cloneUrl}-that-was-moved`, ...settings });
  await send(`${code}/repos`, { full_name: "acme/no-such-branch", clone_url: small.cloneUrl, branches: ["release/1.x"] });
  await send(`${code}/repos`, { full_name: "acme/internal-tools-of-the-warehouse-team", clone_url: small.cloneUrl, index: false });
  await push(REVIEWED_REPOSITORY, "push", { ref: "refs/heads/main", after: small.commit });
  await push(REVIEWED_REPOSITORY, "push", { ref: "refs/heads/feature/pay-later-with-a-rather-long-name-of-a-branch", after: small.commit });
  await push(REVIEWED_REPOSITORY, "ping", {});
  await push("acme/legacy-billing", "push", { ref: "refs/heads/main", after: "c0de".repeat(10) });
}

/** As GitHub sends it. */
async function push(repository: string, event: string, of: object): Promise<void> {
  const body = JSON.stringify({ before: "0".repeat(40), repository: { id: 1, full_name: repository, default_branch: "main" }, ...of });
  await fetch(`${code}/ingest/webhook`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": crypto.randomUUID(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
    },
    body,
  });
}

async function makeCode(): Promise<void> {
  const read = { name: "Read only", kind: "token", host: "git.example.org", secret: "glpat-of-nothing" };
  await send(`${code}/credentials`, read);
  const app = { name: "GitHub App of the shop", kind: "github_app", host: "github.com", app_id: "4711", installation_id: "20260105" };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await send(`${code}/credentials`, { ...app, secret: privateKey.export({ type: "pkcs1", format: "pem" }) });
  await send(`${code}/developer-tokens`, { label: "Continuous integration of the shop, all repositories" });
  const revoked = await send<Made>(`${code}/developer-tokens`, { label: "A laptop that was lost" });
  await post(`${code}/developer-tokens/${revoked.id}`, undefined, session, "DELETE");
}

async function makeProject(): Promise<string> {
  const { id } = await send<Made>(`${traces}/projects`, { name: "Shop, production", access: "members" });
  const at = `${traces}/projects/${id}`;
  const { people } = await send<{ people: readonly Made[] }>(`${consoleUrl}/api/identity/people/find`, { emails: [viewer] });
  await send(`${at}/members/${people[0]?.id}`, { role: "viewer" }, "PUT");
  await send(`${at}/keys`, { name: "Exporter", scopes: ["read"] });
  await send(`${at}/views`, { name: "Slow and failed", query: "status:failure duration:>5s", shared: true });
  const { id: channel } = await send<Made>(`${at}/alert-channels`, {
    name: "On call",
    kind: "webhook",
    url: "https://alerts.example.org/shop",
  });
  const rule = { name: "Failures", metric: "error_rate", threshold: 0.05, window_minutes: 60, channels: [channel] };
  await send(`${at}/alert-rules`, rule);
  await send(`${at}/masking`, { keys: ["password"], patterns: [{ name: "Cards", expression: "[0-9]{16}" }] }, "PUT");
  return id;
}
