import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { Embedder } from "#embedding/embedder.ts";
import type { Splitter } from "#splitting/splitter.ts";
import type { JobProgress } from "#schema.ts";
import { fetchMirror } from "#source/mirror.ts";
import { beginBuild, confirmIndex, discardBuild, settleTables, sweepBuilds, switchBuild, type Build } from "#store/builds.store.ts";
import type { ClaimedJob } from "#store/leases.store.ts";
import { findTenant, type CodeIndexDatabase } from "#store/tenant.ts";
import { BrokenOff } from "./broken-off.ts";
import { buildIndex } from "./build-index.ts";

export type JobTools = {
  readonly database: CodeIndexDatabase;
  readonly embedder: Embedder | undefined;
  readonly splitter: Splitter;
  readonly dataDir: string;
  readonly allowFileUrls: boolean;
  readonly log: Logger;
  readonly clock: Clock;
};

type Running = {
  readonly job: ClaimedJob;
  readonly report: (progress: JobProgress) => void;
  readonly signal: AbortSignal;
};

/**
 * Brings a repository's index to its newest commit: fetch, write a build beside the one in use, switch, sweep.
 * An `incremental` job ends early when that commit is indexed already; otherwise every file is read again.
 * When it throws, the index in use is as it was.
 */
export async function runJob(tools: JobTools, { job, report, signal }: Running): Promise<void> {
  const { database, embedder, clock } = tools;
  const tenant = await findTenant(database, job.tenantId);
  if (tenant === undefined) {
    throw new Error(`The tenant ${job.tenantId} is not registered.`);
  }
  const mirror = await fetchMirror({
    dataDir: tools.dataDir,
    repoId: job.repoId,
    fullName: job.fullName,
    cloneUrl: job.cloneUrl,
    allowFileUrls: tools.allowFileUrls,
    fresh: job.attempt > 1,
    signal,
  });
  const identity = embedder?.identity.key ?? null;
  if (job.mode === "incremental" && job.indexedCommit === mirror.commit && job.embedder === identity) {
    await confirmIndex(database, { lease: job, commit: mirror.commit, now: clock.now() });
    return;
  }
  const build = await beginBuild(database, { schema: tenant.schema, repoId: job.repoId });
  try {
    const totals = await buildIndex({ ...tools, build, mirror, report, signal });
    signal.throwIfAborted();
    const { commit, defaultBranch } = mirror;
    const switched = await switchBuild(database, build, {
      lease: job,
      commit,
      defaultBranch,
      embedder: identity,
      totals,
      now: clock.now(),
    });
    if (!switched) {
      throw new Error("The job was given to another indexer before it was finished.");
    }
  } catch (error) {
    // Who stops has seconds; the job's next run sweeps what is left.
    if (!(error instanceof BrokenOff && error.why === "stopping")) {
      await discardQuietly(tools, build);
    }
    throw error;
  }
  await tidyUp(tools, build);
}

/** What a failed build has written is seen by nobody, and the next one sweeps it: no reason to hide why it failed. */
async function discardQuietly({ database, log }: JobTools, build: Build): Promise<void> {
  await discardBuild(database, build).catch((error: unknown) => log.warn({ err: error, build }, "a failed build was not deleted yet"));
}

/** The job has succeeded already; what is left over is swept by the next one. */
async function tidyUp({ database, log }: JobTools, build: Build): Promise<void> {
  try {
    await sweepBuilds(database, build);
    await settleTables(database, build);
  } catch (error) {
    log.warn({ err: error, build }, "older builds were not deleted yet");
  }
}
