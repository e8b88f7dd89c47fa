import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { randomUUID } from "node:crypto";
import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CodeIndexTables } from "#schema.ts";
import { markRepository, markTenant, removeRefs } from "#store/records/deletions.store.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { claimJob } from "#store/records/claim-job.store.ts";
import { renewLease } from "#store/records/leases.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { ensureTenant, findTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { deleteMarked } from "./delete-marked.ts";

let database: TestDatabase<CodeIndexTables>;
let one: Tenant;
let two: Tenant;

beforeEach(async () => {
  database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  one = await ensureTenant(database, { tenantId: "t1", name: "one" });
  two = await ensureTenant(database, { tenantId: "t2", name: `T"wo` });
});

afterEach(() => database.drop());

const round = (signal = new AbortController().signal) =>
  deleteMarked({ database, log: silentLog, clock: systemClock, each: eachOwnerUnderTest(), signal });
const now = () => new Date();
/** One round alone takes seconds on a busy cluster. */
const PATIENCE = { timeout: 60_000 };

/** The tenant's own tables and the service's, with how many rows each has. */
async function rowsOf({ schema, tenantId }: Tenant): Promise<Record<string, number>> {
  const { rows } = await sql<{ table: string }>`
    select table_name as table from information_schema.tables where table_schema = ${schema} and table_type = 'BASE TABLE' order by 1
  `.execute(database.query);
  const counts: Record<string, number> = {};
  for (const { table } of rows) {
    const { rows: counted } = await sql<{ count: number }>`select count(*) from ${sql.id(schema, table)}`.execute(database.query);
    counts[table] = counted[0]?.count ?? 0;
  }
  for (const table of ["repositories", "refs", "index_jobs", "developer_tokens", "credentials", "webhook_deliveries", "previews"]) {
    const { rows: counted } = await sql<{ count: number }>`
      select count(*) from ${sql.id("codeindex", table)} where tenant_id = ${tenantId}`.execute(database.query);
    counts[`codeindex.${table}`] = counted[0]?.count ?? 0;
  }
  return counts;
}

const SHARED = { "shared.txt": "both repositories hold this\n" };

/** A repository with rows in every table of the service. */
async function seed(tenant: Tenant, repo: string, files: Readonly<Record<string, string>> = {}, history = 3): Promise<string> {
  const { repoId } = await seedBuild(database, { tenant, repo, files: { ...SHARED, ...files } });
  const of = { repo_id: repoId, tenant_id: tenant.tenantId };
  await sql`
    insert into codeindex.index_jobs (job_id, repo_id, tenant_id, mode, trigger, status, completed_at)
    select gen_random_uuid(), ${of.repo_id}, ${of.tenant_id}, 'full', 'api', 'succeeded', now() from generate_series(1, ${history}::int)`.execute(
    database.query,
  );
  await sql`
    insert into codeindex.webhook_deliveries (id, tenant_id, repo_id, provider, delivery_id, event, full_name, push, status, received_at)
    select gen_random_uuid(), ${of.tenant_id}, ${of.repo_id}, 'github', number::text, 'push', ${repo}, '{}', 'accepted', now()
    from generate_series(1, ${history}::int) as number`.execute(database.query);
  await sql`
    insert into codeindex.previews (repo_id, tenant_id, status, requested_at) values (${of.repo_id}, ${of.tenant_id}, 'ready', now())
  `.execute(database.query);
  return repoId;
}

async function addSecrets({ tenantId }: Tenant): Promise<void> {
  await sql`
    insert into codeindex.credentials (id, tenant_id, name, kind, host, sealed_secret, created_by)
    values (gen_random_uuid(), ${tenantId}, 'c', 'token', 'h', 's', 't')`.execute(database.query);
  await sql`
    insert into codeindex.developer_tokens (id, tenant_id, token_hash, token_prefix, label, created_by)
    values (gen_random_uuid(), ${tenantId}, ${randomUUID()}, 'p', 'l', 't')`.execute(database.query);
}

test("a deleted repository leaves nothing behind, and what others share with it stays", async () => {
  const kept = await seed(one, "acme/kept");
  const before = await rowsOf(one);
  const gone = await seed(one, "acme/gone", { "own.txt": "only here\n\nand here\n" }, 2_500);
  expect(await markRepository(database, { tenantId: "t1", repoId: gone, now: now() })).toBe(true);
  expect(await markRepository(database, { tenantId: "t1", repoId: gone, now: now() })).toBe(false);
  expect(await round()).toBe(true);
  const after = await rowsOf(one);
  expect({ ...after, segments: 0, postings: 0 }).toEqual({ ...before, segments: 0, postings: 0 });
  const left = await sql<{ id: string }>`select id from codeindex.repositories`.execute(database.query);
  expect(left.rows).toEqual([{ id: kept }]);
  expect(await round()).toBe(false);
});

test("a deleted tenant leaves no schema, no role and no row, and another tenant notices nothing", async () => {
  await seed(one, "acme/app", {}, 2_500);
  await seed(two, "acme/app");
  await addSecrets(one);
  await addSecrets(two);
  const before = await rowsOf(two);
  expect(await markTenant(database, { name: "one", now: now() })).toBe("t1");
  expect(await markTenant(database, { name: "one", now: now() })).toBeUndefined();
  expect(await findTenant(database, "t1")).toBeUndefined();
  expect(await rowsOf(one)).toMatchObject({ "codeindex.developer_tokens": 0, "codeindex.credentials": 0 });
  await expect(ensureTenant(database, { tenantId: "t1", name: "one" })).rejects.toMatchObject({ code: "tenant_deleting", status: 409 });

  expect(await round()).toBe(true);
  expect(Object.entries(await rowsOf(one)).filter(([, count]) => count > 0)).toEqual([]);
  const { rows } = await sql<{ schemas: number; roles: number; tenants: number }>`
    select (select count(*) from pg_namespace where nspname = 'tenant_one') as schemas,
      (select count(*) from pg_roles where rolname = ${one.role}) as roles,
      (select count(*) from codeindex.tenants where tenant_id = 't1') as tenants
  `.execute(database.query);
  expect(rows).toEqual([{ schemas: 0, roles: 0, tenants: 0 }]);
  expect(await rowsOf(two)).toEqual(before);
});

test("a tenant may come again under its name, empty", async () => {
  await seed(one, "acme/app");
  await markTenant(database, { name: "one", now: now() });
  await round();
  const again = await ensureTenant(database, { tenantId: "t1", name: "one" });
  expect(Object.entries(await rowsOf(again)).filter(([, count]) => count > 0)).toEqual([]);
});

test("the name of a repository may be given again while the old one is still being removed", async () => {
  const old = await seed(one, "acme/again");
  await markRepository(database, { tenantId: "t1", repoId: old, now: now() });
  const registering = { tenantId: "t1", fullName: "ACME/again", cloneUrl: "https://example.org/a" };
  const { id } = await registerRepository(database, registering);
  await round();
  const { rows } = await sql`select id from codeindex.repositories where tenant_id = 't1'`.execute(database.query);
  expect(rows).toEqual([{ id }]);
});

test("jobs of what is deleted end at once, none is made any more, and a worker that still writes is waited for", async () => {
  const repoId = await seed(one, "acme/busy");
  const asking = { tenantId: "t1", repoId, mode: "full", trigger: "api", now: now() } as const;
  await enqueueJob(database, asking);
  const job = await claimJob(database, { workerId: "w", now: now() });
  await enqueueJob(database, { ...asking, ref: "dev" });
  await markRepository(database, { tenantId: "t1", repoId, now: now() });
  const { rows } = await sql`select status, cancel_requested from codeindex.index_jobs where completed_at is null or ref = 'dev'`.execute(
    database.query,
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      { status: "running", cancel_requested: true },
      { status: "cancelled", cancel_requested: true },
    ]),
  );
  await expect(enqueueJob(database, asking)).rejects.toMatchObject({ code: "repository_not_found" });
  expect(await round()).toBe(false);
  expect((await rowsOf(one))["codeindex.repositories"]).toBe(1);
  const lease = { jobId: job?.jobId ?? "", workerId: "w" };
  expect(await renewLease(database, { ...lease, now: now(), progress: undefined })).toBe("cancelled");
  // The worker dies instead of stopping.
  await sql`update codeindex.index_jobs set heartbeat_at = now() - interval '2 minutes' where status = 'running'`.execute(database.query);
  expect(await round()).toBe(true);
  expect((await rowsOf(one))["codeindex.repositories"]).toBe(0);
});

test("a deletion that is broken off anywhere is finished by the next one", async () => {
  for (let statements = 1, finished = false; !finished; statements += 3) {
    await seed(one, "acme/broken", { "own.txt": `only here ${statements}\n` });
    const { rows } = await sql<{ id: string }>`select id from codeindex.repositories where deleting_at is null`.execute(database.query);
    await markRepository(database, { tenantId: "t1", repoId: rows[0]?.id ?? "", now: now() });
    finished = await breakingOff(statements);
    await round();
    expect(Object.entries(await rowsOf(one)).filter(([table, count]) => count > 0 && table !== "segments")).toEqual([]);
  }
});

test("a tenant whose deletion is broken off anywhere is deleted by the next one", async () => {
  for (let statements = 1, finished = false; !finished; statements += 2) {
    const tenant = await ensureTenant(database, { tenantId: "t3", name: "three" });
    await seed(tenant, "acme/broken");
    await markTenant(database, { name: "three", now: now() });
    finished = await breakingOff(statements);
    await vi.waitFor(async () => {
      await round();
      const { rows } = await sql`select from codeindex.tenants where tenant_id = 't3'`.execute(database.query);
      expect(rows).toEqual([]);
    }, PATIENCE);
    const { rows } = await sql`select from pg_roles where rolname = ${tenant.role}`.execute(database.query);
    expect(rows).toEqual([]);
  }
});

test("more repositories of a tenant than a round takes, none of which can be deleted, stand in nobody's way", PATIENCE, async () => {
  await sql`
    insert into codeindex.repositories (id, tenant_id, full_name, clone_url, deleting_at)
    select gen_random_uuid(), 't1', 'o/many' || n, 'file:///many' || n, '2026-01-01' from generate_series(1, 25) as n`.execute(
    database.query,
  );
  await sql`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(database.query);
  await sql`
    create trigger refused before delete on codeindex.repositories for each row when (old.tenant_id = 't1') execute function public.refuse()`.execute(
    database.query,
  );
  const repoId = await seed(two, "acme/d");
  await markRepository(database, { tenantId: "t2", repoId, now: now() });
  await round();
  const { rows } = await sql`select from codeindex.repositories where tenant_id = 't2'`.execute(database.query);
  expect(rows).toEqual([]);
});

/** Lets so many statements through and fails the others, as a process that dies would. Returns whether all went through. */
async function breakingOff(statements: number): Promise<boolean> {
  let left = statements;
  const query = database.query.withPlugin({
    transformQuery: ({ node }) => {
      left -= 1;
      if (left < 0) {
        throw new Error("killed");
      }
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const { signal } = new AbortController();
  await deleteMarked({ database: { ...database, query }, log: silentLog, clock: systemClock, each: eachOwnerUnderTest(), signal }).catch(
    () => undefined,
  );
  return left >= 0;
}

test("four indexers that delete at once do it once, and none fails", needsRealPostgres, async () => {
  for (const repo of ["acme/a", "acme/b", "acme/c"]) {
    const repoId = await seed(one, repo, { [`${repo}.txt`]: "own\n" });
    await markRepository(database, { tenantId: "t1", repoId, now: now() });
  }
  await seed(two, "acme/d");
  await markTenant(database, { name: `T"wo`, now: now() });
  const warnings: unknown[] = [];
  const log = {
    ...silentLog,
    info: () => undefined,
    warn: (...line: unknown[]) => void warnings.push(line),
  } as unknown as typeof silentLog;
  const { signal } = new AbortController();
  await Promise.all(
    Array.from({ length: 4 }, () => deleteMarked({ database, log, clock: systemClock, each: eachOwnerUnderTest(), signal })),
  );
  await round();
  expect(Object.entries(await rowsOf(one)).filter(([table, count]) => count > 0 && table !== "segments")).toEqual([]);
  expect((await sql`select from codeindex.tenants where tenant_id = 't2'`.execute(database.query)).rows).toEqual([]);
  expect(warnings).toEqual([]);
});

test("contents of a branch that is taken away are swept, those of the others stay", async () => {
  await seedBuild(database, { tenant: one, repo: "acme/app", files: SHARED });
  const before = await rowsOf(one);
  const { repoId } = await seedBuild(database, {
    tenant: one,
    repo: "acme/app",
    ref: "dev",
    files: { ...SHARED, "dev.txt": "only in dev\n" },
  });
  const lateJob = await jobOf(repoId, "dev");
  await database.query
    .transaction()
    .execute((transaction) => removeRefs(transaction, { tenantId: "t1", repoId, names: ["dev"], now: now() }));
  expect(await round()).toBe(false);
  await bringBack(repoId, "dev", lateJob);
  expect(await round()).toBe(true);
  const ignored = { segments: 0, postings: 0, "codeindex.index_jobs": 1 };
  expect({ ...(await rowsOf(one)), ...ignored }).toEqual({ ...before, ...ignored });
  expect(await round()).toBe(false);
});

async function jobOf(repoId: string, ref: string): Promise<string> {
  const { rows } = await sql<{ job_id: string }>`
    insert into codeindex.index_jobs (job_id, repo_id, tenant_id, ref, mode, trigger, status, heartbeat_at)
    values (gen_random_uuid(), ${repoId}, 't1', ${ref}, 'full', 'api', 'running', now()) returning job_id
  `.execute(database.query);
  return rows[0]?.job_id ?? "";
}

/** What a job does that ends in the very moment its branch is taken away. */
async function bringBack(repoId: string, ref: string, jobId: string): Promise<void> {
  await sql`
    with job as (update codeindex.index_jobs set status = 'succeeded', completed_at = now() where job_id = ${jobId} returning repo_id)
    insert into codeindex.refs (ref_id, repo_id, tenant_id, name, is_default, generation)
    select gen_random_uuid(), repo_id, 't1', ${ref}, false, (select max(generation) from tenant_one.builds where repo_id = ${repoId}) from job
  `.execute(database.query);
}
