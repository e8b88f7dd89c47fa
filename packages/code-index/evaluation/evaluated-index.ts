import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import type { EmbeddingConfig } from "#config.ts";
import { createSourceAccess } from "#credentials/source-access.ts";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { createTenantBackfill } from "#indexing/embedding/embed-tenant.ts";
import { runJob } from "#indexing/run-job.ts";
import type { CodeIndexTables } from "#schema.ts";
import { createSplitter, type Splitter } from "#splitting/splitter.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { claimJob } from "#store/records/claim-job.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { ensureTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import { testConfig } from "#testing/test-config.ts";
import { fillHistory } from "./fill-history.ts";
import type { Checkout } from "./git.ts";

/** An index of its own on the PostgreSQL given, filled by the indexer's own jobs. */
export type EvaluatedIndex = {
  readonly database: CodeIndexDatabase;
  readonly tenant: Tenant;
  readonly splitter: Splitter;
  readonly embedding: EmbeddingConfig;
  /** Indexes a checkout, unless a kept index has it. */
  readonly add: (repo: string, checkout: Checkout) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A model on the cores that this runs on, too, answers in its own time. */
const PATIENT_MS = 600_000;

type Opening = {
  readonly server: string;
  readonly embedding: EmbeddingConfig;
  /** The database that the index stays in; dropped again when left out. */
  readonly keptAs: string | undefined;
};

export async function openEvaluatedIndex({ server, embedding, keptAs }: Opening): Promise<EvaluatedIndex> {
  const options = { poolSize: 10, applicationName: "sightline-eval", log: silentLog };
  const maintenance = createDatabase({ ...options, url: server, poolSize: 1 });
  const { rowCount: known } = await maintenance.pool.query("select from pg_database where datname = $1", [keptAs]);
  const isKnown = known === 1;
  // It has its name for good once it is whole.
  const name = isKnown && keptAs !== undefined ? keptAs : `eval_${randomBytes(8).toString("hex")}`;
  if (!isKnown) {
    await maintenance.pool.query(`create database ${name}`);
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = createDatabase<CodeIndexTables>({ ...options, url: url.toString() });
  await migrateUp(database.pool, codeIndexMigrations);
  const tenant = await ensureTenant(database, { tenantId: "eval", name: "eval" });
  const dataDir = await mkdtemp(join(tmpdir(), "sightline-eval-data-"));
  const shared = { database, log: silentLog, clock: systemClock };
  const splitter = createSplitter({ log: silentLog });
  const sources = createSourceAccess({ ...shared, config: testConfig(dataDir) });
  const tools = {
    ...shared,
    dataDir,
    mirrorBytes: 2 ** 30,
    sources,
    splitter,
    embedder: createEmbedder(embedding, { timeoutMs: PATIENT_MS }),
  };
  let isWhole = false;
  return {
    database,
    tenant,
    splitter,
    embedding,
    add: async (repo, checkout) => {
      if (isKnown) {
        return;
      }
      await checkout.commit();
      const { id: repoId } = await registerRepository(database, { tenantId: tenant.tenantId, fullName: repo, cloneUrl: checkout.url });
      await enqueueJob(database, { tenantId: tenant.tenantId, repoId, mode: "full", trigger: "api", now: new Date() });
      const job = await claimJob(database, { workerId: randomUUID(), now: new Date() });
      if (job?.repoId !== repoId) {
        throw new Error("Another job was claimed.");
      }
      const { signal } = new AbortController();
      await runJob(tools, { job, report: () => undefined, ended: () => Promise.resolve(), signal });
      await fillHistory(database, { tenant, repoId, ref: "main" }, checkout.source);
      if (tools.embedder?.local === false) {
        const filling = { ...shared, embedder: tools.embedder, leaseMs: PATIENT_MS, signal };
        const backfill = createTenantBackfill(filling, tenant);
        while ((await backfill.step()) === "worked" || !backfill.settled()) {
          // All of them are to be there before anything is asked.
        }
      }
      isWhole = true;
    },
    close: async () => {
      await splitter.close();
      await database.close();
      if (keptAs === undefined || (!isKnown && !isWhole)) {
        const { role } = tenant;
        await maintenance.pool.query(`drop database ${name} with (force)`);
        if (role !== null) {
          await maintenance.pool.query(`drop role if exists "${role}"`);
        }
      } else if (!isKnown) {
        await maintenance.pool.query(`alter database ${name} rename to ${keptAs}`);
      }
      await maintenance.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
