import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCodeIndex, WEBHOOK_SECRET, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let mine: Indexed;
let token: string;
let foreign: string;

beforeAll(async () => {
  running = await startCodeIndex();
  mine = await running.index("acme/secret", { "secret.ts": "export const launchCode = 42;\n" });
  token = await running.createToken("one");
  foreign = await running.createToken("two");
});

afterAll(() => running.stop());

type Call = { readonly method?: "GET" | "POST" | "DELETE"; readonly url: string; readonly payload?: object };

async function call(authorization: string | undefined, { method = "GET", url, payload }: Call) {
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await running.server.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === "" ? undefined : answer.json() };
}

const unknownId = "01890000-0000-7000-8000-000000000000";

/** Every route that wants a token, by the class that it wants. */
const readerRoutes = (repoId: string): readonly Call[] => [
  { url: "/api/v1/repos" },
  { url: `/api/v1/repos/${repoId}` },
  { url: `/api/v1/repos/${repoId}/file?path=secret.ts` },
  { url: `/api/v1/repos/${repoId}/tree` },
  { url: `/api/v1/repos/${repoId}/refs` },
  { url: `/api/v1/repos/${repoId}/coverage?path=secret.ts` },
  { url: "/api/v1/jobs" },
  { url: `/api/v1/jobs/${unknownId}` },
  { url: "/api/v1/search?query=launchCode" },
  { method: "POST", url: "/api/v1/search", payload: { query: "launchCode" } },
];
const changingRoutes = (repoId: string): readonly Call[] => [
  { method: "POST", url: "/api/v1/repos", payload: { full_name: "a/b" } },
  { method: "POST", url: `/api/v1/repos/${repoId}/index`, payload: { mode: "full" } },
  { url: `/api/v1/repos/${repoId}/preview` },
  { method: "POST", url: `/api/v1/jobs/${unknownId}/cancel` },
  { method: "POST", url: "/api/v1/developer-tokens", payload: { label: "x" } },
  { url: "/api/v1/developer-tokens" },
  { method: "DELETE", url: `/api/v1/developer-tokens/${unknownId}` },
];

test("GET /health answers 200 {status: ok} without a token", async () => {
  expect(await call(undefined, { url: "/health" })).toMatchObject({ status: 200, body: { status: "ok" } });
});

test("GET /health/detailed says what the service stands on, and its version", async () => {
  expect(await call(undefined, { url: "/health/detailed" })).toMatchObject({
    status: 200,
    body: { status: "ok", version: "1.2.3", components: { database: { status: "up" } } },
  });
});

test.for([
  ["no token", (): string | undefined => undefined],
  ["another scheme", () => "Basic YTpi"],
  ["an unknown developer token", () => "Bearer codeindex_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
  ["no JWT", () => "Bearer nonsense"],
  ["an expired JWT", () => `Bearer ${running.issue({ tid: "one", exp: 1 })}`],
  ["a JWT without tid", () => `Bearer ${running.issue({ tid: undefined })}`],
  ["a JWT without exp", () => `Bearer ${running.issue({ tid: "one", exp: undefined })}`],
  ["a JWT without sub", () => `Bearer ${running.issue({ tid: "one", sub: undefined })}`],
  ["a JWT for another audience", () => `Bearer ${running.issue({ tid: "one", aud: "other" })}`],
] satisfies readonly [string, () => string | undefined][])("with %s every route answers 401 auth_failed", async ([, authorization]) => {
  for (const route of [...readerRoutes(mine.id), ...changingRoutes(mine.id), { method: "POST", url: "/mcp" } as const]) {
    const { status, body } = await call(authorization(), route);
    expect({ route, status, body }).toEqual({ route, status: 401, body: { error: "auth_failed", message: expect.any(String) } });
  }
});

test("a token of a tenant that is not registered is 403 tenant_unknown", async () => {
  const { status, body } = await call(`Bearer ${running.issue({ tid: "nobody" })}`, { url: "/api/v1/repos" });
  expect({ status, error: body.error }).toEqual({ status: 403, error: "tenant_unknown" });
});

test("a developer token opens what only reads, and nothing that changes", async () => {
  for (const route of readerRoutes(mine.id)) {
    const { status } = await call(`Bearer ${token}`, route);
    expect({ route, opens: status === 200 || status === 404 }).toEqual({ route, opens: true });
  }
  for (const route of changingRoutes(mine.id)) {
    const { status } = await call(`Bearer ${token}`, route);
    expect({ route, status }).toEqual({ route, status: 403 });
  }
});

test("a member may ask for a new index, and neither register repositories nor handle tokens", async () => {
  const member = `Bearer ${running.issue({ tid: "one", role: "member" })}`;
  const statuses = await Promise.all(changingRoutes(mine.id).map(async (route) => (await call(member, route)).status));
  expect(statuses).toEqual([403, 202, 202, 404, 403, 403, 403]);
});

test("a foreign tenant sees nothing of a repository, on any route", async () => {
  const admin = `Bearer ${running.issue({ tid: "two" })}`;
  for (const route of [...readerRoutes(mine.id), ...changingRoutes(mine.id).slice(1)]) {
    for (const authorization of [`Bearer ${foreign}`, admin]) {
      const { body } = await call(authorization, route);
      expect(`${route.url} ${JSON.stringify(body)}`).not.toMatch(/launchCode =|acme\/secret|"secret\.ts/);
    }
  }
  expect((await call(`Bearer ${foreign}`, { url: "/api/v1/search?query=launchCode" })).body.results).toEqual([]);
  expect((await call(admin, { url: `/api/v1/repos/${mine.id}` })).status).toBe(404);
  expect((await call(admin, { method: "POST", url: `/api/v1/repos/${mine.id}/index`, payload: { mode: "full" } })).status).toBe(404);
});

test("a foreign tenant's jobs and tokens can't be listed, cancelled or revoked", async () => {
  const own = `Bearer ${running.issue({ tid: "one" })}`;
  const other = `Bearer ${running.issue({ tid: "two" })}`;
  const [job] = (await call(own, { url: "/api/v1/jobs" })).body.items;
  expect((await call(other, { url: "/api/v1/jobs" })).body.items).toEqual([]);
  expect((await call(other, { url: `/api/v1/jobs/${job.job_id}` })).status).toBe(404);
  expect((await call(other, { method: "POST", url: `/api/v1/jobs/${job.job_id}/cancel` })).status).toBe(404);
  const [listed] = (await call(own, { url: "/api/v1/developer-tokens" })).body.items;
  expect((await call(other, { method: "DELETE", url: `/api/v1/developer-tokens/${listed.id}` })).status).toBe(404);
  expect((await call(`Bearer ${token}`, { url: "/api/v1/repos" })).status).toBe(200);
});

test("a developer token starts with codeindex_, is shown once and kept as a hash", async () => {
  const admin = `Bearer ${running.issue({ tid: "one" })}`;
  const created = await call(admin, { method: "POST", url: "/api/v1/developer-tokens", payload: { label: " my laptop " } });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.any(String),
    token: expect.stringMatching(/^codeindex_[\w-]{43}$/),
    token_prefix: created.body.token.slice(0, 16),
    label: "my laptop",
    repositories: null,
    traces: true,
    evaluation: false,
    uploads: false,
    created_at: expect.any(String),
  });
  const stored = await running.database.pool.query("select row_to_json(t)::text as row from codeindex.developer_tokens t");
  expect(stored.rows.map(({ row }) => row).join()).not.toContain(created.body.token);
  const listed = await call(admin, { url: "/api/v1/developer-tokens" });
  expect(JSON.stringify(listed.body)).not.toContain(created.body.token);
});

test("a revoked developer token opens nothing any more", async () => {
  const admin = `Bearer ${running.issue({ tid: "one" })}`;
  const { body } = await call(admin, { method: "POST", url: "/api/v1/developer-tokens", payload: { label: "short-lived" } });
  expect((await call(`Bearer ${body.token}`, { url: "/api/v1/repos" })).status).toBe(200);
  const revoked = await call(admin, { method: "DELETE", url: `/api/v1/developer-tokens/${body.id}` });
  expect(revoked).toMatchObject({ status: 200, body: { revoked_at: expect.any(String), last_used_at: expect.any(String) } });
  expect(await call(`Bearer ${body.token}`, { url: "/api/v1/repos" })).toMatchObject({ status: 401, body: { error: "auth_failed" } });
});

test("a developer token reads although the database has no room to note that it was used", async () => {
  const fresh = await running.createToken("one");
  const { pool } = running.database;
  await pool.query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$;
    create trigger refuse before update on codeindex.developer_tokens execute function public.refuse()`);
  expect((await call(`Bearer ${fresh}`, { url: "/api/v1/repos" })).status).toBe(200);
  await pool.query("drop function public.refuse() cascade");
});

test("a repository that is no such thing is refused with a reason", async () => {
  const admin = `Bearer ${running.issue({ tid: "one" })}`;
  const register = (payload: object) => call(admin, { method: "POST", url: "/api/v1/repos", payload });
  expect(await register({ full_name: "no-slash" })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await register({})).toMatchObject({ status: 400 });
  for (const clone_url of ["ext::sh -c id", "http://x/y.git", "-u", "https://user:pass@host/x", "file://host/x", ""]) {
    const { status, body } = await register({ full_name: "a/b", clone_url });
    expect({ clone_url, status, error: body.error }).toEqual({ clone_url, status: 400, error: "invalid_clone_url" });
  }
  expect(await register({ full_name: "acme/secret", clone_url: mine.source.url })).toMatchObject({
    status: 409,
    body: { error: "repository_exists" },
  });
});

test("indexing is started with mode full or incremental, and another mode is refused naming both", async () => {
  const admin = `Bearer ${running.issue({ tid: "one" })}`;
  const start = (payload: object) => call(admin, { method: "POST", url: `/api/v1/repos/${mine.id}/index`, payload });
  expect(await start({ mode: "full" })).toMatchObject({ status: 202, body: { job: { repo_id: mine.id, mode: "full" } } });
  expect(await start({ mode: "incremental" })).toMatchObject({ status: 202, body: { job: { repo_id: mine.id } } });
  const refused = await start({ mode: "partial" });
  expect(refused).toMatchObject({ status: 400, body: { error: "invalid_mode" } });
  expect(refused.body.message).toMatch(/full.*incremental/);
});

test.for(["not-an-id", unknownId, "%00"])("the repository and job %s are not found, and the answer says where to look", async (id) => {
  const repository = await call(`Bearer ${token}`, { url: `/api/v1/repos/${id}` });
  expect(repository).toMatchObject({
    status: 404,
    body: { error: "repository_not_found", message: expect.stringContaining("/api/v1/repos") },
  });
  const job = await call(`Bearer ${token}`, { url: `/api/v1/jobs/${id}` });
  expect(job).toMatchObject({ status: 404, body: { error: "job_not_found" } });
});

test("lists are read page by page, and a cursor that no answer gave is refused", async () => {
  const idsOf = (answer: { body: { items: readonly { job_id: string }[] } }) => answer.body.items.map(({ job_id: id }) => id);
  const [first, second] = [
    await call(`Bearer ${token}`, { url: "/api/v1/jobs?limit=1" }),
    await call(`Bearer ${token}`, { url: "/api/v1/jobs?limit=200" }),
  ];
  expect(first.body.items).toHaveLength(1);
  expect(second.body.next_cursor).toBeNull();
  const next = await call(`Bearer ${token}`, { url: `/api/v1/jobs?limit=200&cursor=${first.body.next_cursor}` });
  // The jobs go on meanwhile, so only which ones they are stays the same.
  expect([...idsOf(first), ...idsOf(next)]).toEqual(idsOf(second));
  expect(await call(`Bearer ${token}`, { url: "/api/v1/jobs?cursor=zzz" })).toMatchObject({
    status: 400,
    body: { error: "invalid_cursor" },
  });
});

// The webhook

async function deliver(body: string, { event = "push", secret = WEBHOOK_SECRET, signature = "" } = {}) {
  const signed = signature === "" ? `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` : signature;
  const answer = await running.server.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: { "content-type": "application/json", "x-github-event": event, "x-hub-signature-256": signed },
    payload: body,
  });
  return { status: answer.statusCode, body: answer.json() };
}

const push = (full_name: string, ref = "refs/heads/main") => JSON.stringify({ ref, repository: { full_name, default_branch: "main" } });

test("a signed push to the default branch of a registered repository starts an incremental job", async () => {
  const { status, body } = await deliver(push("acme/secret"));
  expect({ status, answer: body.status }).toEqual({ status: 202, answer: "accepted" });
  const job = await call(`Bearer ${token}`, { url: `/api/v1/jobs/${body.jobs[0]}` });
  expect(job.body).toMatchObject({ repo_id: mine.id });
});

test("a push finds its repository also where its name was registered in other case, which hosts don't tell apart", async () => {
  expect(await deliver(push("Acme/SECRET"))).toMatchObject({ status: 202, body: { status: "accepted" } });
});

test("a push that is not to be indexed is taken and ignored", async () => {
  expect(await deliver(push("acme/unknown"))).toMatchObject({ status: 202, body: { status: "ignored" } });
  expect(await deliver(push("acme/secret", "refs/heads/feature"))).toMatchObject({ status: 202, body: { status: "ignored" } });
  expect(await deliver("{}", { event: "issues" })).toMatchObject({ status: 202, body: { status: "ignored" } });
  expect(await deliver("{}", { event: "ping" })).toMatchObject({ status: 200, body: { status: "pong" } });
});

test("a delivery that is not signed rightly is 401 auth_failed", async () => {
  for (const options of [
    { secret: "another-secret-of-16" },
    { signature: "sha256=00" },
    { signature: "none" },
    { signature: `sha1=${"0".repeat(40)}` },
  ]) {
    expect(await deliver(push("acme/secret"), options)).toMatchObject({ status: 401, body: { error: "auth_failed" } });
  }
});

test("a signed delivery that is no push event is refused with a reason", async () => {
  for (const body of ["", "{", "{}", '{"ref":1}', "[".repeat(1_000_000)]) {
    const { status } = await deliver(body);
    expect({ body, status }).toEqual({ body, status: 400 });
  }
});
