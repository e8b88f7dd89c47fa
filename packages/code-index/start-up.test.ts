import { randomUUID } from "node:crypto";
import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { createHttpServer } from "@sightline/foundation/http/http-server";
import { createLog } from "@sightline/foundation/log";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codeIndexMigrations, createCodeIndexApi, ensureCodeIndexTenant, type CodeIndexApi, type CodeIndexDatabase } from "#index.ts";
import type { CodeIndexTables } from "#schema.ts";
import { registerRepository } from "./store/records/repositories.store.ts";
import { createDeveloperToken } from "./http/access/developer-tokens.store.ts";
import { testConfig } from "#testing/test-config.ts";
import { createTokenIssuer, type TokenIssuer } from "#testing/token-issuer.ts";

let database: TestDatabase<CodeIndexTables>;
let issuer: TokenIssuer;
let lines: string[];

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  await ensureCodeIndexTenant(database, { tenantId: "one", name: "one" });
  issuer = await createTokenIssuer();
  lines = [];
});

afterEach(async () => {
  await issuer.close();
  await database.drop();
});

function createApi(of: CodeIndexDatabase = database): CodeIndexApi {
  return createCodeIndexApi({
    config: { ...testConfig("unused"), CODEINDEX_WEBHOOK_SECRET: undefined },
    database: of,
    log: createLog({ name: "test", level: "debug", destination: { write: (line) => lines.push(line) } }),
    clock: systemClock,
    metrics: createMetrics("test"),
    accessTokens: issuer.verifier,
    version: "1.2.3",
  });
}

async function serve(api: CodeIndexApi) {
  return createHttpServer({
    name: "code-index",
    title: "Code index",
    version: "1.2.3",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators: api.authenticators,
    routes: api.routes,
  });
}

/** A job that an indexer took long ago and never finished. */
async function leaveOrphan(): Promise<string> {
  const { id } = await registerRepository(database, { tenantId: "one", fullName: "o/r", cloneUrl: "https://example.org/o/r.git" });
  const jobId = randomUUID();
  const longAgo = new Date(Date.now() - 10 * 60_000);
  await database.query
    .insertInto("codeindex.index_jobs")
    .values({
      job_id: jobId,
      repo_id: id,
      tenant_id: "one",
      status: "running",
      mode: "full",
      trigger: "api",
      commit: null,
      worker_id: "gone",
      heartbeat_at: longAgo,
      started_at: longAgo,
      progress_at: longAgo,
      completed_at: null,
      error_message: null,
    })
    .execute();
  return jobId;
}

test("starting goes from the pool over orphaned jobs and the watchdog to the MCP session manager", async () => {
  await leaveOrphan();
  const api = createApi();
  await api.start();
  try {
    const steps = lines.map((line): unknown => JSON.parse(line)).flatMap((line) => stepOf(line));
    expect(steps).toEqual(["database connection pool", "orphaned jobs", "watchdog", "MCP session manager"]);
  } finally {
    await api.stop();
  }
});

function stepOf(line: unknown): unknown[] {
  return typeof line === "object" && line !== null && "step" in line ? [line.step] : [];
}

test("an orphaned running job is failed, with its time and reason, before the start has ended", async () => {
  const jobId = await leaveOrphan();
  const api = createApi();
  await api.start();
  await api.stop();
  const job = await database.query.selectFrom("codeindex.index_jobs").selectAll().where("job_id", "=", jobId).executeTakeFirst();
  expect(job).toMatchObject({ status: "failed", completed_at: expect.any(Date), error_message: expect.stringContaining("orphaned") });
});

test("without its database the service does not start, and says why", async () => {
  const nowhere = createDatabase<CodeIndexTables>({
    url: "postgres://postgres@127.0.0.1:1/none",
    poolSize: 1,
    applicationName: "test",
    log: silentLog,
  });
  await expect(createApi(nowhere).start()).rejects.toThrow(/ECONNREFUSED/);
  await nowhere.close();
});

test("before the start /mcp is 503 and GET /health is 200", async () => {
  const server = await serve(createApi());
  const token = issuer.issue({ tid: "one" });
  const answer = await server.inject({ method: "POST", url: "/mcp", headers: { authorization: `Bearer ${token}`, host: "localhost" } });
  expect(answer.statusCode).toBe(503);
  expect((await server.inject({ url: "/health" })).json()).toEqual({ status: "ok" });
  await server.close();
});

test("GET /health answers 200 while the pool is exhausted, and other routes fail with 500", { timeout: 20_000 }, async () => {
  const small = createDatabase<CodeIndexTables>({ url: database.url, poolSize: 1, applicationName: "test", log: silentLog });
  const api = createApi(small);
  await api.start();
  const server = await serve(api);
  const { token } = await createDeveloperToken(database, { tenantId: "one", label: "t", createdBy: "u", now: new Date() });
  const taken = await small.pool.connect();
  try {
    expect(await server.inject({ url: "/health" })).toMatchObject({ statusCode: 200, body: '{"status":"ok"}' });
    expect((await server.inject({ url: "/health/detailed" })).statusCode).toBe(503);
    const search = await server.inject({ url: "/api/v1/search?query=x", headers: { authorization: `Bearer ${token}` } });
    expect({ status: search.statusCode, error: search.json().error }).toEqual({ status: 500, error: "database_unavailable" });
  } finally {
    taken.release();
  }
  expect((await server.inject({ url: "/api/v1/search?query=x", headers: { authorization: `Bearer ${token}` } })).statusCode).toBe(200);
  await server.close();
  await api.stop();
  await small.close();
});

test("without a webhook secret every delivery is 401", async () => {
  const server = await serve(createApi());
  const answer = await server.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: { "content-type": "application/json", "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
    payload: "{}",
  });
  expect(answer.statusCode).toBe(401);
  expect(answer.json()).toMatchObject({ error: "auth_failed", message: expect.stringContaining("signature") });
  await server.close();
});
