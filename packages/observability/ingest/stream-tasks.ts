import type { Clock } from "@sightline/foundation/clock";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Logger } from "@sightline/foundation/log";
import { inRounds, repeat, type Repeated, type WakenBy } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import { settleGaps } from "./gaps.store.ts";
import type { ConsumerMetrics } from "./consumer-metrics.ts";
import type { EventStream } from "./event-stream.ts";
import { STUCK_MS, type Tuning } from "./tuning.ts";
import type { StreamEntry } from "./chunked-reading.ts";

type TasksOptions = {
  /** All that are known, and those that this consumer reads. */
  readonly partitions: { readonly all: () => readonly EventStream[]; readonly own: () => readonly EventStream[] };
  readonly query: Query;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ConsumerMetrics;
  readonly tuning: Tuning;
  readonly batchSize: number;
  /** Wakes after each commit. */
  readonly wakenBy: WakenBy;
  /** Deals the partitions out anew. */
  readonly share: () => Promise<void>;
  /** Leaves in Redis what SDKs ask for. */
  readonly tell: () => Promise<void>;
  /** Returns when all are written, or the consumer stops. */
  readonly process: (partition: EventStream, entries: readonly StreamEntry[]) => Promise<void>;
};

/**
 * What is to be done beside reading: taking over what others left, looking for gaps, telling what there is, dealing out
 * the partitions, removing consumers that are gone.
 * Apart from the reading, so that none of it can hold that up: not a database that is away, not a Redis user who may not do it.
 */
export function createStreamTasks(options: TasksOptions): Repeated {
  const { partitions, query, clock, log, metrics, tuning, batchSize } = options;
  const eachProject = createEachOwner({ log, clock, name: "looking for gaps of a project" });

  async function claimEntries(signal: AbortSignal): Promise<void> {
    await withEach(partitions.own(), async (partition) => {
      for (;;) {
        const entries = await partition.claim(batchSize, tuning.claimIdleMs);
        if (entries.length === 0 || signal.aborted) {
          return;
        }
        log.info({ entries: entries.length, partition: partition.key }, "took over entries that were not acknowledged");
        await options.process(partition, entries);
      }
    });
  }

  /** What is missing may be among the entries that somebody has read and not written yet: those come first. */
  async function findGaps(signal: AbortSignal): Promise<false | undefined> {
    const pending = await Promise.all(partitions.all().map((partition) => partition.oldestPendingMs().catch(() => 0)));
    if (pending.some((pendingMs) => pendingMs > tuning.reorderWindowMs && pendingMs < STUCK_MS)) {
      return undefined;
    }
    const now = clock.now();
    let isChecked = false;
    await inRounds(async () => {
      const { checked, lost, isMore } = await settleGaps(query, { each: eachProject, windowMs: tuning.reorderWindowMs, now });
      if (lost > 0) {
        metrics.lost.inc({ reason: "missing" }, lost);
        log.error({ events: lost }, "events are missing from the stream");
      }
      isChecked ||= checked;
      return isMore;
    }, signal);
    return isChecked ? undefined : false;
  }

  async function reapConsumers(): Promise<void> {
    await withEach(partitions.own(), async (partition) => {
      const removed = await partition.reap(tuning.reapIdleMs);
      if (removed.length > 0) {
        log.info({ consumers: removed, partition: partition.key }, "removed consumers that are gone");
      }
    });
  }

  return repeat({
    log,
    tasks: [
      { name: "taking over entries", everyMs: tuning.claimEveryMs, run: claimEntries },
      { name: "looking for gaps", everyMs: tuning.findGapsEveryMs, restMs: tuning.findGapsRestMs, wakenBy: options.wakenBy, run: findGaps },
      { name: "telling which projects and partitions there are", everyMs: tuning.tellEveryMs, run: options.tell },
      { name: "dealing out the partitions", everyMs: tuning.shareEveryMs, run: options.share },
      { name: "removing consumers that are gone", everyMs: tuning.reapEveryMs, run: reapConsumers },
    ],
  });
}

/** Works on one after the other, on the others too when it fails for one, whose node may be away. */
async function withEach(partitions: readonly EventStream[], work: (partition: EventStream) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const partition of partitions) {
    await work(partition).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}
