import { AppError, errorMessage, refusal } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Committed } from "#events/committed.ts";
import type { Query } from "#schema.ts";
import { openLiveStream, type LiveStream, type LiveStreamTuning } from "./live-stream.ts";
import type { CommitFeed } from "./commit-feed.ts";
import type { Revision } from "#query/steps/revision.ts";
import { findChanges } from "./changes.store.ts";

/** A transaction that takes longer than this from its beginning to its commit may be passed over. */
const OVERLAP_MS = 15_000;

/** Finds at each call the projects in which something was written since the last call. */
function createChangeWatch(query: Query): (projectIds: readonly string[]) => Promise<ReadonlySet<string>> {
  let reported = new Map<string, string>();
  let since: Date | undefined;
  return async (projectIds) => {
    const { now, changes } = await findChanges(query, { projectIds, since });
    const fresh = changes.filter((change) => reported.get(change.producer_id) !== change.changed_at);
    // Changes older than the overlap are not found again, so they are forgotten.
    reported = new Map(changes.map((change) => [change.producer_id, change.changed_at]));
    since = new Date(now.getTime() - OVERLAP_MS);
    return new Set(fresh.map((change) => change.project_id));
  };
}

export type LiveTuning = LiveStreamTuning & {
  readonly beatMs: number;
  /** The pause between two checks of whether a client may still watch. */
  readonly checkMs: number;
  /** The pause between two reads of the database: while messages come, for those that got lost; and while none do. */
  readonly pollMs: number;
  readonly pollAloneMs: number;
  readonly streamsOfOne: number;
};

export const LIVE_TUNING: LiveTuning = {
  everyMs: 200,
  backlogBytes: 65_536,
  stuckMs: 30_000,
  beatMs: 15_000,
  checkMs: 3_000,
  pollMs: 5_000,
  pollAloneMs: 1_000,
  streamsOfOne: 20,
};

export type Look = { readonly ids: readonly string[]; readonly revision: Revision; readonly isChanged: boolean };

/** The trace that a stream watches. */
export type WatchedTrace = {
  /** The trace's id as the client named it. */
  readonly id: string;
  /** Reads its segments, its revision, and whether it was written to since an earlier one; undefined when it is not there any more. */
  readonly look: (since: Revision | undefined) => Promise<Look | undefined>;
};

type Opening = {
  readonly projectId: string;
  /** The watching user's or key's id. */
  readonly owner: string;
  readonly trace: WatchedTrace | undefined;
  /** @throws {AppError} when who asked may not watch any more. */
  readonly check: () => Promise<void>;
};

type Watcher = Opening & {
  readonly live: LiveStream;
  ids: ReadonlySet<string>;
  revision: Revision | undefined;
  isLooking: boolean;
  mustLookAgain: boolean;
  beatAt: number;
  checkedAt: number;
  isChecking: boolean;
};

type HubOptions = {
  readonly feed: CommitFeed;
  readonly query: Query;
  readonly log: Logger;
  readonly tuning: LiveTuning;
};

const TICK_MS = 250;
const MAX_RESUMING = 1_000;

/** Serves all streams of this process with one subscription and one read of the database. */
export function createLiveHub({ feed, query, log, tuning }: HubOptions) {
  const watchers = new Set<Watcher>();
  /** Traces of commits with resumed segments: events that arrived in another order join the watched trace only later. */
  const resuming = new Set<string>();
  const findChangedProjects = createChangeWatch(query);
  let timer: NodeJS.Timeout | undefined;
  let polledAt = -Infinity;
  let isPolling = false;
  let isStopped = false;
  feed.onCommit(hear);

  function hear({ projects }: Committed): void {
    for (const { id, traces, resumed } of projects) {
      const mayJoin = resumed || traces?.some((trace) => resuming.has(trace)) === true;
      for (const watcher of watchers) {
        if (watcher.projectId === id) {
          tell(watcher, traces ?? undefined, mayJoin);
        }
      }
      if (resumed) {
        remember(traces ?? []);
      }
    }
  }

  function remember(traces: readonly string[]): void {
    for (const trace of traces) {
      resuming.add(trace);
    }
    for (const oldest of resuming) {
      if (resuming.size <= MAX_RESUMING) {
        break;
      }
      resuming.delete(oldest);
    }
  }

  function tell(watcher: Watcher, traceIds: readonly string[] | undefined, mayJoin: boolean): void {
    if (watcher.trace === undefined) {
      watcher.live.notify(traceIds);
    } else if (traceIds?.some((id) => watcher.ids.has(id)) === true) {
      watcher.live.notify([watcher.trace.id]);
    } else if (traceIds === undefined || mayJoin) {
      void look(watcher, watcher.trace);
    }
  }

  /** Checks whether the watched trace changed; when a change comes meanwhile, it checks once more. */
  async function look(watcher: Watcher, trace: WatchedTrace): Promise<void> {
    watcher.mustLookAgain = watcher.isLooking;
    if (watcher.isLooking) {
      return;
    }
    watcher.isLooking = true;
    do {
      watcher.mustLookAgain = false;
      try {
        const seen = await trace.look(watcher.revision);
        watcher.ids = new Set(seen?.ids ?? watcher.ids);
        watcher.revision = seen?.revision ?? watcher.revision;
        if (seen?.isChanged === true) {
          watcher.live.notify([trace.id]);
        }
      } catch (error) {
        log.warn({ reason: errorMessage(error) }, "a trace that is watched could not be looked at, trying again");
      }
    } while (watcher.mustLookAgain && watchers.has(watcher));
    watcher.isLooking = false;
  }

  function tick(): void {
    const now = performance.now();
    for (const watcher of watchers) {
      if (now - watcher.beatAt >= tuning.beatMs) {
        watcher.beatAt = now;
        watcher.live.beat();
      }
      if (now - watcher.checkedAt >= tuning.checkMs && !watcher.isChecking) {
        watcher.checkedAt = now;
        void recheck(watcher);
      }
    }
    if (!isPolling && now - polledAt >= (feed.isConnected() ? tuning.pollMs : tuning.pollAloneMs)) {
      polledAt = now;
      void poll();
    }
    timer = watchers.size === 0 || isStopped ? undefined : setTimeout(tick, TICK_MS).unref();
  }

  async function poll(): Promise<void> {
    isPolling = true;
    try {
      const changed = await findChangedProjects([...new Set(Array.from(watchers, ({ projectId }) => projectId))]);
      for (const watcher of watchers) {
        if (changed.has(watcher.projectId)) {
          tell(watcher, undefined, false);
        }
      }
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, "what changed could not be looked for, trying again");
    }
    isPolling = false;
  }

  async function recheck(watcher: Watcher): Promise<void> {
    watcher.isChecking = true;
    try {
      await watcher.check();
    } catch (error) {
      if (error instanceof AppError && error.status < 500) {
        watchers.delete(watcher);
        watcher.live.end(error);
      } else {
        log.warn({ reason: errorMessage(error) }, "whether somebody may still watch could not be checked, trying again");
      }
    }
    watcher.isChecking = false;
  }

  return {
    /** @throws {AppError} `too_many_streams` (429), `not_ready` (503). */
    open: (opening: Opening): LiveStream["stream"] => {
      if (isStopped) {
        throw refusal(503, "not_ready", "The server is stopping; try again.");
      }
      if (Array.from(watchers).filter(({ owner }) => owner === opening.owner).length >= tuning.streamsOfOne) {
        throw refusal(
          429,
          "too_many_streams",
          `At most ${tuning.streamsOfOne} live streams are open at once for one user or key; close some, or ask for the list now and again.`,
          { headers: { "retry-after": "10" } },
        );
      }
      const now = performance.now();
      const live = openLiveStream(tuning);
      const watcher: Watcher = {
        ...opening,
        live,
        ids: new Set(opening.trace === undefined ? [] : [opening.trace.id]),
        revision: undefined,
        isLooking: false,
        mustLookAgain: false,
        beatAt: now,
        checkedAt: now,
        isChecking: false,
      };
      watchers.add(watcher);
      live.stream.on("close", () => watchers.delete(watcher));
      if (opening.trace !== undefined) {
        void look(watcher, opening.trace);
      }
      timer ??= setTimeout(tick, TICK_MS).unref();
      return live.stream;
    },
    /** Ends all streams; clients come back to another process. */
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      for (const { live } of watchers) {
        live.end();
      }
      watchers.clear();
    },
  };
}
