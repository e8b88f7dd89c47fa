import { randomUUID } from "node:crypto";
import { systemClock } from "@sightline/foundation/clock";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { ensureTenant } from "#store/tenancy/tenant.ts";
import { commitOf, createWebhookServer, hmac, SERVER_SECRET, type WebhookServer } from "./webhook-server.ts";

export type Headers = Readonly<Record<string, string>>;

/** A push to the default branch of `acme/shop`, as GitHub tells of it. */
export function githubPush(changes: Record<string, unknown> = {}, repository: Record<string, unknown> = {}): string {
  return JSON.stringify({
    ref: "refs/heads/main",
    before: commitOf("a"),
    after: commitOf("b"),
    repository: { full_name: "acme/shop", default_branch: "main", clone_url: "https://example.org/acme/shop.git", ...repository },
    ...changes,
  });
}

type Signing = { readonly event?: string; readonly delivery?: string; readonly secret?: string };

export function fromGithub(body: string, { event = "push", delivery = randomUUID(), secret = SERVER_SECRET }: Signing = {}): Headers {
  return { "x-github-event": event, "x-github-delivery": delivery, "x-hub-signature-256": `sha256=${hmac(body, secret)}` };
}

/** A webhook server of the test file's own with the tenants `one` and `two`, and no repositories before each test. */
export function useWebhookServer() {
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

  async function post(payload: string | Buffer, headers: Headers, to: WebhookServer = server) {
    const answer = await to.inject({
      method: "POST",
      url: "/api/v1/ingest/webhook",
      headers: { "content-type": "application/json", ...headers },
      payload,
    });
    return { status: answer.statusCode, body: answer.json<{ status: string; error: string; message: string; jobs: string[] }>() };
  }

  const jobs = () => database.query.selectFrom("codeindex.index_jobs").selectAll().orderBy("job_id").execute();
  const deliveries = () => database.query.selectFrom("codeindex.webhook_deliveries").selectAll().orderBy("id").execute();
  const refs = () =>
    database.query.selectFrom("codeindex.refs").select(["name", "is_default", "pushes_received", "head_commit"]).orderBy("name").execute();

  return {
    database: () => database,
    server: () => server,
    post,
    deliver: (body: string, options: Signing = {}) => post(body, fromGithub(body, options)),
    jobs,
    deliveries,
    refs,
    expectNoTrace: async () => {
      expect({ jobs: await jobs(), deliveries: await deliveries() }).toEqual({ jobs: [], deliveries: [] });
      expect((await refs()).filter((ref) => ref.pushes_received > 0)).toEqual([]);
    },
  };
}
