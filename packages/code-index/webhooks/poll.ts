import { setTimeout as delay } from "node:timers/promises";
import { AppError, messageOf } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Service } from "@sightline/foundation/lifecycle";
import type { Logger } from "@sightline/foundation/log";
import { listBranches, type RemoteBranches } from "#source/branches.ts";
import { SourceError } from "#source/source-error.ts";
import { pruneDeliveries } from "#store/deliveries.store.ts";
import { enqueueJob } from "#store/jobs.store.ts";
import { claimPoll, notePoll, readPolled, settleBehind, type PolledRepository } from "#store/polls.store.ts";
import { dropUnwantedBranches } from "#store/pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { createHostPauses, type HostPauses } from "./host-pauses.ts";
import { planPoll } from "./plan-poll.ts";

export type PollOptions = {
  readonly database: CodeIndexDatabase;
  readonly log: Logger;
  readonly clock: Clock;
  /** CODEINDEX_POLL_MINUTES; 0 asks no host. */
  readonly everyMinutes: number;
  /** Asks a repository's host for its branches. */
  readonly ask: (repository: PolledRepository, signal: AbortSignal) => Promise<RemoteBranches>;
};

/** Repositories that are looked at at once by one process. */
const AT_ONCE = 3;
/** What a host may take to name its branches. */
const ANSWER_MS = 60_000;
/** Between two looks when nothing is due. */
const IDLE_MS = 5_000;
const PRUNE_MS = 60 * 60_000;

/** What a problem that a poll met begins with, in a repository's `last_error`. */
const PROBLEM = "The host can't be asked for new commits: ";

/**
 * Looks at every repository's host each few minutes and queues jobs for what no delivery told of: lost ones, another
 * default branch, deleted branches. Any number of processes may do so; a repository is looked at by one of them. Old
 * deliveries are deleted by the way.
 */
export function createPoll(options: PollOptions): Service {
  const { database, log, clock, everyMinutes } = options;
  const stopping = new AbortController();
  const pauses = createHostPauses(clock);
  let loops: readonly Promise<void>[] = [];

  async function repeat(what: string, work: () => Promise<number>): Promise<void> {
    while (!stopping.signal.aborted) {
      let pauseMs = IDLE_MS;
      try {
        pauseMs = await work();
      } catch (error) {
        log.error({ err: error }, `${what} failed, trying again`);
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    name: "poll",
    start: async () => {
      const looks = everyMinutes === 0 ? [] : Array.from({ length: AT_ONCE }, () => repeat("a poll", look));
      loops = [...looks, repeat("pruning deliveries", prune)];
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };

  async function look(): Promise<number> {
    const polled = await pollOnce(options, pauses, stopping.signal);
    return polled ? 0 : IDLE_MS;
  }

  async function prune(): Promise<number> {
    const deleted = await pruneDeliveries(database, clock.now());
    if (deleted > 0) {
      log.info({ deleted }, "old webhook deliveries were deleted");
    }
    return PRUNE_MS;
  }
}

/** Looks at one repository that is due; false when none is. */
export async function pollOnce(options: PollOptions, pauses: HostPauses, stopping: AbortSignal): Promise<boolean> {
  const { database, clock, everyMinutes, ask } = options;
  const repository = await claimPoll(database, {
    now: clock.now(),
    everyMs: everyMinutes * 60_000,
    withoutHosts: pauses.paused(),
  });
  if (repository === undefined) {
    return false;
  }
  try {
    const remote = await ask(repository, AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]));
    pauses.answered(repository.host);
    await compare(options, repository, remote);
  } catch (error) {
    if (!stopping.aborted) {
      await noteFailure(options, pauses, { repository, error });
    }
  }
  return true;
}

async function compare({ database, log, clock }: PollOptions, repository: PolledRepository, remote: RemoteBranches): Promise<void> {
  const now = clock.now();
  const { id: repoId, tenant_id: tenantId, branches: wanted } = repository;
  const recovered = repository.last_error?.startsWith(PROBLEM) ?? false;
  const plan = planPoll({ remote, wanted, ...(await readPolled(database, repository)), recovered, now });
  if (recovered) {
    await notePoll(database, { repository, problem: undefined, prefix: PROBLEM });
  }
  for (const { ref, commit } of plan.jobs) {
    const asked = { tenantId, repoId, mode: "incremental", trigger: "poll", now } as const;
    const job = await enqueueJob(database, {
      ...asked,
      ...(ref === undefined ? {} : { ref }),
      ...(commit === null ? {} : { commit }),
    });
    log.info({ repository: repoId, branch: ref ?? "(default)", commit, job: job.job_id }, "a poll found what no delivery told of");
  }
  for (const settled of plan.settled) {
    await settleBehind(database, { repository, ...settled });
  }
  if (plan.unwanted.length > 0) {
    await dropUnwantedBranches(database, { repoId, tenantId, names: plan.unwanted });
  }
}

type Failure = { readonly repository: PolledRepository; readonly error: unknown };

/** A host that is down gets a pause; one that refuses is a problem that somebody has to solve. */
async function noteFailure({ database, log }: PollOptions, pauses: HostPauses, { repository, error }: Failure): Promise<void> {
  const lasting = error instanceof AppError || (error instanceof SourceError && !error.transient);
  log.warn({ repository: repository.id, reason: messageOf(error) }, "a repository's host could not be asked for its branches");
  if (!lasting) {
    pauses.failed(repository.host);
  } else if (!(error instanceof SourceError && error.problem === "branch_missing")) {
    await notePoll(database, { repository, problem: `${PROBLEM}${messageOf(error)}`, prefix: PROBLEM });
  }
}
