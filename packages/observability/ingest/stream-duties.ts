import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { inRounds, repeat, type Repeated } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { settleGaps } from "./gaps.store.ts";
import type { ConsumerMetrics } from "./consumer-metrics.ts";
import type { EventStream } from "./event-stream.ts";
import { STUCK_MS, type Tuning } from "./tuning.ts";
import type { StreamEntry } from "./chunked-reading.ts";

type DutiesOptions = {
  readonly stream: EventStream;
  readonly query: Query;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ConsumerMetrics;
  readonly tuning: Tuning;
  readonly batchSize: number;
  readonly tellProjects: () => Promise<void>;
  readonly process: (entries: readonly StreamEntry[]) => Promise<void>;
};

/**
 * What is to be done beside reading: taking over what others left, looking for gaps, telling which projects there are, removing
 * consumers that are gone.
 * Apart from the reading, so that none of it can hold that up: not a database that is away, not a Redis user who may not do it.
 */
export function createStreamDuties(options: DutiesOptions): Repeated {
  const { stream, query, clock, log, metrics, tuning, batchSize } = options;

  async function claimEntries(signal: AbortSignal): Promise<void> {
    for (;;) {
      const entries = await stream.claim(batchSize, tuning.claimIdleMs);
      if (entries.length === 0 || signal.aborted) {
        return;
      }
      log.info({ entries: entries.length }, "took over entries that were not acknowledged");
      await options.process(entries);
    }
  }

  /** What is missing may be among the entries that somebody has read and not written yet: those come first. */
  async function findGaps(signal: AbortSignal): Promise<void> {
    const pendingMs = await stream.oldestPendingMs().catch(() => 0);
    if (pendingMs > tuning.reorderWindowMs && pendingMs < STUCK_MS) {
      return;
    }
    const now = clock.now();
    await inRounds(async () => {
      const { lost, isMore } = await settleGaps(query, { windowMs: tuning.reorderWindowMs, now });
      if (lost > 0) {
        metrics.lost.inc({ reason: "missing" }, lost);
        log.error({ events: lost }, "events are missing from the stream");
      }
      return isMore;
    }, signal);
  }

  async function reapConsumers(): Promise<void> {
    const removed = await stream.reap(tuning.reapIdleMs);
    if (removed.length > 0) {
      log.info({ consumers: removed }, "removed consumers that are gone");
    }
  }

  return repeat({
    log,
    tasks: [
      { name: "taking over entries", everyMs: tuning.claimEveryMs, run: claimEntries },
      { name: "looking for gaps", everyMs: tuning.findGapsEveryMs, run: findGaps },
      { name: "telling which projects there are", everyMs: tuning.heartbeatEveryMs, run: options.tellProjects },
      { name: "removing consumers that are gone", everyMs: tuning.reapEveryMs, run: reapConsumers },
    ],
  });
}
