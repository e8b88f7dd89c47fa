import { randomUUID } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { markRepository, removeRefs } from "#store/records/deletions.store.ts";
import { createDeveloperToken, listTokens, revokeToken } from "#http/access/developer-tokens.store.ts";
import { enqueueJob, getJob, listJobs, requestCancel } from "#store/records/jobs.store.ts";
import { codeIndexMigrations } from "./migrations.ts";
import { getRepository, listRepositories } from "#store/records/read-repositories.store.ts";
import { repositoriesInScope } from "./read-scope.store.ts";
import { hasCredential, lockRepository, ownRepositories, updateRepository } from "#store/records/repositories.store.ts";
import { readAs, ensureTenant, type Tenant } from "./tenant.ts";

/** What the stores do with the ids of another tenant, whoever calls them. */
let database: TestDatabase<CodeIndexTables>;
let one: Tenant;
let two: Tenant;
let repoId: string;
let jobId: string;
let tokenId: string;
let credentialId: string;

const now = new Date();

beforeAll(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  one = await ensureTenant(database, { tenantId: "t1", name: "one" });
  two = await ensureTenant(database, { tenantId: "t2", name: "two" });
  ({ repoId } = await seedBuild(database, { tenant: one, repo: "acme/mine", files: { "a.txt": "mine\n" } }));
  await seedBuild(database, { tenant: one, repo: "acme/mine", ref: "dev", files: { "a.txt": "mine\n" } });
  const job = await enqueueJob(database, { tenantId: "t1", repoId, mode: "full", trigger: "api", now });
  jobId = job.job_id;
  tokenId = (await createDeveloperToken(database, { tenantId: "t1", label: "l", createdBy: "u", now })).row.id;
  credentialId = randomUUID();
  await sql`
    insert into codeindex.credentials (id, tenant_id, name, kind, host, sealed_secret, created_by)
    values (${credentialId}, 't1', 'c', 'token', 'h', 's', 'u')`.execute(database.query);
});

afterAll(() => database.drop());

async function everything(): Promise<unknown> {
  const tables = ["repositories", "refs", "index_jobs", "developer_tokens", "credentials"];
  return Promise.all(
    tables.map(async (table) => (await sql`select * from ${sql.id("codeindex", table)} order by 1`.execute(database.query)).rows),
  );
}

test("nothing of another tenant is found by its id or listed", async () => {
  expect(await getRepository(database, { tenant: two, id: repoId })).toBeUndefined();
  expect(await listRepositories(database, { tenant: two, limit: 10 })).toEqual([]);
  expect(await getJob(database, { tenantId: "t2", jobId })).toBeUndefined();
  expect(await listJobs(database, { tenantId: "t2", limit: 10 })).toEqual([]);
  expect(await listTokens(database, { tenantId: "t2", limit: 10 })).toEqual([]);
  expect(await ownRepositories(database.query, { tenantId: "t2", ids: [repoId] })).toEqual(new Set());
  expect(await hasCredential(database.query, { tenantId: "t2", credentialId })).toBe(false);
  expect(await hasCredential(database.query, { tenantId: "t1", credentialId })).toBe(true);
});

test("nothing of another tenant is changed by its id", async () => {
  const before = await everything();
  expect(await requestCancel(database, { tenantId: "t2", jobId, now })).toBeUndefined();
  expect(await revokeToken(database, { tenantId: "t2", id: tokenId, now })).toBeUndefined();
  expect(await markRepository(database, { tenantId: "t2", repoId, now })).toBe(false);
  await expect(enqueueJob(database, { tenantId: "t2", repoId, mode: "full", trigger: "api", now })).rejects.toMatchObject({ status: 404 });
  await database.query.transaction().execute(async (transaction) => {
    expect(await lockRepository(transaction, { tenantId: "t2", repoId })).toBeUndefined();
    await updateRepository(transaction, { tenantId: "t2", repoId, clone_url: "https://example.org/stolen" });
    await removeRefs(transaction, { tenantId: "t2", repoId, names: ["dev"], now });
  });
  expect(await everything()).toEqual(before);
});

test("a scope that names another tenant's repository, by id or name, is empty", async () => {
  const found = (scope: object) => readAs(database, two, 1_000, (query) => repositoriesInScope(query, { tenant: two, ...scope }));
  expect(await found({})).toEqual([]);
  expect(await found({ repositories: [repoId] })).toEqual([]);
  expect(await found({ repo: "acme/mine" })).toEqual([]);
});

test("a repository is found by its name in either case", async () => {
  const found = await readAs(database, one, 1_000, (query) => repositoriesInScope(query, { tenant: one, repo: "ACME/Mine" }));
  expect(found).toMatchObject([{ id: repoId, repo: "acme/mine" }]);
});
