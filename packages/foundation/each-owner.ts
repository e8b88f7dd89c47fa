import { systemClock, type Clock } from "./clock.ts";
import { isDatabaseAway } from "./database-unavailable.ts";
import type { Logger } from "./log.ts";
import { errorMessage } from "./errors.ts";

type EachOwnerOptions = {
  readonly log: Logger;
  /** What is done for each, for the log: `counting the traces of a project`. */
  readonly name: string;
  readonly clock?: Clock;
};

type Work<Owner> = {
  /** What the log calls an owner, and by which its failures are remembered. */
  readonly idOf: (owner: Owner) => string;
  readonly work: (owner: Owner) => Promise<unknown>;
  /** Once it is aborted no other owner's work begins. */
  readonly signal?: AbortSignal | undefined;
  /** How many are worked for at the most, without those whose next try is not due; the others are left to the next call. */
  readonly max?: number;
};

export type EachOwner = <Owner>(owners: Iterable<Owner>, work: Work<Owner>) => Promise<readonly Owner[]>;

type Failing = { readonly reason: string; readonly failures: number; readonly nextTryAt: number };

const FIRST_PAUSE_MS = 30_000;
const LAST_PAUSE_MS = 3_600_000;

/**
 * Does work for each of many owners (projects, tenants, rules), one after the other, so that what fails for one stops no other. An owner whose work
 * failed is left out for half a minute, then for twice as long, up to an hour; a failure is logged once, until it is another one or is over.
 *
 * @returns for each call, the owners whose work is not done: it failed, or their next try is not due.
 * @example
 * const eachProject = createEachOwner({ log, name: "counting the traces of a project" });
 * await eachProject(projectIds, { idOf: (id) => id, work: (id) => countTraces(query, id), signal });
 */
export function createEachOwner({ log, name, clock = systemClock }: EachOwnerOptions): EachOwner {
  const failing = new Map<string, Failing>();

  function noteFailure(owner: string, error: unknown): void {
    const before = failing.get(owner);
    const reason = errorMessage(error);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (before?.failures ?? 0), LAST_PAUSE_MS);
    if (before?.reason !== reason) {
      log.warn({ err: error, owner, retryInMs: pauseMs }, `${name} failed; it is tried again, the others go on`);
    }
    failing.set(owner, { reason, failures: (before?.failures ?? 0) + 1, nextTryAt: clock.now().getTime() + pauseMs });
  }

  function noteSuccess(owner: string): void {
    if (failing.delete(owner)) {
      log.info({ owner }, `${name} works again`);
    }
  }

  return async (owners, { idOf, work, signal, max = Infinity }) => {
    const left = [];
    let worked = 0;
    const startedAt = clock.now().getTime();
    const isStopping = () => signal?.aborted === true;
    for (const [owner, { nextTryAt }] of failing) {
      // One that nobody has asked for since is gone.
      if (nextTryAt + LAST_PAUSE_MS < startedAt) {
        failing.delete(owner);
      }
    }
    for (const owner of owners) {
      if (isStopping() || worked === max) {
        break;
      }
      const id = idOf(owner);
      if ((failing.get(id)?.nextTryAt ?? 0) > clock.now().getTime()) {
        left.push(owner);
        continue;
      }
      worked += 1;
      try {
        await work(owner);
        noteSuccess(id);
      } catch (error) {
        if (isStopping() || isDatabaseAway(error)) {
          throw error;
        }
        noteFailure(id, error);
        left.push(owner);
      }
    }
    return left;
  };
}
