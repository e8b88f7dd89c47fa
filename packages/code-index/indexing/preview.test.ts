import { rm } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { PreviewAnswer } from "#contract.ts";
import { askForPreview, claimPreview, finishPreview, keepPreview } from "#store/records/previews.store.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let source: GitRepository;
let names = 0;

beforeAll(async () => {
  running = await startCodeIndex();
});

afterAll(() => running.stop());

beforeEach(async () => {
  source = await createGitRepository();
});

afterEach(() => source.remove());

async function register(settings: object = {}): Promise<string> {
  const answer = await running.server.inject({
    method: "POST",
    url: "/api/v1/repos",
    headers: running.asAdmin(),
    payload: { full_name: `acme/repository-${++names}`, clone_url: source.url, index: false, ...settings },
  });
  expect(answer.statusCode).toBe(201);
  return answer.json<{ id: string }>().id;
}

async function ask(id: string, tenantId = "one") {
  const answer = await running.server.inject({ url: `/api/v1/repos/${id}/preview`, headers: running.asAdmin(tenantId) });
  return { status: answer.statusCode, body: answer.json<PreviewAnswer>() };
}

async function answered(id: string): Promise<PreviewAnswer> {
  return vi.waitFor(
    async () => {
      const { status, body } = await ask(id);
      expect(status).toBe(200);
      return body;
    },
    { timeout: 20_000, interval: 50 },
  );
}

test("a preview says what an index would hold and what it would leave out, and nothing is indexed", async () => {
  const large = "export function go() {}\n".repeat(400);
  const commit = await source.commit({
    ".sightlineignore": "*.log\n",
    "src/large.ts": large,
    "src/small.ts": "export const a = 1;\n",
    "notes.md": "# Title\n",
    "a.log": "a",
    "b.log": "b",
    "src/a.test.ts": "test",
    "image.png": Buffer.from([1, 0, 2]),
  });
  const id = await register({ exclude: ["*.test.ts"] });

  expect(await ask(id)).toMatchObject({ status: 202, body: { status: "pending", preview: null, error_message: null } });
  const { preview, ...answer } = await answered(id);

  expect(answer).toEqual({ status: "ready", completed_at: expect.any(String), error_message: null });
  expect(preview).toMatchObject({ commit, files: 4, skipped: 4 });
  expect(preview?.languages.map(({ language, files, bytes }) => [language, files, bytes])).toEqual([
    ["typescript", 2, large.length + 20],
    ["markdown", 1, 8],
    ["text", 1, 6],
  ]);
  expect(preview?.biggest[0]).toEqual({ path: "src/large.ts", bytes: large.length, chunks: expect.any(Number) });
  expect(preview?.biggest[0]?.chunks).toBeGreaterThan(3);
  expect(preview?.chunks).toBe((preview?.biggest[0]?.chunks ?? 0) + 3);
  expect(preview?.tokens).toBeGreaterThan(2_000);
  expect(preview?.skip_reasons).toEqual([
    { reason: "ignored by .sightlineignore: *.log", files: 2, examples: ["a.log", "b.log"] },
    { reason: "binary", files: 1, examples: ["image.png"] },
    { reason: "excluded by *.test.ts", files: 1, examples: ["src/a.test.ts"] },
  ]);
  const { rows } = await sql`select from codeindex.index_jobs where repo_id = ${id}`.execute(running.database.query);
  expect(rows).toEqual([]);
});

test("a preview is kept, until the settings change or a push is heard of", async () => {
  await source.commit({ "a.ts": "a", "b.md": "b" });
  const id = await register();
  const first = await answered(id);
  expect((await ask(id)).body).toEqual(first);

  const changed = await running.server.inject({
    method: "PATCH",
    url: `/api/v1/repos/${id}`,
    headers: running.asAdmin(),
    payload: { include: ["*.ts"] },
  });
  expect(changed.statusCode).toBe(200);
  expect((await ask(id)).body).toMatchObject({ status: "pending", preview: null });
  expect((await answered(id)).preview).toMatchObject({ files: 1, skipped: 1 });

  const commit = await source.commit({ "c.ts": "c" });
  expect((await ask(id)).status).toBe(200);
  await sql`
    insert into codeindex.refs (ref_id, repo_id, tenant_id, name, is_default, head_commit)
    values (gen_random_uuid(), ${id}, 'one', 'main', true, ${commit})
    on conflict (repo_id, name) do update set head_commit = excluded.head_commit
  `.execute(running.database.query);
  expect((await answered(id)).preview).toMatchObject({ commit, files: 2 });
});

test("a preview that fails says why", async () => {
  await source.commit({ ".sightlineignore": "*a*b*c*d*\n" });
  const wild = await register();
  expect(await answered(wild)).toMatchObject({
    status: "failed",
    preview: null,
    error_message: expect.stringContaining("Line 1 of .sightlineignore"),
  });

  const gone = await createGitRepository();
  await gone.commit({ a: "a" });
  const answer = await running.server.inject({
    method: "POST",
    url: "/api/v1/repos",
    headers: running.asAdmin(),
    payload: { full_name: "acme/gone", clone_url: gone.url, index: false },
  });
  await rm(gone.directory, { recursive: true, force: true });
  const failed = await answered(answer.json<{ id: string }>().id);
  expect(failed).toMatchObject({ status: "failed", preview: null });
  expect(failed.error_message).not.toBe("");
});

test("another tenant's repository, and none at all, have no preview", async () => {
  await source.commit({ a: "a" });
  const id = await register();
  await answered(id);
  expect(await ask(id, "two")).toMatchObject({ status: 404, body: { error: "repository_not_found" } });
  expect(await ask("nonsense")).toMatchObject({ status: 404 });
  expect(await askForPreview(running.database, { tenantId: "two", repoId: id, now: new Date() })).toBeUndefined();
});

test("of many workers one makes a preview; another takes over when it is silent, and then the first is not heard", async () => {
  const { database } = running;
  const repoId = await register();
  // In the future, where the running indexer sees nothing that it may take.
  const start = Date.now() + 3_600_000;
  const at = (seconds: number) => new Date(start + seconds * 1_000);
  await sql`
    insert into codeindex.previews (repo_id, tenant_id, status, requested_at, worker_id, heartbeat_at)
    values (${repoId}, 'one', 'running', ${at(-100)}, 'dead', ${at(-61)})
  `.execute(database.query);

  const claims = await Promise.all(["a", "b", "c"].map((workerId) => claimPreview(database, { workerId, now: at(0) })));
  const [first, ...others] = claims.filter((claim) => claim !== undefined);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ repoId, tenantId: "one", cloneUrl: source.url });
  if (first === undefined) {
    return;
  }
  expect(await keepPreview(database, { ...first, now: at(30) })).toBe(true);
  expect(await claimPreview(database, { workerId: "d", now: at(60) })).toBeUndefined();
  const second = await claimPreview(database, { workerId: "d", now: at(95) });
  expect(second).toMatchObject({ repoId });
  expect(await keepPreview(database, { ...first, now: at(96) })).toBe(false);
  await finishPreview(database, { ...first, now: at(96) }, { error: "late" });
  expect(await askForPreview(database, { tenantId: "one", repoId, now: at(97) })).toMatchObject({ status: "running" });
  // One of a large repository takes longer than another one is fresh: asking for it does not begin it anew.
  const alive = { ...first, workerId: "d" };
  expect(await keepPreview(database, { ...alive, now: at(1_000) })).toBe(true);
  expect(await askForPreview(database, { tenantId: "one", repoId, now: at(1_010) })).toMatchObject({ status: "running" });
  expect(await keepPreview(database, { ...alive, now: at(1_020) })).toBe(true);
});
