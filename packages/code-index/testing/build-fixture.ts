import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@sightline/foundation/clock";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createSourceAccess } from "#credentials/source-access.ts";
import { createEmbedder } from "#embedding/create-embedder.ts";
import type { Embedder } from "#embedding/embedder.ts";
import { runJob, type JobTools } from "#indexing/run-job.ts";
import type { CodeIndexTables, JobMode, JobProgress } from "#schema.ts";
import { createGrepLimit } from "#retrieval/grep/grep.ts";
import type { ReferenceDependencies } from "#retrieval/symbols/find-references.ts";
import { createNameFinder } from "#splitting/uses/name-finder.ts";
import { createSplitter, type Splitter } from "#splitting/splitter.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { claimJob, type ClaimedJob } from "#store/records/claim-job.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { testConfig } from "./test-config.ts";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";

/** What runs jobs, without an indexer that takes them from the queue: each is run when the test says so. */
export type BuildFixture = {
  readonly database: TestDatabase<CodeIndexTables>;
  readonly tools: JobTools;
  /** How many files were split, and texts embedded, so far. */
  readonly work: { split: number; embedded: number };
  readonly tenant: (name: string) => Promise<Tenant>;
  readonly register: (tenant: Tenant, fullName: string, url: string) => Promise<string>;
  readonly claim: (wanted: BuildOptions) => Promise<ClaimedJob>;
  /** What references are found by. */
  readonly finding: ReferenceDependencies;
  /** Asks for a job, claims and runs it. */
  readonly run: (wanted: BuildOptions, running?: Running) => Promise<ClaimedJob>;
  readonly stop: () => Promise<void>;
};

type BuildOptions = { readonly tenant: Tenant; readonly repoId: string; readonly mode?: JobMode; readonly ref?: string };
type Running = {
  readonly report?: (progress: JobProgress) => void;
  readonly signal?: AbortSignal;
  /** Called when what searches see is switched, before what was replaced is deleted. */
  readonly ended?: () => Promise<void>;
  /** Called before a file is split. */
  readonly beforeSplit?: () => Promise<void>;
};

export async function startBuildFixture(): Promise<BuildFixture> {
  const database = await createTestDatabase<CodeIndexTables>(codeIndexMigrations);
  const dataDir = await mkdtemp(join(tmpdir(), "sightline-data-"));
  const config = testConfig(dataDir);
  const shared = { database, log: silentLog, clock: systemClock };
  const work = { split: 0, embedded: 0 };
  const splitter = createSplitter({ log: silentLog });
  const finder = createNameFinder({ log: silentLog });
  const tools: JobTools = {
    ...shared,
    dataDir,
    mirrorBytes: 2 ** 30,
    sources: createSourceAccess({ ...shared, config }),
    splitter: {
      ...splitter,
      split: (...given) => {
        work.split++;
        return splitter.split(...given);
      },
    },
    embedder: counted(createEmbedder(config), work),
  };
  let claiming: Promise<unknown> = Promise.resolve();
  // One after the other: a claim takes whichever job is due.
  const claim = (wanted: BuildOptions) => {
    const claimed = claiming.then(() => claimNow(wanted));
    claiming = claimed.catch(() => undefined);
    return claimed;
  };
  const claimNow = async ({ tenant: { tenantId }, repoId, mode = "incremental", ref }: BuildOptions) => {
    const branch = ref === undefined ? {} : { ref };
    await enqueueJob(database, { tenantId, repoId, mode, ...branch, trigger: "api", now: new Date() });
    const job = await claimJob(database, { workerId: randomUUID(), now: new Date() });
    if (job?.repoId !== repoId) {
      throw new Error("Another job was claimed.");
    }
    return job;
  };
  return {
    database,
    finding: { database, finder, memory: createIndexMemory(), limit: createGrepLimit() },
    tools,
    work,
    claim,
    tenant: (name) => ensureTenant(database, { tenantId: name, name }),
    register: async ({ tenantId }, fullName, cloneUrl) => (await registerRepository(database, { tenantId, fullName, cloneUrl })).id,
    run: async (
      wanted,
      { report = () => undefined, signal = new AbortController().signal, ended = nothing, beforeSplit = nothing } = {},
    ) => {
      const job = await claim(wanted);
      const split: Splitter["split"] = async (...given) => {
        await beforeSplit();
        return tools.splitter.split(...given);
      };
      await runJob({ ...tools, splitter: { ...tools.splitter, split } }, { job, report, ended, signal });
      return job;
    },
    stop: async () => {
      await splitter.close();
      await finder.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function nothing(): Promise<void> {}

function counted(embedder: Embedder | undefined, work: { embedded: number }): Embedder | undefined {
  return embedder === undefined
    ? undefined
    : {
        ...embedder,
        embed: (texts, options) => {
          work.embedded += texts.length;
          return embedder.embed(texts, options);
        },
      };
}
