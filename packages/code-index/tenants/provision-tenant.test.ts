import { createHttpServer, type HttpServer } from "@sightline/foundation/http/http-server";
import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeIndexMigrations, createCodeIndexApi } from "#index.ts";
import type { CodeIndexTables } from "#schema.ts";
import { markTenant } from "#store/records/deletions.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { testConfig } from "#testing/test-config.ts";
import { createTokenIssuer, type TokenIssuer } from "#testing/token-issuer.ts";
import { createProvisioner, tenantNameFor } from "#tenants/provision-tenant.ts";

let database: TestDatabase<CodeIndexTables>;
let issuer: TokenIssuer;
let open: HttpServer;
let closed: HttpServer;

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  issuer = await createTokenIssuer();
  open = await serve({ autoProvision: true });
  closed = await serve({ autoProvision: false });
});

afterAll(async () => {
  await open.close();
  await closed.close();
  await issuer.close();
  await database.drop();
});

async function serve({ autoProvision, over = database }: { readonly autoProvision: boolean; readonly over?: CodeIndexDatabase }) {
  const metrics = createMetrics("test");
  const api = createCodeIndexApi({
    config: { ...testConfig("/nowhere"), CODEINDEX_TENANT_AUTO_PROVISION: autoProvision },
    database: over,
    log: silentLog,
    clock: systemClock,
    metrics,
    accessTokens: issuer.verifier,
    version: "1",
  });
  return createHttpServer({
    name: "code-index",
    title: "Code index",
    version: "1",
    log: silentLog,
    metrics,
    authenticators: api.authenticators,
    routes: api.routes,
  });
}

async function ask(server: HttpServer, tid: unknown, authorization = `Bearer ${issuer.issue({ tid })}`) {
  const answer = await server.inject({ url: "/api/v1/repos", headers: { authorization } });
  return { status: answer.statusCode, error: answer.json().error };
}

async function tenants(): Promise<readonly { tenant_id: string; name: string }[]> {
  return (
    await sql<{ tenant_id: string; name: string }>`select tenant_id, name from codeindex.tenants order by name`.execute(database.query)
  ).rows;
}

test("an organization that is not registered is unknown, unless tenants are made on first use", async () => {
  expect(await ask(closed, "acme")).toEqual({ status: 403, error: "tenant_unknown" });
  expect(await tenants()).toEqual([]);
  expect(await ask(open, "acme")).toEqual({ status: 200, error: undefined });
  expect(await tenants()).toEqual([{ tenant_id: "acme", name: tenantNameFor("acme") }]);
  expect(await ask(closed, "acme")).toEqual({ status: 200, error: undefined });
});

test("twenty first requests at once make one tenant, and twenty organizations at once twenty", needsRealPostgres, async () => {
  const before = (await tenants()).length;
  const one = await Promise.all(Array.from({ length: 20 }, () => ask(open, "rush")));
  expect(new Set(one.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await tenants()).length).toBe(before + 1);
  const many = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(open, `many-${index}`)));
  expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await tenants()).length).toBe(before + 21);
});

describe("while another process makes tenants", needsRealPostgres, () => {
  const own = { url: "", poolSize: 2, applicationName: "test", log: silentLog };
  let others: Database<unknown>;
  let end: () => void;

  beforeEach(async () => {
    others = createDatabase({ ...own, url: database.url });
    const making = await others.pool.connect();
    await making.query("select pg_advisory_lock(hashtext('code-index.tenants'), hashtext(''))");
    end = () => making.release(true);
  });
  afterEach(() => others.close());

  test("twenty organizations wait their turn and leave the connections to those that are known", async () => {
    await ask(open, "acme");
    const small = createDatabase<CodeIndexTables>({ ...own, url: database.url });
    const server = await serve({ autoProvision: true, over: small });
    const many = Promise.all(Array.from({ length: 20 }, (_, index) => ask(server, `waits-${index}`)));
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(database.query)).rows.length).toBe(1);
    expect(await ask(server, "acme")).toEqual({ status: 200, error: undefined });
    end();
    expect(new Set((await many).map(({ status }) => status))).toEqual(new Set([200]));
    await server.close();
    await small.close();
  });

  test("for longer than a statement may take, it is 503 and can be tried again", async () => {
    const impatient = createDatabase<CodeIndexTables>({ ...own, url: database.url, statementTimeoutMs: 300 });
    const server = await serve({ autoProvision: true, over: impatient });
    expect(await ask(server, "late")).toEqual({ status: 503, error: "database_unavailable" });
    end();
    await impatient.close();
    expect(await ask(open, "late")).toEqual({ status: 200, error: undefined });
    await server.close();
  });
});

const HOSTILE = [
  `'; drop schema codeindex cascade; --`,
  `"x" \\' $$ ; --`,
  "Ünïcode ❤ 组织",
  "../../etc/passwd",
  "A".repeat(255),
  "acme ",
  "ACME",
  "tenant_default",
  "public",
];

test("whatever a tid is, its tenant is its own and has a name that fits", async () => {
  const answers = [];
  for (const tid of HOSTILE) {
    answers.push(await ask(open, tid));
  }
  expect(answers).toEqual(HOSTILE.map(() => ({ status: 200, error: undefined })));
  const names = (await tenants()).filter(({ tenant_id: tid }) => HOSTILE.includes(tid)).map(({ name }) => name);
  expect(new Set(names).size).toBe(HOSTILE.length);
  expect(names.filter((name) => !/^[a-z0-9_]{1,56}$/.test(name))).toEqual([]);
});

test.for(["", " ", "a\0b", "\ud800", "�\udfff", "x".repeat(256), "❤".repeat(100)])("the tid %j makes no tenant", async (tid) => {
  const before = await tenants();
  const { status } = await ask(open, tid);
  expect([401, 403]).toContain(status);
  expect(await tenants()).toEqual(before);
});

test("a developer token and a token that is not good make no tenant", async () => {
  const before = await tenants();
  for (const authorization of [`Bearer codeindex_${"A".repeat(43)}`, `Bearer ${issuer.issue({ tid: "late", exp: 1 })}`, "Bearer x"]) {
    expect(await ask(open, undefined, authorization)).toEqual({ status: 401, error: "auth_failed" });
  }
  expect(await tenants()).toEqual(before);
});

test("a tenant that is being deleted does not come back meanwhile", async () => {
  await ask(open, "leaving");
  await markTenant(database, { name: tenantNameFor("leaving"), now: new Date() });
  expect(await ask(open, "leaving")).toEqual({ status: 403, error: "tenant_unknown" });
});

test("a process makes sixty tenants a minute and no more", async () => {
  let now = new Date("2026-01-01T00:00:00Z");
  const provision = createProvisioner({ database, log: silentLog, clock: { now: () => now } });
  for (let made = 0; made < 60; made++) {
    // The names are of tenants that are there: what is counted are the tries.
    await provision("acme");
  }
  await expect(provision("one-more")).rejects.toMatchObject({ code: "too_many_tenants", status: 429, headers: { "retry-after": "60" } });
  now = new Date("2026-01-01T00:01:00Z");
  expect(await provision("one-more")).toMatchObject({ tenantId: "one-more" });
});
