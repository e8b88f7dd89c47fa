import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "@sightline/foundation/clock";
import type { Hints } from "@sightline/foundation/database/hints";
import { createEachOwner } from "@sightline/foundation/each-owner";
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
import { claimJob } from "#store/records/claim-job.store.ts";
import { isAnythingMarked } from "#store/records/deletions.store.ts";
import { createWaitingWork, type WaitingWorkReader } from "#store/records/waiting-work.store.ts";
import { deleteOldJobs } from "./housekeeping.store.ts";
import { createSplitter } from "#splitting/splitter.ts";
import { migrateTenants, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { deleteMarked } from "#tenants/delete-marked.ts";
import { createPoll } from "#webhooks/poll.ts";
import { createBackfill } from "#indexing/embedding/embed-pending.ts";
import { indexVectors } from "#indexing/embedding/index-vectors.ts";
import { createGitAnswerer, type GitAnswerer } from "#indexing/reading/answer-git.ts";
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

/** Pause between two reads of an empty queue: where no hints are heard, a push waits half of it on average. */
const POLL_MS = 300;
const POLL_REST_MS = 600;
/** While hints are heard: what a push waits whose hint got lost. */
const POLL_HEARD_MS = 15_000;
/** The same for what nobody waits for. */
const HEARD_MS = 60_000;

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
  const eachIndexed = createEachOwner({ log, clock, name: "indexing the vectors of a tenant" });
  const hints = database.listen("codeindex_work");
  const queue = createQueue(createWaitingWork(database, clock), hints);
  const backfill = createBackfill({ database, embedder: tools.embedder, log, clock, hints });
  const background = repeat({
    log,
    tasks: [
      ...lanes(tools, config.CODEINDEX_INDEXER_CONCURRENCY, queue),
      {
        ...queue.pauses("previews"),
        name: "making previews",
        run: async (signal) => (await queue.read()).previews && makePreview(tools, signal),
      },
      { name: "indexing vectors", everyMs: VECTORS_MS, run: (signal) => indexVectors({ ...tools, each: eachIndexed }, signal) },
      { name: "tidying mirrors", everyMs: MIRRORS_MS, run: (signal) => tidy(tools, signal) },
      ...histories(tools, config.CODEINDEX_HISTORY_COMMITS, hints),
      ...gitReads(createGitAnswerer(tools), hints),
      ...polls(tools, config.CODEINDEX_POLL_MINUTES),
      { name: "deleting old deliveries", everyMs: HOUR_MS, run: () => pruneDeliveries(database, { now: clock.now() }) },
      { name: "deleting old jobs", everyMs: HOUR_MS, run: () => deleteOldJobs(database, { now: clock.now() }) },
      { name: "forgetting callers", everyMs: HOUR_MS, run: () => forgetCallers(database) },
      deletion(tools, hints),
    ],
  });

  return {
    checks: [database.check],
    start: async () => {
      await migrateTenants(database, log);
      await sweepPrivateFolders();
      hints.start();
      background.start();
      await backfill.start();
    },
    stop: async () => {
      await Promise.all([background.stop(), backfill.stop(), hints.stop()]);
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
function deletion({ dataDir, ...tools }: JobTools, hints: Hints): RepeatedTask {
  const listRepositories = () => listIndexedBranches(tools.database);
  const each = createEachOwner({ log: tools.log, clock: tools.clock, name: "deleting what is marked" });
  let seen: bigint | undefined;
  let isLeft = true;
  return {
    name: "deleting what is marked",
    everyMs: DELETIONS_MS,
    restMs: () => (hints.areHeard() && !isLeft ? HEARD_MS : DELETIONS_REST_MS),
    wakenBy: hints.wakenBy("deletions"),
    run: async (signal) => {
      isLeft = await isAnythingMarked(tools.database);
      const done = isLeft && (await deleteMarked({ ...tools, each, signal }));
      const version = await mirrorsVersion(dataDir);
      if (done || version !== seen) {
        await removeStrayMirrors({ dataDir, listRepositories, log: tools.log, signal });
        seen = version;
      }
      return done;
    },
  };
}

type Queue = WaitingWorkReader & { readonly pauses: (hint: string) => Pick<RepeatedTask, "everyMs" | "restMs" | "wakenBy"> };

/** What waits, and for how long those who take it may rest: not past the time of what is due later, and not long while something waits. */
function createQueue({ read, forget }: WaitingWorkReader, hints: Hints): Queue {
  let longestMs = POLL_REST_MS;
  return {
    read: async () => {
      const waiting = await read();
      longestMs =
        waiting.jobs || waiting.previews ? POLL_REST_MS : Math.min(POLL_HEARD_MS, Math.max(waiting.nextInMs ?? Infinity, POLL_MS));
      return waiting;
    },
    forget,
    pauses: (hint) => ({
      everyMs: POLL_MS,
      restMs: () => (hints.areHeard() ? longestMs : POLL_REST_MS),
      wakenBy: (wake) =>
        hints.wakenBy(hint)(() => {
          forget();
          wake();
        }),
    }),
  };
}

/** One job at a time in each. The last takes only what is over soon, so that a push never waits for first builds. */
function lanes(tools: JobTools, count: number, queue: Queue): readonly RepeatedTask[] {
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
    ...queue.pauses("jobs"),
    name: `working on the queue, lane ${lane}`,
    run: async (signal: AbortSignal) => {
      const job = (await queue.read()).jobs ? await claim(lane) : undefined;
      if (job !== undefined) {
        await workOn(tools, job, signal);
      }
      return job !== undefined;
    },
  }));
}

/** Questions about commits that are answered at once. */
const GIT_READS = 4;
/** Somebody waits for them. */
const GIT_READS_MS = 10;
const GIT_READS_REST_MS = 200;

function gitReads(answer: GitAnswerer, hints: Hints): readonly RepeatedTask[] {
  return beside(GIT_READS, {
    name: "answering from git",
    everyMs: GIT_READS_MS,
    restMs: () => (hints.areHeard() ? POLL_HEARD_MS : GIT_READS_REST_MS),
    wakenBy: hints.wakenBy("git_reads"),
    run: answer,
  });
}

/** Pause between two searches for a branch whose history is behind its index. */
const HISTORIES_MS = 2_000;
const HISTORIES_REST_MS = 8_000;
/** Histories that are fetched at once. */
const HISTORIES = 2;

function histories(tools: JobTools, depth: number, hints: Hints): readonly RepeatedTask[] {
  return beside(depth === 0 ? 0 : HISTORIES, {
    name: "keeping histories",
    everyMs: HISTORIES_MS,
    restMs: () => (hints.areHeard() ? HEARD_MS : HISTORIES_REST_MS),
    wakenBy: hints.wakenBy("histories"),
    run: (signal) => keepOneHistory({ ...tools, depth }, signal),
  });
}

/** Pause when no repository is due. */
const POLLED_MS = 5_000;
const POLLED_REST_MS = 20_000;
/** The longest: a part of the period in which each is asked. */
const POLLED_REST_PART = 1 / 10;
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
  const restMs = Math.max(POLLED_REST_MS, Math.min(everyMinutes * 60_000 * POLLED_REST_PART, HEARD_MS));
  return beside(everyMinutes === 0 ? 0 : POLLS, { name: "polling hosts", everyMs: POLLED_MS, restMs, run: poll });
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
