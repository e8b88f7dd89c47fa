import { randomUUID } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { sql, type Insertable } from "kysely";
import type { CodeIndexTables } from "#schema.ts";
import { enqueueJob, listJobs, type JobRow } from "#store/records/jobs.store.ts";
import { claimJob, type ClaimedJob } from "#store/records/claim-job.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { getRepository, type RepositoryRow } from "#store/records/read-repositories.store.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";

/** When every test of the queue begins. */
export const start = new Date("2026-01-01T00:00:00Z");
export const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

/** The queue on a real database, with the tenants `t1` and `t2`, and for each test a new repository of `t1`. */
export type JobQueue = {
  readonly database: TestDatabase<CodeIndexTables>;
  readonly tenant: Tenant;
  readonly repository: () => RepositoryRow;
  /** Forgets all repositories and makes a new one. */
  readonly clear: () => Promise<void>;
  readonly enqueue: (changes?: Partial<Parameters<typeof enqueueJob>[1]>) => Promise<JobRow>;
  /** First builds of as many other repositories. */
  readonly enqueueMany: (count: number) => Promise<void>;
  readonly claim: (workerId: string, now?: Date) => Promise<ClaimedJob | undefined>;
  /** The repository as it is now. */
  readonly reload: () => Promise<RepositoryRow | undefined>;
  /** Of all jobs of `t1`, the newest first. */
  readonly statuses: () => Promise<readonly string[]>;
  readonly register: (tenantId?: string) => Promise<RepositoryRow>;
  /** A branch of the repository: `main`, unless it says otherwise. */
  readonly addRef: (changes: Partial<Insertable<CodeIndexTables["codeindex.refs"]>>) => Promise<void>;
  /** Has the job ended well. */
  readonly succeed: (job: ClaimedJob | undefined) => Promise<void>;
};

export async function createJobQueue(): Promise<JobQueue> {
  const database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  const tenant = await ensureTenant(database, { tenantId: "t1", name: "one" });
  const { tenantId } = tenant;
  await ensureTenant(database, { tenantId: "t2", name: "two" });
  let number = 0;
  const register = (of = tenantId) =>
    registerRepository(database, { tenantId: of, fullName: `o/r${(number += 1)}`, cloneUrl: `file:///${number}` });
  let repository = await register();

  return {
    database,
    tenant,
    repository: () => repository,
    clear: async () => {
      await database.query.deleteFrom("codeindex.repositories").execute();
      await database.query.updateTable("codeindex.tenants").set({ served_at: null, served_mode: null }).execute();
      repository = await register();
    },
    enqueue: (changes = {}) =>
      enqueueJob(database, { tenantId, repoId: repository.id, mode: "full", trigger: "api", now: start, ...changes }),
    enqueueMany: async (count) => {
      await sql`
        insert into codeindex.repositories (id, tenant_id, full_name, clone_url)
        select gen_random_uuid(), ${tenantId}, 'o/many' || n, 'file:///many' from generate_series(1, ${count}) as n
      `.execute(database.query);
      await sql`
        insert into codeindex.index_jobs (job_id, repo_id, tenant_id, mode, trigger, not_before)
        select gen_random_uuid(), id, ${tenantId}, 'full', 'registration', ${start}
        from codeindex.repositories where full_name like 'o/many%'
      `.execute(database.query);
    },
    claim: (workerId, now = start) => claimJob(database, { workerId, now }),
    reload: () => getRepository(database, { tenant, id: repository.id }),
    statuses: async () => (await listJobs(database, { tenantId, limit: 10 })).map(({ status }) => status),
    register,
    addRef: async (changes) => {
      await database.query
        .insertInto("codeindex.refs")
        .values({ ref_id: randomUUID(), repo_id: repository.id, tenant_id: tenantId, name: "main", is_default: false, ...changes })
        .execute();
    },
    succeed: async (job) => {
      await database.query
        .updateTable("codeindex.index_jobs")
        .set({ status: "succeeded", completed_at: start })
        .where("job_id", "=", job?.jobId ?? "")
        .execute();
    },
  };
}
