import { AppError, errorMessage } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import type { RemoteBranches } from "#git/branches.ts";
import { SourceError } from "#git/source-error.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { claimPoll, notePoll, readPolled, settleBehind, type PolledRepository } from "./polls.store.ts";
import { dropUnwantedBranches } from "./pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { planPoll } from "./plan-poll.ts";

/** Which hosts are left alone for a while because they do not answer. */
type HostPauses = {
  readonly paused: () => readonly string[];
  readonly failed: (host: string) => void;
  readonly answered: (host: string) => void;
};

const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 30 * 60_000;

/** Each failure doubles the pause, and a fifth of it is left to chance, so that processes don't come back at once. */
function createHostPauses(clock: Clock): HostPauses {
  const pauses = new Map<string, { readonly failures: number; readonly until: number }>();
  return {
    paused: () => [...pauses].flatMap(([host, { until }]) => (until > clock.now().getTime() ? [host] : [])),
    failed: (host) => {
      // Without a host it is this machine.
      if (host !== "") {
        const failures = (pauses.get(host)?.failures ?? 0) + 1;
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);
        pauses.set(host, { failures, until: clock.now().getTime() + pauseMs * (0.8 + Math.random() * 0.4) });
      }
    },
    answered: (host) => void pauses.delete(host),
  };
}

export type PollOptions = {
  readonly database: CodeIndexDatabase;
  readonly log: Logger;
  readonly clock: Clock;
  /** CODEINDEX_POLL_MINUTES */
  readonly everyMinutes: number;
  /** Asks a repository's host for its branches. */
  readonly listBranches: (repository: PolledRepository, signal: AbortSignal) => Promise<RemoteBranches>;
};

/** What a host may take to name its branches. */
const ANSWER_MS = 60_000;

/** What a problem that a poll met begins with, in a repository's `last_error`. */
const PROBLEM = "The host can't be asked for new commits: ";

/**
 * Looks at the host of a repository that is due, and queues jobs for what no delivery told of: lost ones, another default
 * branch, deleted branches. Returns false when none is due. Any number of processes may do so at once.
 *
 * @example
 * const poll = createPoll(options);
 * while (await poll(signal)) {}
 */
export function createPoll(options: PollOptions): (stopping: AbortSignal) => Promise<boolean> {
  const { database, clock, everyMinutes, listBranches } = options;
  const pauses = createHostPauses(clock);
  return async (stopping) => {
    const everyMs = everyMinutes * 60_000;
    const repository = await claimPoll(database, { now: clock.now(), everyMs, withoutHosts: pauses.paused() });
    if (repository === undefined) {
      return false;
    }
    try {
      const remote = await listBranches(repository, AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]));
      pauses.answered(repository.host);
      await compare(options, repository, remote);
    } catch (error) {
      if (!stopping.aborted) {
        await noteFailure(options, pauses, { repository, error });
      }
    }
    return true;
  };
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
    const job = await enqueueJob(database, { tenantId, repoId, ref, commit, mode: "incremental", trigger: "poll", now });
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
  log.warn({ repository: repository.id, reason: errorMessage(error) }, "a repository's host could not be asked for its branches");
  if (!lasting) {
    pauses.failed(repository.host);
  } else if (!(error instanceof SourceError && error.problem === "branch_missing")) {
    await notePoll(database, { repository, problem: `${PROBLEM}${errorMessage(error)}`, prefix: PROBLEM });
  }
}
