import { createHmac } from "node:crypto";
import { readConfig } from "@sightline/foundation/config";
import { createDatabase } from "@sightline/foundation/database/database";
import { createAccessTokenVerifier } from "@sightline/foundation/http/access-token";
import { systemClock } from "@sightline/foundation/clock";
import { createHttpServer } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { CreatedToken, Repository } from "#contract.ts";
import { codeIndexVariables } from "#config.ts";
import { createCodeIndexApi } from "#index.ts";
import type { CodeIndexTables } from "#schema.ts";
import { answer, startEmbeddingProvider } from "#testing/embedding-provider.ts";
import { startCodeIndex, WEBHOOK_SECRET, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { testConfig } from "#testing/test-config.ts";

let subject: RunningCodeIndex;
let indexed: Indexed;

beforeAll(async () => {
  subject = await startCodeIndex();
  indexed = await subject.index("acme/shop", { "a.ts": "export const one = 1;\n" });
});

afterAll(() => subject.stop());

type Asking = { readonly url: string; readonly payload?: object; readonly bearer?: string; readonly method?: "GET" | "POST" | "DELETE" };

async function ask({ url, payload, bearer, method = payload === undefined ? "GET" : "POST" }: Asking) {
  const headers = bearer === undefined ? subject.asAdmin() : { authorization: `Bearer ${bearer}` };
  return subject.server.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

function push(secret: string, body = pushOf("acme/shop")) {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return subject.server.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: { "content-type": "application/json", "x-github-event": "push", "x-hub-signature-256": `sha256=${signature}` },
    payload: body,
  });
}

const pushOf = (fullName: string) =>
  JSON.stringify({
    ref: "refs/heads/main",
    before: "1".repeat(40),
    after: "2".repeat(40),
    deleted: false,
    repository: { full_name: fullName, default_branch: "main", clone_url: indexed.source.url },
  });

describe("Endpoints (docs/contract.md#code-index-endpoints)", () => {
  test("GET | /health | none | nothing | HTTP 200, JSON object with field status whose value is ok", async () => {
    const health = await subject.server.inject({ url: "/health" });
    expect([health.statusCode, health.json()]).toEqual([200, { status: "ok" }]);
  });

  test("(MCP) | /mcp | Bearer developer token or JWT", async () => {
    const call = { url: "/mcp", payload: { jsonrpc: "2.0", id: 1, method: "ping" } };
    expect((await subject.server.inject({ method: "POST", ...call })).statusCode).toBe(401);
    for (const bearer of [await subject.createToken(), subject.issue({ tid: "one" })]) {
      const headers = { authorization: `Bearer ${bearer}`, accept: "application/json, text/event-stream", host: "localhost" };
      expect((await subject.server.inject({ method: "POST", ...call, headers })).statusCode).not.toBe(401);
    }
  });

  test("POST | /api/v1/developer-tokens | … | JSON with label (string) | a developer token", async () => {
    const created = await ask({ url: "/api/v1/developer-tokens", payload: { label: "my editor" } });
    expect(created.statusCode).toBe(201);
    expect(created.json()).toMatchObject({ token: expect.stringMatching(/^codeindex_/), label: "my editor" });
  });

  test("POST | /api/v1/repos | … | JSON with full_name (string, owner/repo) | the registered repository", async () => {
    const created = await ask({ url: "/api/v1/repos", payload: { full_name: "acme/other", index: false } });
    expect([created.statusCode, created.json<Repository>().full_name]).toEqual([201, "acme/other"]);
  });

  test("POST | /api/v1/ingest/webhook | shared webhook secret (HMAC), … | push event … | acknowledgement", async () => {
    const taken = await push(WEBHOOK_SECRET);
    expect([taken.statusCode, taken.json()]).toEqual([202, expect.objectContaining({ status: "accepted", jobs: [expect.any(String)] })]);
  });

  test("POST | /api/v1/repos/{repo_id}/index | … | JSON with mode (string); value full is shown | indexing job started", async () => {
    const started = await ask({ url: `/api/v1/repos/${indexed.id}/index`, payload: { mode: "full" } });
    expect([started.statusCode, started.json()]).toMatchObject([202, { job: { repo_id: indexed.id, mode: "full" } }]);
  });

  test("Values of mode other than full: not shown — decided: incremental, and any other is 400 invalid_mode", async () => {
    const url = `/api/v1/repos/${indexed.id}/index`;
    expect((await ask({ url, payload: { mode: "incremental" } })).statusCode).toBe(202);
    const refused = await ask({ url, payload: { mode: "half" } });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { error: "invalid_mode", message: expect.stringMatching(/full.*incremental/) },
    ]);
  });
});

describe("Authentication (docs/contract.md#code-index-authentication)", () => {
  test("Developer token | starts with the prefix codeindex_ … validated by lookup in developer_tokens; never expires; invalid once revoked_at is set", async () => {
    const {
      id,
      token,
      token_prefix: prefix,
    } = (await ask({ url: "/api/v1/developer-tokens", payload: { label: "x" } })).json<CreatedToken>();
    expect(token.startsWith("codeindex_") && token.startsWith(prefix)).toBe(true);
    await sql`update codeindex.developer_tokens set created_at = now() - interval '20 years' where id = ${id}`.execute(
      subject.database.query,
    );
    expect((await ask({ url: "/api/v1/repos", bearer: token })).statusCode).toBe(200);
    await sql`update codeindex.developer_tokens set revoked_at = now() where id = ${id}`.execute(subject.database.query);
    expect((await ask({ url: "/api/v1/repos", bearer: token })).statusCode).toBe(401);
  });

  test.for(["sub", "tid", "aud", "exp", "iat"])("JWT (console web app) | RS256, … required claims: … %s", async (claim) => {
    expect((await ask({ url: "/api/v1/repos", bearer: subject.issue({ tid: "one", [claim]: undefined }) })).statusCode).toBe(401);
  });

  test.for([
    [["sightline"], 200],
    [["sightline", "another"], 401],
    [["another"], 401],
  ] as const)("aud (must equal the configured audience) — a list equals it when it holds nothing else: %j", async ([aud, status]) => {
    expect((await ask({ url: "/api/v1/repos", bearer: subject.issue({ tid: "one", aud }) })).statusCode).toBe(status);
  });

  test("Webhook secret | HMAC secret shared with the source-hosting service; validates webhook deliveries", async () => {
    expect((await push("another secret entirely")).statusCode).toBe(401);
  });
});

describe("Events (docs/contract.md#code-index-events)", () => {
  test("Inbound: a push event … arrives at POST /api/v1/ingest/webhook and triggers indexing", { timeout: 65_000 }, async () => {
    const commit = await indexed.source.commit({ "b.ts": "export const two = 2;\n" });
    expect((await push(WEBHOOK_SECRET)).json()).toMatchObject({ status: "accepted" });
    await vi.waitFor(
      async () => expect((await ask({ url: `/api/v1/repos/${indexed.id}` })).json()).toMatchObject({ indexed_commit: commit }),
      { timeout: 60_000 },
    );
  });
});

describe("Errors (docs/contract.md#code-index-errors)", () => {
  test.for([
    ["Developer token revoked or unknown", () => `codeindex_${"A".repeat(43)}`],
    ["JWT expired", () => subject.issue({ tid: "one", exp: 1 })],
    ["claim tid missing", () => subject.issue({ tid: undefined })],
  ] as const)("%s | 401 | JSON object with error = auth_failed", async ([, bearer]) => {
    const refused = await ask({ url: "/api/v1/repos", bearer: bearer() });
    expect([refused.statusCode, refused.json().error]).toEqual([401, "auth_failed"]);
  });

  test("JWKS URL misconfigured, … | 401 | JSON object with error = auth_failed", async () => {
    const { server, stop } = await createApi({ jwksUrl: "http://127.0.0.1:9/nothing" });
    const refused = await server.inject({ url: "/api/v1/repos", headers: subject.asAdmin() });
    expect([refused.statusCode, refused.json().error]).toEqual([401, "auth_failed"]);
    await stop();
  });

  test("Embedding provider unavailable, … during ingestion | 500 | index status stays indexing", async () => {
    // Decided: nobody waits for an answer while a job runs, so the provider's own 500 is what the leg says; the code is found by the others.
    const provider = await startEmbeddingProvider("openai", 8);
    provider.misbehave((_request, response) => answer(response, 500, { error: { message: "quota exceeded" } }));
    const embedding = { CODEINDEX_EMBEDDER: "openai", CODEINDEX_EMBEDDING_URL: provider.url, CODEINDEX_EMBEDDING_MODEL: "m" } as const;
    const other = await startCodeIndex({ embedding: { ...embedding, CODEINDEX_EMBEDDING_DIMENSIONS: 8 } });
    const payload = { full_name: "acme/shop", clone_url: indexed.source.url };
    const headers = other.asAdmin();
    const { id } = (await other.server.inject({ method: "POST", url: "/api/v1/repos", headers, payload })).json<Repository>();
    const semantic = { state: "pending", reason: expect.stringMatching(/500.*quota exceeded/) };
    await vi.waitFor(
      async () => {
        const repository = await other.server.inject({ url: `/api/v1/repos/${id}`, headers });
        expect(repository.json()).toMatchObject({ index_status: "indexing", legs: { semantic, bm25: { state: "ready" } } });
      },
      { timeout: 25_000 },
    );
    await other.stop();
    await provider.close();
  });

  test("Database connection pool exhausted | 500 | health route still returns 200", { timeout: 60_000 }, async () => {
    const { server, database, stop } = await createApi({ poolSize: 1 });
    const taken = await database.pool.connect();
    const failed = await server.inject({ url: "/api/v1/repos", headers: subject.asAdmin() });
    // Decided: it is told as what it is, overload, with the contract's status.
    expect([failed.statusCode, failed.json().error, failed.headers["retry-after"]]).toEqual([500, "database_unavailable", "5"]);
    expect((await server.inject({ url: "/health" })).statusCode).toBe(200);
    taken.release();
    expect((await server.inject({ url: "/api/v1/repos", headers: subject.asAdmin() })).statusCode).toBe(200);
    await stop();
  });
});

/** Another API on the same database. */
async function createApi({ jwksUrl = subject.jwksUrl, poolSize = 2 }: { readonly jwksUrl?: string; readonly poolSize?: number }) {
  const database = createDatabase<CodeIndexTables>({ url: subject.database.url, poolSize, applicationName: "test", log: silentLog });
  const metrics = createMetrics("test");
  const accessTokens = createAccessTokenVerifier({ log: silentLog, jwksUrl, audience: "sightline" });
  const shared = { database, log: silentLog, clock: systemClock, metrics, accessTokens, version: "1.2.3" };
  const api = createCodeIndexApi({ ...shared, config: testConfig("") });
  const { routes, authenticators } = api;
  const server = await createHttpServer({ name: "test", title: "Test", version: "1", log: silentLog, metrics, authenticators, routes });
  const stop = async () => {
    await server.close();
    await database.close();
  };
  return { server, database, stop };
}

describe("Limits (docs/contract.md#code-index-limits)", () => {
  const REQUIRED = {
    CODEINDEX_DATABASE_URL: "postgres://localhost/x",
    CODEINDEX_JWT_JWKS_URL: "https://id.example.org/jwks",
    CODEINDEX_ENCRYPTION_KEYS: `k1:${"0123456789abcdef".repeat(2)}`,
  };

  test("Port | 8080", () => {
    expect(readConfig(codeIndexVariables, REQUIRED).CODEINDEX_PORT).toBe(8080);
  });

  test("Default pool size: not shown — decided: 10 connections a process", () => {
    expect(readConfig(codeIndexVariables, REQUIRED).CODEINDEX_DATABASE_POOL_SIZE).toBe(10);
    expect(() => readConfig(codeIndexVariables, { ...REQUIRED, CODEINDEX_DATABASE_POOL_SIZE: "many" })).toThrow(
      /CODEINDEX_DATABASE_POOL_SIZE/,
    );
  });

  test.for(["CODEINDEX_DATABASE_URL", "CODEINDEX_WEBHOOK_SECRET"] as const)("%s | … (secret)", (name) => {
    expect(codeIndexVariables[name].secret).toBe(true);
  });

  test.for([
    "CODEINDEX_JWT_JWKS_URL",
    "CODEINDEX_JWT_AUDIENCE",
    "CODEINDEX_LOG_LEVEL",
    "CODEINDEX_EMBEDDING_PROJECT",
    "CODEINDEX_EMBEDDING_REGION",
    "CODEINDEX_CLOUD_PROJECT",
    "CODEINDEX_CLOUD_LOCATION",
    "CODEINDEX_DATABASE_POOL_SIZE",
  ] as const)("… %s … — a variable, with its meaning", (name) => {
    expect(codeIndexVariables[name].doc).not.toBe("");
  });

  test("CODEINDEX_LOG_LEVEL | log level, example value INFO", () => {
    expect(() => readConfig(codeIndexVariables, { ...REQUIRED, CODEINDEX_LOG_LEVEL: "INFO" })).not.toThrow();
    expect(() => readConfig(codeIndexVariables, { ...REQUIRED, CODEINDEX_LOG_LEVEL: "LOUD" })).toThrow(/CODEINDEX_LOG_LEVEL/);
  });
});
