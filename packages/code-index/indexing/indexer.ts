import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { AppError, messageOf } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Check } from "@sightline/foundation/health";
import type { Logger } from "@sightline/foundation/log";
import type { CodeIndexConfig } from "#config.ts";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { SourceError } from "#source/source-error.ts";
import { cancelJob, claimJob, failJob, releaseJob, type ClaimedJob } from "#store/leases.store.ts";
import { createSplitter } from "#splitting/splitter.ts";
import { migrateTenants, type CodeIndexDatabase } from "#store/tenant.ts";
import { BrokenOff } from "./broken-off.ts";
import { keepLease } from "./keep-lease.ts";
import { runJob, type JobTools } from "./run-job.ts";

export type IndexerOptions = {
  readonly config: Pick<CodeIndexConfig, "CODEINDEX_DATA_DIR" | "CODEINDEX_ALLOW_FILE_URLS" | "CODEINDEX_EMBEDDER">;
  readonly database: CodeIndexDatabase;
  readonly log: Logger;
  readonly clock: Clock;
};

export type Indexer = {
  readonly start: () => Promise<void>;
  /** Gives a running job back to the queue, and returns when that is done. */
  readonly stop: () => Promise<void>;
  readonly checks: readonly Check[];
};

/** Between two looks at an empty queue. */
const POLL_MS = 500;
/** Takes jobs from the queue and runs them, one at a time; as many processes as wanted may do so. */
export function createIndexer({ config, database, log, clock }: IndexerOptions): Indexer {
  const workerId = `${hostname()}:${process.pid}:${randomUUID()}`;
  const splitter = createSplitter({ log });
  const tools: JobTools = {
    database,
    splitter,
    log,
    clock,
    embedder: createEmbedder(config),
    dataDir: config.CODEINDEX_DATA_DIR,
    allowFileUrls: config.CODEINDEX_ALLOW_FILE_URLS,
  };
  const stopping = new AbortController();
  let loop: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const job = await claimJob(database, { workerId, now: clock.now() });
        if (job === undefined) {
          await pause(POLL_MS, stopping.signal);
        } else {
          await workOn(tools, job, stopping.signal);
        }
      } catch (error) {
        log.error({ err: error }, "the queue can't be read, trying again");
        await pause(POLL_MS * 4, stopping.signal);
      }
    }
  }

  return {
    checks: [database.check],
    start: async () => {
      await migrateTenants(database, log);
      loop = work();
    },
    stop: async () => {
      stopping.abort(new BrokenOff("stopping"));
      await loop;
      await splitter.close();
    },
  };
}

async function workOn(tools: JobTools, job: ClaimedJob, stopping: AbortSignal): Promise<void> {
  const { log, clock } = tools;
  const began = clock.now().getTime();
  const fields = { job: job.jobId, repository: job.fullName, attempt: job.attempt };
  log.info(fields, "indexing");
  const broken = new AbortController();
  const lease = keepLease(tools, job, broken);
  try {
    await runJob(tools, { job, report: lease.report, signal: AbortSignal.any([stopping, broken.signal]) });
    log.info({ ...fields, ms: clock.now().getTime() - began }, "indexed");
  } catch (error) {
    await lease.stop();
    await settle(tools, job, error);
  } finally {
    await lease.stop();
  }
}

async function settle({ database, log, clock }: JobTools, job: ClaimedJob, error: unknown): Promise<void> {
  const { jobId, workerId } = job;
  const ending = { jobId, workerId, now: clock.now() };
  const fields = { job: jobId, repository: job.fullName };
  if (!(error instanceof BrokenOff)) {
    log.warn({ ...fields, err: error }, "indexing failed");
    await failJob(database, { ...ending, reason: reasonOf(error), retry: mayGoBetter(error) });
  } else if (error.why === "stopping") {
    log.info(fields, "indexing is left to another indexer");
    await releaseJob(database, ending);
  } else if (error.why === "cancelled") {
    log.info(fields, "indexing was cancelled");
    await cancelJob(database, ending);
  } else {
    log.warn(fields, "the job was taken away: it was silent for too long");
  }
}

/** Errors of ours may hold SQL and addresses; git's are meant to be read. */
function reasonOf(error: unknown): string {
  if (error instanceof SourceError || error instanceof AppError) {
    return error.message;
  }
  return `internal error: ${messageOf(error)}`.replaceAll("\0", "").slice(0, 1_000);
}

function mayGoBetter(error: unknown): boolean {
  return error instanceof SourceError ? error.transient : !(error instanceof AppError);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end, { once: true });
    function end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
  });
}
