import { observe, type PublisherMetrics } from "../settings/metrics.ts";
import type { Connector } from "./connector.ts";
import type { StreamEntry } from "./event-buffer.ts";
import type { EventQueue } from "./event-queue.ts";
import type { Inspection } from "./inspection.ts";
import { classifyFailure } from "./publish-failure.ts";

/** Writing a batch of this size holds the application's thread for well under a millisecond. */
const BATCH_EVENTS = 256;
const BATCH_BYTES = 512 * 1024;
/** Milliseconds for writing events as text in one turn of the event loop, and turns before each batch, which needs no more as a rule. */
const WRITE_BUDGET = 1;
const WRITE_TURNS = 4;
const LINGER = 100;
const RETRY_PAUSE = 200;
const CALL_TIMEOUT = 2000;
const SETTLE_TIMEOUT = 200;

/** Moves events from the queue to the stream, oldest first, one batch at a time. What did not arrive goes back into the queue. */
export function createSender(
  producerId: string,
  queue: EventQueue,
  connector: Connector,
  inspection: Inspection,
  metrics: PublisherMetrics,
) {
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isStopped = false;
  let isReleased = false;
  let inFlight: readonly StreamEntry[] = [];

  /** Sends soon, or when the back-off is over. */
  const schedule = () => {
    if (timer === undefined && sending === undefined && !isStopped) {
      timer = setTimeout(() => void send(), Math.max(LINGER, connector.resumesAt - Date.now()));
      timer.unref();
    }
  };

  const unschedule = () => {
    clearTimeout(timer);
    timer = undefined;
  };

  /** Sends until the queue is empty or Redis refuses; a second caller waits for the same turn. Never throws. */
  const send = (): Promise<void> => {
    unschedule();
    sending ??= drain().finally(() => {
      sending = undefined;
      if (queue.size > 0 || inspection.isDue) {
        schedule();
      }
    });
    return sending;
  };

  const drain = async (): Promise<void> => {
    do {
      await writeTexts();
    } while (queue.size > 0 && (await sendBatch()));
    if (connector.failure === undefined) {
      await inspection.runIfDue();
    }
  };

  /**
   * What of a batch is not written yet is written at once when it is taken. An application may record faster than it is written in
   * its turns, so that to write all first would send nothing.
   */
  const writeTexts = async (): Promise<void> => {
    try {
      for (let turn = 0; turn < WRITE_TURNS && queue.write(WRITE_BUDGET); turn += 1) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    } catch {
      // Clocks that an application has replaced may throw.
    }
  };

  const sendBatch = async (): Promise<boolean> => {
    try {
      const connection = await connector.connect(CALL_TIMEOUT);
      if (queue.isVersionDue()) {
        const readAt = performance.now();
        queue.learnVersion(await connection.contentsVersion(CALL_TIMEOUT), readAt);
      }
      // After a failure one event tests the water.
      const size = connector.failure === undefined ? BATCH_EVENTS : 1;
      const batch = queue.take(size, BATCH_BYTES);
      inFlight = batch;
      const startedAt = performance.now();
      const { unsent, failure } = await connection.append(batch, producerId, CALL_TIMEOUT);
      inFlight = [];
      queue.settle(batch, unsent);
      if (isReleased) {
        queue.clear();
      }
      metrics.published += batch.length - unsent.length;
      if (failure === undefined) {
        observe(metrics.roundTripSeconds, (performance.now() - startedAt) / 1000);
        connector.succeeded();
        return true;
      }
      connector.failed(failure);
    } catch (error) {
      connector.failed(classifyFailure(error));
    }
    return false;
  };

  return {
    schedule,
    /** Those of which Redis has not said yet whether it took them. */
    inFlight: () => inFlight,
    send,
    /** Sends, again and again while Redis refuses, until nothing is left (true) or the deadline has passed. */
    async flush(deadline: number): Promise<boolean> {
      const endsAt = Date.now() + deadline;
      let alarm: NodeJS.Timeout | undefined;
      // Not unreferenced: whoever awaits a flush gets an answer even when nothing else keeps the process alive.
      const expired = new Promise<"expired">((resolve) => {
        alarm = setTimeout(() => resolve("expired"), deadline);
      });
      try {
        while (queue.size > 0 && Date.now() < endsAt) {
          if ((await Promise.race([send(), expired])) === "expired") {
            break;
          }
          if (queue.size > 0) {
            await Promise.race([pause(Math.min(RETRY_PAUSE, endsAt - Date.now())), expired]);
          }
        }
        return queue.size === 0;
      } finally {
        clearTimeout(alarm);
      }
    },
    /** From now on sends only when told to. */
    stop() {
      isStopped = true;
      unschedule();
    },
    /** Lets go of the queue once the connection is closed: what is left is dropped, and counted. */
    async release() {
      isReleased = true;
      // Now that its connection is closed, what was on its way is settled at once; so it is counted, too.
      await Promise.race([sending, pause(SETTLE_TIMEOUT)]);
      queue.clear();
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });
}
