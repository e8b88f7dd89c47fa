import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@sightline/foundation/clock";
import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { createHttpServer, type HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { expect, vi } from "vitest";
import type { PluginTools } from "#mcp/server.ts";
import type { EmbeddingConfig } from "#config.ts";
import { codeIndexMigrations, createCodeIndexApi, ensureCodeIndexTenant, type CodeIndexApi } from "#index.ts";
import { createIndexer } from "#indexing/indexer.ts";
import type { CodeIndexTables } from "#schema.ts";
import { createGitRepository, type GitRepository } from "./git-repository.ts";
import { testConfig } from "./test-config.ts";
import { createTokenIssuer, type TokenIssuer } from "./token-issuer.ts";

export const WEBHOOK_SECRET = "a-secret-for-webhooks";

/** The whole code index on real PostgreSQL, git and signing keys: API, indexer and two tenants, `one` and `two`. */
export type RunningCodeIndex = {
  readonly api: CodeIndexApi;
  readonly server: HttpServer;
  readonly database: TestDatabase<CodeIndexTables>;
  readonly dataDir: string;
  /** Another process of the API over the same database, as far as either can tell. */
  readonly startReplica: () => Promise<{ readonly server: HttpServer; readonly stop: () => Promise<void> }>;
  readonly issue: TokenIssuer["issue"];
  /** Of the keys that sign those tokens. */
  readonly jwksUrl: string;
  /** Headers of an admin's access token. */
  readonly asAdmin: (tenantId?: string) => Readonly<Record<string, string>>;
  /** A new developer token's text. */
  readonly createToken: (tenantId?: string) => Promise<string>;
  /** Registers a repository with these files through the API, waits until it is indexed and returns its id and commit. */
  readonly index: (fullName: string, files: Readonly<Record<string, string>>, tenantId?: string) => Promise<Indexed>;
  /** What the indexer still does after an index is ready ends: from then on every statement in the database is a request's. */
  readonly stopIndexer: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type Indexed = { readonly id: string; readonly commit: string; readonly source: GitRepository };

type Options = {
  readonly webhookSecret?: string | undefined;
  readonly log?: Logger;
  readonly embedding?: Partial<EmbeddingConfig>;
  readonly mcpCallsPerMinute?: number;
  readonly plugin?: PluginTools;
  /** Of its own, which it drops. */
  readonly database?: TestDatabase<CodeIndexTables>;
};

export async function startCodeIndex({
  webhookSecret = WEBHOOK_SECRET,
  log = silentLog,
  embedding = {},
  mcpCallsPerMinute = 0,
  plugin,
  database: given,
}: Options = {}): Promise<RunningCodeIndex> {
  const database = given ?? (await createTestDatabase<CodeIndexTables>(codeIndexMigrations));
  await ensureCodeIndexTenant(database, { tenantId: "one", name: "one" });
  await ensureCodeIndexTenant(database, { tenantId: "two", name: "two" });
  const issuer = await createTokenIssuer();
  const dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  const config = {
    ...testConfig(dataDir),
    ...embedding,
    CODEINDEX_WEBHOOK_SECRET: webhookSecret,
    CODEINDEX_MCP_CALLS_PER_MINUTE: mcpCallsPerMinute,
  };
  const shared = { config, database, log, clock: systemClock };
  const startApi = async (over: Database<CodeIndexTables>) => {
    const metrics = createMetrics("test");
    const api = createCodeIndexApi({ ...shared, database: over, metrics, accessTokens: issuer.verifier, version: "1.2.3", plugin });
    const server = await createHttpServer({
      name: "code-index",
      title: "Code index",
      version: "1.2.3",
      log,
      metrics,
      authenticators: api.authenticators,
      routes: api.routes,
    });
    await api.start();
    return { api, server };
  };
  const { api, server } = await startApi(database);
  const indexer = createIndexer(shared);
  await indexer.start();
  const sources: GitRepository[] = [];
  const asAdmin = (tenantId = "one") => ({ authorization: `Bearer ${issuer.issue({ tid: tenantId })}` });

  return {
    api,
    server,
    database,
    dataDir,
    startReplica: async () => {
      const own = createDatabase<CodeIndexTables>({ url: database.url, poolSize: 5, applicationName: "replica", log });
      const replica = await startApi(own);
      return {
        server: replica.server,
        stop: async () => {
          await replica.server.close();
          await replica.api.stop();
          await own.close();
        },
      };
    },
    issue: issuer.issue,
    jwksUrl: issuer.jwksUrl,
    asAdmin,
    createToken: async (tenantId) => {
      const answer = await server.inject({
        method: "POST",
        url: "/api/v1/developer-tokens",
        headers: asAdmin(tenantId),
        payload: { label: "test" },
      });
      return answer.json<{ token: string }>().token;
    },
    index: async (fullName, files, tenantId) => {
      const source = await createGitRepository();
      sources.push(source);
      const commit = await source.commit(files);
      const headers = asAdmin(tenantId);
      const registered = await server.inject({
        method: "POST",
        url: "/api/v1/repos",
        headers,
        payload: { full_name: fullName, clone_url: source.url },
      });
      expect(registered).toMatchObject({ statusCode: 201 });
      const { id } = registered.json<{ id: string }>();
      await vi.waitFor(
        async () => {
          const repository = await server.inject({ url: `/api/v1/repos/${id}`, headers });
          expect(repository.json()).toMatchObject({ index_status: "ready", indexed_commit: commit });
        },
        { timeout: 20_000, interval: 50 },
      );
      return { id, commit, source };
    },
    stopIndexer: indexer.stop,
    stop: async () => {
      await indexer.stop();
      await server.close();
      await api.stop();
      await issuer.close();
      await database.drop();
      await Promise.all(sources.map((source) => source.remove()));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
