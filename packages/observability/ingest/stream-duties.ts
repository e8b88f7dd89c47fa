import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@sightline/foundation/clock";
import { messageOf } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { Kysely } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { settleGaps } from "./gaps.store.ts";
import type { ConsumerMetrics } from "./consumer-metrics.ts";
import type { EventStream } from "./event-stream.ts";
import { STUCK_MS, type Tuning } from "./tuning.ts";
import type { StreamEntry } from "./chunked-reading.ts";

type DutiesOptions = {
  readonly stream: EventStream;
  readonly query: Kysely<ObservabilitySchema>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ConsumerMetrics;
  readonly tuning: Tuning;
  readonly batchSize: number;
  readonly process: (entries: readonly StreamEntry[]) => Promise<void>;
  readonly signal: AbortSignal;
};

type Duty = { readonly name: string; readonly everyMs: number; readonly work: () => Promise<void> };

/**
 * What is to be done beside reading: taking over what others left, looking for gaps, removing consumers that are gone.
 * Apart from the reading, so that none of it can hold that up: not a database that is away, not a Redis user who may not do it.
 */
export async function performDuties(options: DutiesOptions): Promise<void> {
  const { stream, query, clock, log, metrics, tuning, batchSize, signal } = options;

  async function claimEntries(): Promise<void> {
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
  async function findGaps(): Promise<void> {
    const pendingMs = await stream.oldestPendingMs().catch(() => 0);
    if (pendingMs > tuning.reorderWindowMs && pendingMs < STUCK_MS) {
      return;
    }
    const lost = await settleGaps(query, tuning.reorderWindowMs);
    if (lost > 0) {
      metrics.lost.inc({ reason: "missing" }, lost);
      log.error({ events: lost }, "events are missing from the stream");
    }
  }

  async function reapConsumers(): Promise<void> {
    const removed = await stream.reap(tuning.reapIdleMs);
    if (removed.length > 0) {
      log.info({ consumers: removed }, "removed consumers that are gone");
    }
  }

  const duties: readonly Duty[] = [
    { name: "taking over entries", everyMs: tuning.claimEveryMs, work: claimEntries },
    { name: "looking for gaps", everyMs: tuning.findGapsEveryMs, work: findGaps },
    { name: "removing consumers", everyMs: tuning.reapEveryMs, work: reapConsumers },
  ];
  const due = new Map<Duty, number>();
  const failures = new Map<Duty, string>();
  const pauseMs = Math.min(...duties.map(({ everyMs }) => everyMs));
  while (!signal.aborted) {
    for (const duty of duties) {
      const now = clock.now().getTime();
      if (now >= (due.get(duty) ?? -Infinity) && !signal.aborted) {
        due.set(duty, now + duty.everyMs);
        await duty.work().then(
          () => failures.delete(duty),
          (error: unknown) => report(duty, error),
        );
      }
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }

  /** Once, and not every five seconds, as long as the reason is the same. */
  function report(duty: Duty, error: unknown): void {
    const reason = messageOf(error);
    if (failures.get(duty) !== reason) {
      failures.set(duty, reason);
      log.warn({ reason }, `${duty.name} failed and is tried again`);
    }
  }
}
