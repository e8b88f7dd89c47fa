import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { Embedder } from "#embedding/embedder.ts";
import type { JobProgress } from "#schema.ts";
import type { SourceAccess } from "#credentials/source-access.ts";
import { fetchMirror, type Mirror } from "#git/mirror.ts";
import { SourceError } from "#git/source-error.ts";
import type { Splitter } from "#splitting/splitter.ts";
import { beginBuild, listFiles, type Build } from "#store/index/builds.store.ts";
import type { ClaimedJob } from "#store/records/claim-job.store.ts";
import { dropBranch, findLive } from "./refs.store.ts";
import { settleTables } from "#store/index/settle-tables.store.ts";
import { discardBuild, sweepTenant } from "#store/index/sweep.store.ts";
import { applyBuild, confirmBuild, switchBuild } from "#indexing/build/switch.store.ts";
import { findTenant, type CodeIndexDatabase, type Tenant } from "#store/tenancy/tenant.ts";
import { awaitVectors, ensureEmbedder } from "#store/index/vectors.store.ts";
import { writeVisible } from "#indexing/build/visible.store.ts";
import { StoppingError } from "@sightline/foundation/repeat";
import { buildIndex } from "#indexing/build/build-index.ts";
import { createPostingsMemory, type PostingsMemory } from "#indexing/build/postings-memory.ts";
import { mergeSegments } from "#indexing/build/merge-segments.ts";
import { planChanges, planWhole, type BuildPlan } from "#indexing/build/plan-build.ts";

export type JobTools = {
  readonly database: CodeIndexDatabase;
  readonly embedder: Embedder | undefined;
  readonly splitter: Splitter;
  readonly sources: SourceAccess;
  readonly dataDir: string;
  /** What the mirror of one repository may grow to. */
  readonly mirrorBytes: number;
  /** Shared by the builds of a process. */
  readonly postingsMemory?: PostingsMemory;
  readonly log: Logger;
  readonly clock: Clock;
};

type Running = {
  readonly job: ClaimedJob;
  readonly report: (progress: JobProgress) => void;
  /** Called once the job has ended well: what follows only tidies up. */
  readonly ended: () => Promise<void>;
  readonly signal: AbortSignal;
};

/** More are switched to as a whole, so that the transaction that applies them stays short. */
const MAX_CHANGES = 5_000;

/**
 * Brings a branch's index to its newest commit: fetch, write a build beside the one in use, switch, sweep. An `incremental`
 * job writes the paths that changed and applies them to what searches see; a `full` one writes the set of files anew.
 * When it throws, the index in use is as it was.
 */
export async function runJob(tools: JobTools, running: Running): Promise<void> {
  const { database } = tools;
  const { job, signal } = running;
  const tenant = await findTenant(database, job.tenantId);
  if (tenant === undefined) {
    throw new Error(`The tenant ${job.tenantId} is not registered.`);
  }
  const mirror = await fetchBranch(tools, running);
  if (mirror === undefined) {
    await running.ended();
    await sweep(tools, tenant);
    return;
  }
  const of = { tenantId: tenant.tenantId, schema: tenant.schema, role: tenant.role, repoId: job.repoId, ref: mirror.ref };
  const live = await findLive(database, of);
  const whole = await planWhole({ mirror, include: job.include, exclude: job.exclude, signal });
  const changes =
    live === undefined || job.mode === "full"
      ? undefined
      : planChanges(whole, await listFiles(database, { ...of, generation: live.generation }));
  const size = changes === undefined ? 0 : countPaths(changes);
  const now = () => tools.clock.now();
  const indexed = { lease: job, commit: mirror.commit, isDefault: mirror.isDefault, pushes: job.pushesSeen, entries: whole.entries };
  if (live !== undefined && changes !== undefined && size === 0) {
    expectSwitched(await confirmBuild(database, { ...of, ...indexed, live: live.generation, now: now() }));
    await running.ended();
    // What a job left that was killed after its switch.
    await sweep(tools, tenant);
    return;
  }
  const build = await beginBuild(database.query, { ...of, lease: job, now: now() });
  const applies = live !== undefined && changes !== undefined && size <= MAX_CHANGES;
  const plan = applies ? changes : whole;
  try {
    await writeBuild(tools, running, { tenant, build, mirror, plan });
    signal.throwIfAborted();
    if (applies) {
      expectSwitched(await applyBuild(database, build, { ...indexed, live: live.generation, removed: changes.removed, now: now() }));
    } else {
      await writeVisible(database, build);
      expectSwitched(await switchBuild(database, build, { ...indexed, now: now() }));
    }
  } catch (error) {
    // A process that stops has only seconds; the job's next run sweeps what is left.
    if (!(error instanceof StoppingError)) {
      await quietly(tools, build, () => discardBuild(database, build));
    }
    throw error;
  }
  await running.ended();
  // What is left over is swept by the next job.
  await quietly(tools, build, async () => {
    await sweepTenant(database, build);
    if (await mergeSegments(database, tenant)) {
      await sweepTenant(database, build);
    }
    await settleTables(database, build, { paths: countPaths(plan) });
  });
}

/** `undefined` when the branch does not exist any more: it was taken out of the searches then, and the job has ended. */
async function fetchBranch(tools: JobTools, { job, signal }: Running): Promise<Mirror | undefined> {
  const { database, sources, dataDir, mirrorBytes: maxBytes } = tools;
  const [ref, fresh] = [job.ref ?? undefined, job.attempt > 2];
  try {
    return await sources.reach(job, signal, (remote) =>
      fetchMirror({ ...remote, dataDir, repoId: job.repoId, ref, fresh, maxBytes, signal }),
    );
  } catch (error) {
    const isGone = ref !== undefined && error instanceof SourceError && error.problem === "branch_missing";
    if (isGone && (await dropBranch(database, { lease: job, repoId: job.repoId, ref, now: tools.clock.now() }))) {
      return undefined;
    }
    throw error;
  }
}

type Writing = { readonly tenant: Tenant; readonly build: Build; readonly mirror: Mirror; readonly plan: BuildPlan };

async function writeBuild(tools: JobTools, { report, signal }: Running, { tenant, build, mirror, plan }: Writing): Promise<void> {
  const { database, embedder, splitter, postingsMemory: memory = createPostingsMemory() } = tools;
  const embedderId = embedder === undefined ? undefined : await ensureEmbedder(database, tenant, embedder.identity);
  const local = embedder?.local === true && embedderId !== undefined ? { embedder, embedderId } : undefined;
  const writing = { database, build, embedder: local, memory, signal };
  await buildIndex({ ...writing, plan, mirror, splitter, report });
  if (embedderId !== undefined) {
    await awaitVectors(database, build);
  }
}

function countPaths({ files, skipped, removed }: BuildPlan): number {
  return files.length + skipped.length + removed.length;
}

function expectSwitched(switched: boolean): void {
  if (!switched) {
    throw new Error("The job was given to another indexer, or its repository deleted, before it was finished.");
  }
}

async function sweep(tools: JobTools, tenant: Tenant): Promise<void> {
  await quietly(tools, tenant, () => sweepTenant(tools.database, tenant));
}

/** A failed clean-up is only logged: it must not hide how the job ended. */
async function quietly({ log }: JobTools, of: Build | Tenant, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => log.warn({ err: error, of }, "what a build left was not deleted yet"));
}
