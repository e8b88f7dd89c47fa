import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "@sightline/foundation/clock";
import type { Check } from "@sightline/foundation/health";
import type { Logger } from "@sightline/foundation/log";
import { repeat, type RepeatedTask } from "@sightline/foundation/repeat";
import type { CodeIndexConfig, EmbeddingConfig } from "#config.ts";
import { createSourceAccess, type SourceAccessOptions } from "#credentials/source-access.ts";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { listBranches } from "#git/branches.ts";
import { sweepPrivateFolders } from "#git/private-folder.ts";
import { mirrorsVersion, removeStrayMirrors, tidyMirrors } from "#git/tidy-mirrors.ts";
import { listIndexedBranches } from "./refs.store.ts";
import { forgetCallers } from "#store/records/call-limit.store.ts";
import { pruneDeliveries } from "#webhooks/deliveries.store.ts";
import { claimJob } from "#store/records/leases.store.ts";
import { createWaitingWork, type WaitingWork } from "#store/records/waiting-work.store.ts";
import { deleteOldJobs } from "./housekeeping.store.ts";
import { createSplitter } from "#splitting/splitter.ts";
import { migrateTenants, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { deleteMarked } from "#tenants/delete-marked.ts";
import { createPoll } from "#webhooks/poll.ts";
import { createBackfill } from "#indexing/embedding/embed-pending.ts";
import { indexVectors } from "#indexing/embedding/index-vectors.ts";
import { keepOneHistory } from "#indexing/history/keep-history.ts";
import { createPostingsMemory } from "#indexing/build/postings-memory.ts";
import { makePreview } from "./preview.ts";
import type { JobTools } from "./run-job.ts";
import { workOn } from "./work-on.ts";

export type IndexerOptions = {
  readonly config: Pick<
    CodeIndexConfig,
    | "CODEINDEX_DATA_DIR"
    | "CODEINDEX_HISTORY_COMMITS"
    | "CODEINDEX_INDEXER_CONCURRENCY"
    | "CODEINDEX_MIRROR_MAX_MB"
    | "CODEINDEX_POLL_MINUTES"
  > &
    SourceAccessOptions["config"] &
    EmbeddingConfig;
  readonly database: CodeIndexDatabase;
  readonly log: Logger;
  readonly clock: Clock;
};

export type Indexer = {
  readonly start: () => Promise<void>;
  /** Gives running jobs back to the queue, and returns when that is done. */
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
};

/** Pause between two reads of an empty queue: a push waits half of it on average. */
const POLL_MS = 300;
const POLL_REST_MS = 600;

/** Pause between two searches for rows that are marked to be deleted. */
const DELETIONS_MS = 2_000;
const DELETIONS_REST_MS = 8_000;

/** Between two looks for mirrors that nobody needs: somebody's code is not to stay on a disk for long. */
const MIRRORS_MS = 600_000;

/** Pause between two searches for tenants whose vectors are worth an index. */
const VECTORS_MS = 60_000;

const HOUR_MS = 3_600_000;

/** Takes jobs from the queue and runs them, and does all other work in the background; any number of processes may. */
export function createIndexer({ config, database, log, clock }: IndexerOptions): Indexer {
  const splitter = createSplitter({ log });
  const sources = createSourceAccess({ config, database, log, clock, dataDir: config.CODEINDEX_DATA_DIR });
  const tools: JobTools = {
    database,
    sources,
    splitter,
    log,
    clock,
    embedder: createEmbedder(config),
    dataDir: config.CODEINDEX_DATA_DIR,
    mirrorBytes: config.CODEINDEX_MIRROR_MAX_MB * 1_048_576,
    postingsMemory: createPostingsMemory(),
  };
  const waiting = createWaitingWork(database, clock);
  const backfill = createBackfill({ database, embedder: tools.embedder, log, clock });
  const background = repeat({
    log,
    tasks: [
      ...lanes(tools, config.CODEINDEX_INDEXER_CONCURRENCY, waiting),
      {
        name: "making previews",
        everyMs: POLL_MS,
        restMs: POLL_REST_MS,
        run: async (signal) => (await waiting()).previews && makePreview(tools, signal),
      },
      { name: "indexing vectors", everyMs: VECTORS_MS, run: (signal) => indexVectors(tools, signal) },
      { name: "tidying mirrors", everyMs: MIRRORS_MS, run: (signal) => tidy(tools, signal) },
      ...histories(tools, config.CODEINDEX_HISTORY_COMMITS),
      ...polls(tools, config.CODEINDEX_POLL_MINUTES),
      { name: "deleting old deliveries", everyMs: HOUR_MS, run: () => pruneDeliveries(database, { now: clock.now() }) },
      { name: "deleting old jobs", everyMs: HOUR_MS, run: () => deleteOldJobs(database, { now: clock.now() }) },
      { name: "forgetting callers", everyMs: HOUR_MS, run: () => forgetCallers(database) },
      { name: "deleting what is marked", everyMs: DELETIONS_MS, restMs: DELETIONS_REST_MS, run: createDeletion(tools) },
    ],
  });

  return {
    checks: [database.check],
    start: async () => {
      await migrateTenants(database, log);
      await sweepPrivateFolders();
      background.start();
      await backfill.start();
    },
    stop: async () => {
      await Promise.all([background.stop(), backfill.stop()]);
      await splitter.close();
    },
  };
}

async function tidy({ dataDir, database, log }: JobTools, signal: AbortSignal): Promise<boolean> {
  await tidyMirrors({ dataDir, listRepositories: () => listIndexedBranches(database), log, signal });
  return false;
}

/**
 * Deletes what is marked, and its mirrors on this machine; other indexers remove theirs when they look at them next. A mirror is
 * looked for again when one came: whoever fetched while its repository was deleted makes its folder anew.
 */
function createDeletion({ dataDir, ...tools }: JobTools): (signal: AbortSignal) => Promise<boolean> {
  const listRepositories = () => listIndexedBranches(tools.database);
  let seen: bigint | undefined;
  return async (signal) => {
    const done = await deleteMarked({ ...tools, signal });
    const version = await mirrorsVersion(dataDir);
    if (done || version !== seen) {
      await removeStrayMirrors({ dataDir, listRepositories, signal });
      seen = version;
    }
    return done;
  };
}

/** One job at a time in each. The last takes only what is over soon, so that a push never waits for first builds. */
function lanes(tools: JobTools, count: number, waiting: () => Promise<WaitingWork>): readonly RepeatedTask[] {
  const { database, clock } = tools;
  const worker = `${hostname()}:${process.pid}:${randomUUID()}`;
  let claiming: Promise<unknown> = Promise.resolve();
  // One after the other: each has to see whose jobs the others took.
  const claim = (lane: number) => {
    const claimed = claiming.then(() => claimJob(database, { workerId: `${worker}:${lane}`, now: clock.now(), small: lane === count }));
    claiming = claimed.catch(() => undefined);
    return claimed;
  };
  return Array.from({ length: count + 1 }, (_, lane) => ({
    name: `working on the queue, lane ${lane}`,
    everyMs: POLL_MS,
    restMs: POLL_REST_MS,
    run: async (signal: AbortSignal) => {
      const job = (await waiting()).jobs ? await claim(lane) : undefined;
      if (job !== undefined) {
        await workOn(tools, job, signal);
      }
      return job !== undefined;
    },
  }));
}

/** Pause between two searches for a branch whose history is behind its index. */
const HISTORIES_MS = 2_000;
const HISTORIES_REST_MS = 8_000;
/** Histories that are fetched at once. */
const HISTORIES = 2;

function histories(tools: JobTools, depth: number): readonly RepeatedTask[] {
  const run = (signal: AbortSignal) => keepOneHistory({ ...tools, depth }, signal);
  return beside(depth === 0 ? 0 : HISTORIES, { name: "keeping histories", everyMs: HISTORIES_MS, restMs: HISTORIES_REST_MS, run });
}

/** Pause when no repository is due. */
const POLLED_MS = 5_000;
const POLLED_REST_MS = 20_000;
/** Repositories whose hosts are asked at once. */
const POLLS = 3;

function polls({ database, sources, log, clock }: JobTools, everyMinutes: number): readonly RepeatedTask[] {
  const poll = createPoll({
    database,
    log,
    clock,
    everyMinutes,
    listBranches: ({ id: repoId, tenant_id: tenantId, clone_url: cloneUrl }, signal) =>
      sources.reach({ tenantId, repoId, cloneUrl }, signal, (remote) => listBranches(remote, { signal })),
  });
  return beside(everyMinutes === 0 ? 0 : POLLS, { name: "polling hosts", everyMs: POLLED_MS, restMs: POLLED_REST_MS, run: poll });
}

/** So many of the same task beside each other; each looks for work only while those before it have some. */
function beside(count: number, { name, run, ...task }: RepeatedTask): readonly RepeatedTask[] {
  let running = 0;
  const runOne = async (signal: AbortSignal): Promise<unknown> => {
    running += 1;
    try {
      return await run(signal);
    } finally {
      running -= 1;
    }
  };
  return Array.from({ length: count }, (_, lane) => ({
    ...task,
    name: `${name}, lane ${lane}`,
    run: async (signal: AbortSignal) => running >= lane && runOne(signal),
  }));
}
