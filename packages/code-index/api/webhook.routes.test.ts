import { createHmac, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { systemClock } from "@sightline/foundation/clock";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/migrations.ts";
import { ensureTenant } from "#store/tenant.ts";
import { addRepository, commitOf, createWebhookServer, hmac, SERVER_SECRET, type WebhookServer } from "#testing/webhook-server.ts";

let database: TestDatabase<CodeIndexTables>;
let server: WebhookServer;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureTenant(database, { tenantId: "one", name: "one" });
  await ensureTenant(database, { tenantId: "two", name: "two" });
  server = await createWebhookServer(database, { clock: systemClock });
});

beforeEach(async () => {
  await database.query.deleteFrom("codeindex.repositories").execute();
});

afterAll(async () => {
  await server.close();
  await database.drop();
});

type Headers = Readonly<Record<string, string>>;

async function post(payload: string | Buffer, headers: Headers, to: WebhookServer = server) {
  const answer = await to.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: { "content-type": "application/json", ...headers },
    payload,
  });
  return { status: answer.statusCode, body: answer.json<{ status: string; error: string; message: string; jobs: string[] }>() };
}

const githubPush = (changes: Record<string, unknown> = {}, repository: Record<string, unknown> = {}) =>
  JSON.stringify({
    ref: "refs/heads/main",
    before: commitOf("a"),
    after: commitOf("b"),
    repository: { full_name: "acme/shop", default_branch: "main", clone_url: "https://example.org/acme/shop.git", ...repository },
    ...changes,
  });

function fromGithub(body: string, { event = "push", delivery = randomUUID() as string, secret = SERVER_SECRET } = {}): Headers {
  return { "x-github-event": event, "x-github-delivery": delivery, "x-hub-signature-256": `sha256=${hmac(body, secret)}` };
}

async function deliver(body: string, options: Parameters<typeof fromGithub>[1] = {}) {
  return post(body, fromGithub(body, options));
}

const jobs = () => database.query.selectFrom("codeindex.index_jobs").selectAll().orderBy("job_id").execute();
const deliveries = () => database.query.selectFrom("codeindex.webhook_deliveries").selectAll().orderBy("id").execute();
const refs = () =>
  database.query.selectFrom("codeindex.refs").select(["name", "is_default", "pushes_received", "head_commit"]).orderBy("name").execute();

async function expectNoTrace(): Promise<void> {
  expect({ jobs: await jobs(), deliveries: await deliveries() }).toEqual({ jobs: [], deliveries: [] });
  expect((await refs()).filter((ref) => ref.pushes_received > 0)).toEqual([]);
}

// Hosts

const gitlabPush = JSON.stringify({
  object_kind: "push",
  ref: "refs/heads/main",
  before: commitOf("a"),
  after: commitOf("b"),
  project: {
    path_with_namespace: "acme/shop",
    default_branch: "main",
    git_http_url: "https://example.org/acme/shop.git",
    git_ssh_url: "git@example.org:acme/shop.git",
  },
});
const cloudPush = JSON.stringify({
  push: {
    changes: [
      {
        old: { type: "branch", name: "main", target: { hash: commitOf("a") } },
        new: { type: "branch", name: "main", target: { hash: commitOf("b") } },
      },
    ],
  },
  repository: { full_name: "acme/shop", links: { html: { href: "https://example.org/acme/shop" } } },
});
const serverPush = JSON.stringify({
  eventKey: "repo:refs_changed",
  repository: { slug: "shop", project: { key: "ACME" } },
  changes: [{ ref: { id: "refs/heads/main", type: "BRANCH" }, type: "UPDATE", fromHash: commitOf("a"), toHash: commitOf("b") }],
});
const genericPush = JSON.stringify({ full_name: "acme/shop", ref: "refs/heads/main", before: commitOf("a"), after: commitOf("b") });

function standardHeaders(body: string, { secret = SERVER_SECRET, key = Buffer.from(secret), at = Date.now() } = {}): Headers {
  const [id, timestamp] = [randomUUID(), String(Math.floor(at / 1000))];
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "x-gitlab-event": "Push Hook",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")} v1,${signature}`,
  };
}

test.for([
  ["GitHub", "github", githubPush(), fromGithub(githubPush())],
  [
    "GitLab, by its token",
    "gitlab",
    gitlabPush,
    { "x-gitlab-event": "Push Hook", "x-gitlab-event-uuid": "1", "x-gitlab-token": SERVER_SECRET },
  ],
  ["GitLab, by its signature", "gitlab", gitlabPush, standardHeaders(gitlabPush)],
  [
    "Gitea",
    "gitea",
    githubPush(),
    { ...fromGithub(githubPush()), "x-gitea-event": "push", "x-gitea-delivery": "2", "x-gitea-signature": hmac(githubPush()) },
  ],
  ["Forgejo", "gitea", githubPush(), { "x-forgejo-event": "push", "x-forgejo-delivery": "3", "x-forgejo-signature": hmac(githubPush()) }],
  [
    "Bitbucket Cloud",
    "bitbucket",
    cloudPush,
    { "x-event-key": "repo:push", "x-request-uuid": "4", "x-hub-signature": `sha256=${hmac(cloudPush)}` },
  ],
  [
    "Bitbucket Server",
    "bitbucket",
    serverPush,
    { "x-event-key": "repo:refs_changed", "x-request-id": "5", "x-hub-signature": `sha256=${hmac(serverPush)}` },
  ],
  ["a script", "generic", genericPush, { "x-signature-256": `sha256=${hmac(genericPush)}` }],
] as const)(
  "a push told by %s starts a job of the default branch, is counted and is in the ledger",
  async ([, provider, body, headers]) => {
    const id = await addRepository(database);
    const answer = await post(body, headers);
    const [job] = await jobs();
    expect(answer).toMatchObject({ status: 202, body: { status: "accepted", jobs: [job?.job_id] } });
    expect(job).toMatchObject({ repo_id: id, ref: null, mode: "incremental", trigger: "webhook", requested_commit: commitOf("b") });
    expect(await refs()).toEqual([{ name: "main", is_default: true, pushes_received: 1, head_commit: commitOf("b") }]);
    expect(await deliveries()).toMatchObject([
      { provider, repo_id: id, tenant_id: "one", status: "accepted", reason: "", job_ids: [job?.job_id], replays: 0 },
    ]);
  },
);

test("GitLab's signing token is read as Standard Webhooks has it, and an old signature is not accepted", async () => {
  await addRepository(database);
  const key = Buffer.from("thirty-two bytes of a key, or so");
  const signing = await createWebhookServer(database, { secret: `whsec_${key.toString("base64")}`, clock: systemClock });
  expect(await post(gitlabPush, standardHeaders(gitlabPush, { key }), signing)).toMatchObject({ status: 202 });
  expect(await post(gitlabPush, standardHeaders(gitlabPush), signing)).toMatchObject({ status: 401 });
  const old = standardHeaders(gitlabPush, { key, at: Date.now() - 6 * 60_000 });
  expect(await post(gitlabPush, old, signing)).toMatchObject({ status: 401 });
  await signing.close();
});

test("a wrong signature of GitLab's is not made up for by a right token", async () => {
  const headers = { ...standardHeaders(gitlabPush, { secret: "another-secret" }), "x-gitlab-token": SERVER_SECRET };
  expect(await post(gitlabPush, headers)).toMatchObject({ status: 401 });
});

test("a push of Bitbucket's may change several branches: each that is indexed gets a job", async () => {
  await addRepository(database, { branches: ["next", "gone"] });
  const change = (name: string, type = "branch") => ({ old: null, new: { type, name, target: { hash: commitOf("c") } } });
  const body = JSON.stringify({
    push: {
      changes: [
        change("next"),
        change("main"),
        change("v1", "tag"),
        change("other"),
        { old: { type: "branch", name: "gone", target: { hash: commitOf("a") } }, new: null },
      ],
    },
    repository: { full_name: "acme/shop" },
  });
  const headers = { "x-event-key": "repo:push", "x-request-uuid": randomUUID(), "x-hub-signature": `sha256=${hmac(body)}` };
  expect(await post(body, headers)).toMatchObject({ status: 202, body: { status: "accepted" } });
  expect((await jobs()).map(({ ref }) => ref).toSorted()).toEqual(["gone", "next", null]);
  expect((await refs()).map(({ name, pushes_received: pushes }) => [name, pushes])).toEqual([
    ["main", 1],
    ["next", 1],
  ]);
  expect(await deliveries()).toMatchObject([{ status: "accepted", reason: "other is not among the repository's branches to index" }]);
});

test("a repository is found by its name in either case, and by any of its addresses", async () => {
  await addRepository(database, { fullName: "sub/project", cloneUrl: "ssh://git@git.example.org:7999/Group/sub/project.git" });
  for (const project of [
    { path_with_namespace: "SUB/Project" },
    { path_with_namespace: "group/sub/project", git_http_url: "https://git.example.org/group/sub/project.git" },
    { path_with_namespace: "group/sub/project", git_ssh_url: "git@git.example.org:group/sub/project.git" },
  ]) {
    const body = JSON.stringify({ ref: "refs/heads/main", project });
    const headers = { "x-gitlab-event": "Push Hook", "idempotency-key": randomUUID(), "x-gitlab-token": SERVER_SECRET };
    expect(await post(body, headers)).toMatchObject({ status: 202, body: { status: "accepted" } });
  }
});

// Ignored

test.for([
  ["a repository nobody registered", githubPush({}, { full_name: "acme/other", clone_url: null }), "push"],
  ["an issue", "{}", "issues"],
  ["an issue that is no JSON", "{", "issues"],
] as const)("%s is ignored and leaves nothing", async ([, body, event]) => {
  await addRepository(database);
  expect(await deliver(body, { event })).toMatchObject({ status: 202, body: { status: "ignored", jobs: [] } });
  await expectNoTrace();
});

test.for([
  ["a branch that is not indexed", githubPush({ ref: "refs/heads/feature" }), "feature is not among"],
  ["a tag", githubPush({ ref: "refs/tags/v1" }), "tags are not indexed"],
  ["the default branch's deletion", githubPush({ deleted: true, after: commitOf("0") }), "main is the default branch"],
] as const)("%s is ignored, with a reason in the ledger", async ([, body, reason]) => {
  await addRepository(database);
  expect(await deliver(body)).toMatchObject({ status: 202, body: { status: "ignored" } });
  expect(await jobs()).toEqual([]);
  expect(await deliveries()).toMatchObject([{ status: "ignored", reason: expect.stringContaining(reason) }]);
});

test("a ping is answered", async () => {
  expect(await deliver("{}", { event: "ping" })).toMatchObject({ status: 200, body: { status: "pong" } });
});

test("a push to a repository of which no index was asked for yet starts none", async () => {
  const id = await addRepository(database);
  await database.query.updateTable("codeindex.repositories").set({ index_status: "pending" }).where("id", "=", id).execute();
  expect(await deliver(githubPush())).toMatchObject({ body: { status: "ignored", message: expect.stringContaining("not asked for") } });
  expect(await jobs()).toEqual([]);
});

// Whose it is

test("a repository with a secret of its own is opened by that one only", async () => {
  await addRepository(database, { secret: "the-repository's-own" });
  expect(await deliver(githubPush(), { secret: SERVER_SECRET })).toMatchObject({ status: 401, body: { error: "auth_failed" } });
  await expectNoTrace();
  expect(await deliver(githubPush(), { secret: "the-repository's-own" })).toMatchObject({ status: 202, body: { status: "accepted" } });
});

test("a repository's own secret works on a server that has none", async () => {
  const bare = await createWebhookServer(database, { secret: null, clock: systemClock });
  await addRepository(database, { secret: "the-repository's-own" });
  const body = githubPush();
  expect(await post(body, fromGithub(body, { secret: "the-repository's-own" }), bare)).toMatchObject({ status: 202 });
  await bare.close();
});

test("of two tenants with the same repository only the one whose secret signed is told; the server's secret tells those without", async () => {
  const mine = await addRepository(database, { secret: "the-secret-of-one", tenantId: "one" });
  const theirs = await addRepository(database, { tenantId: "two" });
  expect(await deliver(githubPush(), { secret: "the-secret-of-one" })).toMatchObject({ body: { jobs: [expect.any(String)] } });
  expect((await jobs()).map((job) => job.repo_id)).toEqual([mine]);
  expect(await deliver(githubPush())).toMatchObject({ body: { jobs: [expect.any(String)] } });
  expect((await jobs()).map((job) => job.repo_id).toSorted()).toEqual([mine, theirs].toSorted());
});

test("a repository's secret opens no other repository", async () => {
  await addRepository(database, { secret: "the-secret-of-shop" });
  await addRepository(database, { fullName: "acme/bank", secret: "the-secret-of-bank" });
  await addRepository(database, { fullName: "acme/plain" });
  for (const name of ["acme/bank", "acme/plain", "acme/unknown"]) {
    // The other's name is in the body too, so its secret is tried.
    const body = githubPush({ decoy: { full_name: "acme/shop" } }, { full_name: name, clone_url: null });
    expect(await deliver(body, { secret: "the-secret-of-shop" })).toMatchObject({ status: 401 });
  }
  await expectNoTrace();
});

test("a secret moved to another repository's row opens nothing", async () => {
  const from = await addRepository(database, { fullName: "acme/from", secret: "the-secret-of-from" });
  const to = await addRepository(database);
  const { sealed_webhook_secret: sealed } = await database.query
    .selectFrom("codeindex.repositories")
    .selectAll()
    .where("id", "=", from)
    .executeTakeFirstOrThrow();
  await database.query.updateTable("codeindex.repositories").set({ sealed_webhook_secret: sealed }).where("id", "=", to).execute();
  expect(await deliver(githubPush(), { secret: "the-secret-of-from" })).toMatchObject({ status: 401 });
});

test("a repository or tenant that is being deleted is not told", async () => {
  const id = await addRepository(database);
  await database.query.updateTable("codeindex.repositories").set({ deleting_at: new Date() }).where("id", "=", id).execute();
  expect(await deliver(githubPush())).toMatchObject({ status: 202, body: { status: "ignored" } });
  await expectNoTrace();
});

// Forged

const right = hmac(githubPush());

test.for([
  ["of another body", { "x-hub-signature-256": `sha256=${hmac(githubPush({ after: commitOf("c") }))}` }],
  ["of another secret", { "x-hub-signature-256": `sha256=${hmac(githubPush(), "another-secret-of-16")}` }],
  ["of an empty secret", { "x-hub-signature-256": `sha256=${hmac(githubPush(), "")}` }],
  ["cut short", { "x-hub-signature-256": `sha256=${right.slice(0, 62)}` }],
  ["too long", { "x-hub-signature-256": `sha256=${right}00` }],
  ["without its algorithm", { "x-hub-signature-256": right }],
  ["of another algorithm", { "x-hub-signature-256": `sha1=${createHmac("sha1", SERVER_SECRET).update(githubPush()).digest("hex")}` }],
  ["twice, one of them right", { "x-hub-signature-256": `sha256=${right}, sha256=${"0".repeat(64)}` }],
  ["in strange digits", { "x-hub-signature-256": `sha256=${"\u00b2".repeat(64)}` }],
  ["empty", { "x-hub-signature-256": "" }],
  ["missing", {}],
  ["another host's header", { "x-signature-256": `sha256=${right}` }],
  ["a token of GitLab's that is empty", { "x-gitlab-event": "Push Hook", "x-gitlab-token": "" }],
  ["a token of GitLab's that is cut short", { "x-gitlab-event": "Push Hook", "x-gitlab-token": SERVER_SECRET.slice(0, -1) }],
  ["a token of GitLab's with more behind it", { "x-gitlab-event": "Push Hook", "x-gitlab-token": `${SERVER_SECRET}0` }],
  [
    "Gitea's, wrong, beside GitHub's, right",
    { "x-gitea-event": "push", "x-gitea-signature": "0".repeat(64), "x-hub-signature-256": `sha256=${right}` },
  ],
] as const)("a signature %s is 401 auth_failed and changes nothing", async ([, headers]) => {
  await addRepository(database);
  expect(await post(githubPush(), { "x-github-event": "push", ...headers })).toMatchObject({ status: 401, body: { error: "auth_failed" } });
  await expectNoTrace();
  expect(await server.metrics.registry.getSingleMetricAsString("codeindex_webhook_deliveries_total")).toContain('outcome="refused"');
});

test("a signature's digits may be upper case: they say the same", async () => {
  await addRepository(database);
  const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${right.toUpperCase()}` };
  expect(await post(githubPush(), headers)).toMatchObject({ status: 202 });
});

test("a body that is nobody's is refused without being parsed", async () => {
  const deep = "[".repeat(5_000_000);
  expect(await post(deep, fromGithub(deep, { secret: "another-secret-of-16" }))).toMatchObject({ status: 401 });
});

test("an old delivery that is sent again under another identifier does no more than look at the host again", async () => {
  await addRepository(database, { branches: ["next"] });
  const old = githubPush({ ref: "refs/heads/next", deleted: true, after: commitOf("0") });
  await deliver(old);
  await deliver(old, { delivery: "another" });
  expect(await jobs()).toMatchObject([{ ref: "next", mode: "incremental" }]);
  expect((await refs()).map(({ name }) => name)).toEqual(["main"]);
});

// Odd bodies

test.for([
  ["", 400],
  ["{", 400],
  ["{}", 400],
  ["null", 400],
  ['{"ref":1}', 400],
  ["[".repeat(1_000_000), 400],
  [githubPush({ ref: null }), 400],
  [githubPush({}, { full_name: "acme/shop\0" }), 400],
  [githubPush({}, { full_name: "x".repeat(500) }), 400],
  [githubPush({}, { full_name: { toString: "acme/shop" } }), 400],
  [githubPush({}, { full_name: "' or true; --" }), 202],
  [githubPush({}, { full_name: "%", clone_url: "%" }), 202],
  [githubPush({}, { default_branch: "../../etc" }), 202],
  [githubPush({ ref: "refs/heads/--upload-pack=touch x" }), 202],
  [githubPush({ ref: "refs/heads/\ud800" }), 202],
  [githubPush({ after: "x".repeat(40) }), 202],
] as const)("a signed body that is odd is refused or ignored: %j", async ([body, status]) => {
  await addRepository(database);
  expect((await deliver(body)).status).toBe(status);
  expect((await jobs()).filter((job) => job.ref !== null)).toEqual([]);
});

test("a body over 25 MiB is 413, a form is 415 and says what to set", async () => {
  const large = Buffer.alloc(25 * 1024 * 1024 + 1, " ");
  expect(await post(large, fromGithub(""))).toMatchObject({ status: 413, body: { error: "body_too_large" } });
  const form = `payload=${encodeURIComponent(githubPush())}`;
  const headers = { ...fromGithub(form), "content-type": "application/x-www-form-urlencoded" };
  expect(await post(form, headers)).toMatchObject({
    status: 415,
    body: { message: expect.stringContaining("application/json at the host") },
  });
});

test("many large bodies at once are put off, so that they don't fill the memory", async () => {
  const headers = { ...fromGithub(""), "content-length": String(25 * 1024 * 1024) };
  const address = await server.listen({ port: 0, host: "127.0.0.1" });
  const sockets = await Promise.all(Array.from({ length: 8 }, () => open(address, headers)));
  const answer = await fetch(`${address}/api/v1/ingest/webhook`, {
    method: "POST",
    headers: { ...fromGithub("{}"), "content-type": "application/json" },
    body: "{}",
  });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("10");
  sockets.forEach((socket) => socket.destroy());
  await expect.poll(async () => (await deliver("{}", { event: "ping" })).status).toBe(200);
});

async function open(address: string, headers: Headers) {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ host: "localhost", "content-type": "application/json", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await new Promise<void>((resolve) => socket.write(`POST /api/v1/ingest/webhook HTTP/1.1\r\n${head}\r\n{`, () => resolve()));
  return socket;
}

// Once

test("the same delivery ten times, at once to two replicas, makes one job and one row", needsRealPostgres, async () => {
  await addRepository(database);
  const other = await createWebhookServer(database, { clock: systemClock });
  const body = githubPush();
  const headers = fromGithub(body);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => post(body, headers, index % 2 === 0 ? server : other)));
  const [job] = await jobs();
  expect(answers.map((answer) => answer.body.jobs)).toEqual(Array.from({ length: 10 }, () => [job?.job_id]));
  expect(answers.filter((answer) => answer.body.message.includes("taken before"))).toHaveLength(9);
  expect(await jobs()).toHaveLength(1);
  expect(await deliveries()).toHaveLength(1);
  expect((await refs())[0]).toMatchObject({ pushes_received: 1 });
  await other.close();
});

test("a delivery is known again when its job has ended long ago", async () => {
  await addRepository(database);
  const body = githubPush();
  const headers = fromGithub(body);
  await post(body, headers);
  await database.query.updateTable("codeindex.index_jobs").set({ status: "succeeded" }).execute();
  expect(await post(body, headers)).toMatchObject({
    status: 202,
    body: { status: "accepted", message: expect.stringContaining("taken before") },
  });
  expect(await jobs()).toHaveLength(1);
});

test("one identifier of two hosts, or for repositories of two tenants, is not one delivery", async () => {
  await addRepository(database);
  await addRepository(database, { tenantId: "two" });
  const headers = { "x-delivery-id": "1", "x-signature-256": `sha256=${hmac(genericPush)}` };
  expect((await post(genericPush, headers)).body.jobs).toHaveLength(2);
  expect((await deliver(githubPush(), { delivery: "1" })).body.message).not.toContain("taken before");
  expect(await deliveries()).toHaveLength(4);
});

test("a delivery without an identifier is known by its body, for a while", async () => {
  await addRepository(database);
  let now = new Date("2026-01-01T00:00:00Z");
  const server2 = await createWebhookServer(database, { clock: { now: () => now } });
  const headers = { "x-signature-256": `sha256=${hmac(genericPush)}` };
  await post(genericPush, headers, server2);
  expect(await post(genericPush, headers, server2)).toMatchObject({ body: { message: expect.stringContaining("taken before") } });
  now = new Date("2026-01-01T00:10:00Z");
  expect((await post(genericPush, headers, server2)).body.message).not.toContain("taken before");
  await server2.close();
});

// Changes of the repository itself

test("another default branch is indexed, whoever tells of it", async () => {
  await addRepository(database);
  await deliver(githubPush({ ref: "refs/heads/trunk" }, { default_branch: "trunk" }));
  expect(await jobs()).toMatchObject([{ ref: null, requested_commit: commitOf("b") }]);
  expect(await refs()).toMatchObject([
    { name: "main", is_default: true },
    { name: "trunk", is_default: false, pushes_received: 1 },
  ]);
  const edited = JSON.stringify({ action: "edited", repository: { full_name: "acme/shop", default_branch: "trunk" }, changes: {} });
  expect(await deliver(edited, { event: "repository" })).toMatchObject({ body: { status: "accepted" } });
});

test("a rename is shown to the admin; where it is fetched from does not change", async () => {
  const id = await addRepository(database);
  const body = JSON.stringify({
    action: "renamed",
    repository: { full_name: "acme/store", default_branch: "main", clone_url: "https://evil.example/acme/store.git" },
    changes: { repository: { name: { from: "shop" } } },
  });
  expect(await deliver(body, { event: "repository" })).toMatchObject({ status: 202, body: { status: "ignored" } });
  const row = await database.query.selectFrom("codeindex.repositories").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ full_name: "acme/shop", clone_url: "https://example.org/acme/shop.git" });
  expect(row.last_error).toContain("acme/store now");
  expect(await deliveries()).toMatchObject([{ reason: expect.stringContaining("change its clone_url") }]);
});

test("a force push and a push whose earlier ones were lost ask for the newest commit, like any other", async () => {
  await addRepository(database);
  await deliver(githubPush({ forced: true, before: commitOf("9"), after: commitOf("c") }));
  await deliver(githubPush({ before: commitOf("d"), after: commitOf("e") }));
  expect(await jobs()).toMatchObject([{ ref: null, mode: "incremental", requested_commit: commitOf("e") }]);
  expect(await refs()).toMatchObject([{ pushes_received: 2, head_commit: commitOf("e") }]);
});
