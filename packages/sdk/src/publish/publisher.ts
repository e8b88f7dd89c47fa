import { createIdentifier } from "../event/identifier.ts";
import { countDropped, type PublisherMetrics } from "../settings/metrics.ts";
import type { Settings } from "../settings/settings.ts";
import type { Warnings } from "../settings/warnings.ts";
import { createConnector } from "./connector.ts";
import { createEntryWriter } from "./entry-writer.ts";
import { createEventQueue, type EventQueue } from "./event-queue.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { createInspection } from "./inspection.ts";
import { classifyFailure, within } from "./publish-failure.ts";
import { partitionKeyOf } from "./partitions.ts";
import { sendAtExit } from "./send-at-exit.ts";
import { createSender } from "./sender.ts";
import { openStreamConnection, type StreamState } from "./stream-connection.ts";
import { timestamp } from "../event/timestamp.ts";
import { deliverGoodbyes, keepGoodbye } from "./unsent-goodbyes.ts";

export type Publisher = ReturnType<typeof startPublisher>;

/** Milliseconds for writing events as text in one turn of the event loop. */
const WRITE_BUDGET = 1;
/** And until it begins, as long as a batch waits: events one after the other take half of the time that they take between other work. */
const WRITE_PAUSE = 100;

/** Queues events in this process and moves them to the stream in the background. */
export function startPublisher(settings: Settings, metrics: PublisherMetrics, warnings: Warnings) {
  const producerId = createIdentifier();
  const queue = createEventQueue({ bytes: settings.maxBufferBytes, events: settings.maxBufferEvents }, (reason, count) => {
    countDropped(metrics, reason, count);
    if (reason === "buffer_full") {
      warnings.say(reason, "the buffer is full: the oldest events are dropped");
    }
  });
  let partitions: number | undefined;
  const connector = createConnector(
    async (timeout) => {
      const endsAt = Date.now() + timeout;
      const connection = await openStreamConnection({ settings, producerId, partitions }, timeout);
      partitions ??= connection.partitions;
      await deliverGoodbyes(connection, settings.projectId, Math.max(1, endsAt - Date.now()));
      return connection;
    },
    () => queue.reconnected(),
    warnings,
  );
  const inspection = createInspection(connector, metrics);
  const sender = createSender(producerId, queue, connector, inspection, metrics);
  let isWriting = false;
  let closed = false;

  metrics.bufferedEvents = () => queue.size;
  metrics.bufferedBytes = () => queue.bytes;

  const write = () => {
    try {
      isWriting = queue.write(WRITE_BUDGET);
      if (isWriting) {
        setImmediate(write).unref();
      }
    } catch {
      // Clocks that an application has replaced may throw; what is not written now is written when it is sent.
      isWriting = false;
    }
  };

  /** Queues one event whose body is already bounded and the SDK's own; `size` is about what it holds. Never waits. */
  const enqueue: EventQueue["add"] = (type, body, size) => {
    if (closed) {
      countDropped(metrics, "closed", 1);
      return;
    }
    queue.add(type, body, size);
    if (!isWriting) {
      isWriting = true;
      setTimeout(write, WRITE_PAUSE).unref();
    }
    sender.schedule();
  };

  const heartbeat = startHeartbeat(enqueue, metrics, () => inspection.request());

  /** Connects, looks at the stream and sends what is queued; throws a PublishFailure within the deadline. */
  const probe = async (deadline: number): Promise<StreamState> => {
    const endsAt = Date.now() + deadline;
    const remaining = () => Math.max(1, endsAt - Date.now());
    try {
      const connection = await connector.connect(deadline);
      const state = inspection.note(await connection.inspect(remaining()));
      await within(remaining(), sender.send());
      if (connector.failure !== undefined) {
        throw connector.failure;
      }
      return state;
    } catch (error) {
      const failure = classifyFailure(error);
      if (failure !== connector.failure) {
        connector.failed(failure);
      }
      throw failure;
    }
  };

  /** Leaves the goodbye of this producer to a later process, as `left` events that were numbered will not arrive. */
  const leaveGoodbye = (left: number) => {
    const seq = queue.lastSequence;
    const goodbye = { producer_id: producerId, id: createIdentifier(), seq, ts: timestamp(), body: JSON.stringify(heartbeat.report(seq)) };
    const isKept = keepGoodbye(settings.projectId, goodbye);
    const outlook = isKept ? "the next start on this machine reports them" : "nothing reports them";
    warnings.say("closed", `ended with ${left} events that the stream had not taken; they are lost, and ${outlook}`);
  };

  /** Sends what is queued; true when nothing is left. Keeps the process alive until then or until the deadline. */
  const flush = (deadline: number) => connector.keepAliveDuring(() => sender.flush(deadline));

  return {
    settings,
    producerId,
    /** Names and hashes of the graphs that this producer has declared. */
    announcedGraphs: new Set<string>(),
    /** The last number given: each up to it was published or dropped, or still waits. */
    lastSequence: () => queue.lastSequence,
    enqueue,
    /** Says something to the application's log, at most once a minute for each reason. */
    warn: (reason: string, message: string) => warnings.say(reason, message),
    probe: (deadline: number) => connector.keepAliveDuring(() => probe(deadline)),
    flush,
    /** The process ends at once: what waits is sent while it does, and what Redis does not take then is dropped and counted. */
    abandon() {
      if (closed || queue.size === 0) {
        return;
      }
      heartbeat.stop();
      closed = true;
      const entries = [...sender.inFlight(), ...queue.take(Infinity, Infinity)];
      const writeEntries = createEntryWriter(settings, partitionKeyOf(settings.streamName, producerId, partitions ?? 1), producerId);
      // Who is known not to answer is not waited for.
      const taken = connector.failure === undefined ? sendAtExit(settings.redisUrl, writeEntries(entries), entries.length) : [];
      const unsent = entries.filter((_entry, index) => taken[index] !== true);
      queue.settle(entries, unsent);
      const left = queue.size;
      queue.clear();
      metrics.published += entries.length - unsent.length;
      if (left > 0) {
        leaveGoodbye(left);
      }
    },
    /** Says goodbye, flushes, lets go. What is left is dropped and counted. */
    async close(deadline: number): Promise<void> {
      if (closed) {
        return;
      }
      heartbeat.stop();
      closed = true;
      sender.stop();
      await flush(deadline);
      const left = queue.size;
      connector.close();
      await sender.release();
      if (left > 0) {
        leaveGoodbye(left);
      }
    },
  };
}
