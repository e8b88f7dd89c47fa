import { randomUUID } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;

beforeAll(async () => {
  running = await startCodeIndex();
});

afterAll(() => running.stop());

type Method = "GET" | "POST" | "PATCH" | "DELETE";

async function call(method: Method, url: string, payload?: object, tenantId?: string) {
  const answer = await running.server.inject({
    method,
    url,
    headers: running.asAdmin(tenantId),
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.body === "" ? undefined : answer.json() };
}

const URL = "https://127.0.0.1:1/acme/app.git";

async function register(payload: object, tenantId?: string): Promise<string> {
  const { status, body } = await call("POST", "/api/v1/repos", { clone_url: URL, index: false, ...payload }, tenantId);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.id;
}

type ListedJob = { readonly ref: string | null; readonly mode: string; readonly trigger: string; readonly status: string };

/** Without those that the indexer, which can't reach the address, tries again. */
async function jobsOf(id: string): Promise<readonly ListedJob[]> {
  const { items } = (await call("GET", `/api/v1/jobs?repo_id=${id}`)).body;
  return items.filter(({ trigger }: ListedJob) => trigger !== "retry");
}

/** As if it had been indexed once, so that a change asks for jobs; no job of it is left. */
async function asIndexed(id: string): Promise<void> {
  await sql`update codeindex.repositories set index_status = 'ready', default_branch = 'main' where id = ${id}`.execute(
    running.database.query,
  );
}

test("a repository is registered with all its settings, and index: false waits", async () => {
  const id = await register({
    full_name: "acme/settings",
    branches: ["dev", "dev", "release/1"],
    include: ["src/**"],
    exclude: ["*.min.js"],
  });
  const { body } = await call("GET", `/api/v1/repos/${id}`);
  expect(body).toMatchObject({
    full_name: "acme/settings",
    branches: ["dev", "release/1"],
    include: ["src/**"],
    exclude: ["*.min.js"],
    credential_id: null,
    has_webhook_secret: false,
    index_status: "pending",
  });
  expect(await jobsOf(id)).toEqual([]);
});

test.for([
  [{ full_name: "acme" }, "full_name"],
  [{ full_name: "acme//app" }, "full_name"],
  [{ full_name: "acme/app/" }, "full_name"],
  [{ full_name: "a/b", branches: ["-x"] }, "branches"],
  [{ full_name: "a/b", branches: ["a..b"] }, "branches"],
  [{ full_name: "a/b", include: ["a\nb"] }, "include"],
  [{ full_name: "a/b", exclude: ["\0"] }, "exclude"],
  [{ full_name: "a/b", credential_id: "mine" }, "credential_id"],
  [{ full_name: "a/b", webhook_secret: "short" }, "webhook_secret"],
  [{ full_name: "a/b", index: "yes" }, "index"],
] as const)("what can't be is refused naming the field: %j", async ([payload, field]) => {
  const { status, body } = await call("POST", "/api/v1/repos", { clone_url: URL, ...payload });
  expect({ status, error: body.error }).toEqual({ status: 400, error: "invalid_request" });
  expect(JSON.stringify(body)).toContain(field);
});

test("a name is taken in whatever case it is written, within its tenant", async () => {
  await register({ full_name: "Acme/Taken" });
  const { status, body } = await call("POST", "/api/v1/repos", { full_name: "aCME/tAKEN", clone_url: URL });
  expect({ status, body }).toEqual({
    status: 409,
    body: {
      error: "repository_exists",
      message: "aCME/tAKEN is registered already as Acme/Taken; hosts don't tell capital letters apart.",
    },
  });
  await register({ full_name: "acme/taken" }, "two");
});

test("of twenty who register one name at once in any case, one does", async () => {
  const names = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "race/Repo" : "RACE/repo"));
  const answers = await Promise.all(names.map((full_name) => call("POST", "/api/v1/repos", { full_name, clone_url: URL, index: false })));
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["201", ...Array.from({ length: 19 }, () => "409")]);
});

test("a credential is chosen only among the tenant's own", async () => {
  const credential = async (tenantId: string) => {
    const { rows } = await sql<{ id: string }>`
      insert into codeindex.credentials (id, tenant_id, name, kind, host, sealed_secret, created_by)
      values (gen_random_uuid(), ${tenantId}, ${`c${Math.random()}`}, 'token', '127.0.0.1:1', 'sealed', 'test') returning id
    `.execute(running.database.query);
    return rows[0]?.id ?? "";
  };
  const [own, foreign] = [await credential("one"), await credential("two")];
  const id = await register({ full_name: "acme/credential", credential_id: own });
  for (const credential_id of [foreign, "01890000-0000-7000-8000-000000000000"]) {
    const changed = await call("PATCH", `/api/v1/repos/${id}`, { credential_id });
    expect(changed).toMatchObject({ status: 400, body: { error: "credential_unknown" } });
    const registered = await call("POST", "/api/v1/repos", { full_name: "acme/other", clone_url: URL, credential_id });
    expect(registered).toMatchObject({ status: 400, body: { error: "credential_unknown" } });
  }
  expect((await call("PATCH", `/api/v1/repos/${id}`, { credential_id: null })).body.credential_id).toBeNull();
});

test("a webhook secret is sealed, never shown, and can be taken away", async () => {
  const id = await register({ full_name: "acme/secret" });
  const secret = "a-very-secret-secret";
  const changed = await call("PATCH", `/api/v1/repos/${id}`, { webhook_secret: secret });
  expect(changed).toMatchObject({ status: 200, body: { has_webhook_secret: true } });
  const { rows } = await sql`select row_to_json(r)::text as row from codeindex.repositories r`.execute(running.database.query);
  expect(JSON.stringify([rows, changed])).not.toContain(secret);
  expect((await call("PATCH", `/api/v1/repos/${id}`, { webhook_secret: null })).body.has_webhook_secret).toBe(false);
});

test("other paths to index mean a full job of every branch; a new branch one of its own; nothing else any", async () => {
  const id = await register({ full_name: "acme/changed", branches: ["dev"] });
  expect((await call("PATCH", `/api/v1/repos/${id}`, { include: ["src/**"] })).status).toBe(200);
  expect(await jobsOf(id)).toEqual([]);

  await asIndexed(id);
  await call("PATCH", `/api/v1/repos/${id}`, { include: ["src/**"], branches: ["dev"] });
  expect(await jobsOf(id)).toEqual([]);
  await call("PATCH", `/api/v1/repos/${id}`, { exclude: ["*.lock"] });
  expect((await jobsOf(id)).map(({ ref, mode, trigger }) => `${ref} ${mode} ${trigger}`).toSorted()).toEqual([
    "dev full settings",
    "null full settings",
  ]);
  await call("PATCH", `/api/v1/repos/${id}`, { branches: ["dev", "next"] });
  expect((await jobsOf(id)).filter(({ ref }) => ref === "next")).toMatchObject([{ mode: "full", trigger: "settings" }]);
});

test("a branch that is taken away is not searched any more, and its jobs end", async () => {
  const id = await register({ full_name: "acme/branches", branches: ["dev", "old"] });
  await asIndexed(id);
  await sql`
    insert into codeindex.refs (ref_id, repo_id, tenant_id, name, is_default) values
      (gen_random_uuid(), ${id}, 'one', 'main', true), (gen_random_uuid(), ${id}, 'one', 'dev', false), (gen_random_uuid(), ${id}, 'one', 'old', false)
  `.execute(running.database.query);
  await sql`
    insert into codeindex.index_jobs (job_id, repo_id, tenant_id, ref, mode, trigger, not_before)
    values (gen_random_uuid(), ${id}, 'one', 'old', 'full', 'api', now() + interval '1 hour')
  `.execute(running.database.query);
  const { body } = await call("PATCH", `/api/v1/repos/${id}`, { branches: ["dev"] });
  expect(body.refs.map(({ name }: { name: string }) => name)).toEqual(["main", "dev"]);
  expect(await jobsOf(id)).toMatchObject([{ ref: "old", status: "cancelled" }]);
});

test("another address is checked as the first was, and asks for what changed", async () => {
  const id = await register({ full_name: "acme/moved" });
  await asIndexed(id);
  for (const clone_url of ["ext::sh -c id", "http://x/y.git", "https://user:pass@host/x", "-u"]) {
    expect(await call("PATCH", `/api/v1/repos/${id}`, { clone_url })).toMatchObject({ status: 400, body: { error: "invalid_clone_url" } });
  }
  await call("PATCH", `/api/v1/repos/${id}`, { clone_url: "https://127.0.0.1:1/acme/elsewhere.git" });
  expect(await jobsOf(id)).toMatchObject([{ ref: null, mode: "incremental", trigger: "settings" }]);
});

test("indexing a branch that is not indexed is refused, naming those that are", async () => {
  const id = await register({ full_name: "acme/refs", branches: ["dev"] });
  await asIndexed(id);
  const index = (payload: object) => call("POST", `/api/v1/repos/${id}/index`, payload);
  expect(await index({ ref: "dev" })).toMatchObject({ status: 202, body: { job: { ref: "dev" } } });
  expect(await index({ ref: "main" })).toMatchObject({ status: 202, body: { job: { ref: null } } });
  expect(await index({ ref: "nowhere" })).toMatchObject({
    status: 400,
    body: { error: "unknown_ref", message: expect.stringContaining("indexed: main, dev") },
  });
});

test("only an admin of the tenant changes or deletes its repositories", async () => {
  const id = await register({ full_name: "acme/guarded" });
  const member = { authorization: `Bearer ${running.issue({ tid: "one", role: "member" })}` };
  const token = { authorization: `Bearer ${await running.createToken()}` };
  for (const method of ["PATCH", "DELETE"] as const) {
    for (const headers of [member, token]) {
      const answer = await running.server.inject({ method, url: `/api/v1/repos/${id}`, headers, payload: {} });
      expect(answer.statusCode).toBe(403);
    }
    expect((await call(method, `/api/v1/repos/${id}`, {}, "two")).status).toBe(404);
    expect((await call(method, "/api/v1/repos/01890000-0000-7000-8000-000000000000", {})).status).toBe(404);
  }
  expect((await call("GET", `/api/v1/repos/${id}`)).status).toBe(200);
});

test(
  "a deleted repository is nowhere from that moment, then its rows and its mirror go; its name is free at once",
  { timeout: 60_000 },
  async () => {
    // A name of its own, which another try of this test does not find taken.
    const name = `leaving-${randomUUID().slice(0, 8)}`;
    const { id } = await running.index(`acme/${name}`, { "leaving.ts": "export const leavingForGood = 1;\n" });
    const mirrors = () => readdir(join(running.dataDir, "mirrors"));
    const [job] = (await call("GET", `/api/v1/jobs?repo_id=${id}`)).body.items;
    expect((await call("GET", "/api/v1/search?query=leavingForGood")).body.results).toHaveLength(1);

    expect(await call("DELETE", `/api/v1/repos/${id}`)).toEqual({ status: 202, body: { id, status: "deleting" } });
    for (const url of ["", "/refs", "/tree", "/file?path=leaving.ts", "/coverage?path=leaving.ts"]) {
      expect(await call("GET", `/api/v1/repos/${id}${url}`)).toMatchObject({ status: 404, body: { error: "repository_not_found" } });
    }
    expect((await call("GET", `/api/v1/jobs/${job.job_id}`)).status).toBe(404);
    expect((await call("GET", `/api/v1/jobs?repo_id=${id}`)).body.items).toEqual([]);
    expect((await call("GET", "/api/v1/search?query=leavingForGood")).body.results).toEqual([]);
    expect((await call("POST", `/api/v1/repos/${id}/index`, {})).status).toBe(404);
    expect((await call("PATCH", `/api/v1/repos/${id}`, { include: [] })).status).toBe(404);
    expect((await call("DELETE", `/api/v1/repos/${id}`)).status).toBe(404);

    await register({ full_name: `Acme/${name}` });
    await vi.waitFor(
      async () => {
        const { rows } = await sql`
        select id::text from codeindex.repositories where id = ${id} union all select path from tenant_one.files where path = 'leaving.ts'
      `.execute(running.database.query);
        expect(rows).toEqual([]);
        expect(await mirrors()).not.toContain(id);
      },
      { timeout: 30_000, interval: 200 },
    );

    // As by a fetch that was under way, which makes its folder anew.
    await mkdir(join(running.dataDir, "mirrors", id, "history"), { recursive: true });
    await vi.waitFor(async () => expect(await mirrors()).not.toContain(id), { timeout: 10_000, interval: 200 });
  },
);
