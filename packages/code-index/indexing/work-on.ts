import { createEachOwner } from "@sightline/foundation/each-owner";
import { raceAbort } from "@sightline/foundation/deadline";
import { AppError } from "@sightline/foundation/errors";
import { StoppingError } from "@sightline/foundation/repeat";
import { SourceError } from "#git/source-error.ts";
import { fixEndedByHand } from "#store/records/failed-jobs.store.ts";
import { type ClaimedJob } from "#store/records/claim-job.store.ts";
import { cancelJob, failJob, releaseJob } from "#store/records/leases.store.ts";
import { BrokenOff, toFailureReason } from "#indexing/tasks/interrupted.ts";
import { keepLease } from "#indexing/tasks/keep-lease.ts";
import { runJob, type JobTools } from "./run-job.ts";

/** Runs a claimed job and writes down how it ended; returns when nothing of it is running any more. */
export async function workOn(tools: JobTools, job: ClaimedJob, stopping: AbortSignal): Promise<void> {
  const { log, clock } = tools;
  const began = clock.now().getTime();
  const fields = fieldsOf(job);
  log.info({ ...fields, mode: job.mode, attempt: job.attempt }, "indexing");
  const lease = keepLease(tools, job);
  const signal = AbortSignal.any([stopping, lease.broken]);
  const ended = async () => {
    await lease.stop();
    log.info({ ...fields, ms: clock.now().getTime() - began }, "indexed");
  };
  const running = runJob(tools, { job, report: lease.report, ended, signal });
  try {
    // What breaks a job off is written down at once: a statement or a fetch may need a while to end.
    await raceAbort(running, signal);
  } catch (error) {
    await lease.stop();
    await settle(tools, job, error);
  } finally {
    await lease.stop();
    await running.catch((error: unknown) => log.debug({ ...fields, err: error }, "the aborted job ended with an error"));
  }
}

async function settle({ database, log, clock }: JobTools, job: ClaimedJob, error: unknown): Promise<void> {
  const { jobId, workerId } = job;
  const ending = { jobId, workerId, now: clock.now() };
  const fields = fieldsOf(job);
  if (error instanceof StoppingError) {
    log.info(fields, "indexing is left to another indexer");
    await releaseJob(database, ending);
  } else if (!(error instanceof BrokenOff)) {
    log.warn({ ...fields, err: error }, "indexing failed");
    await failJob(database, { ...ending, reason: toFailureReason(error), retry: mayGoBetter(error) });
  } else if (error.why === "cancelled") {
    log.info(fields, "indexing was cancelled");
    await cancelJob(database, ending);
  } else {
    log.warn(fields, "the job was ended by somebody else, or taken away because its indexer was silent for too long");
    await fixEndedByHand(database, {
      now: ending.now,
      each: createEachOwner({ log, clock, name: "settling a job that was ended by hand" }),
    });
  }
}

function fieldsOf(job: ClaimedJob) {
  return { job: job.jobId, repository: job.fullName, ...(job.ref === null ? {} : { branch: job.ref }) };
}

function mayGoBetter(error: unknown): boolean {
  return error instanceof SourceError ? error.transient : !(error instanceof AppError);
}
