import { hostname } from "node:os";
import type { EventBodies, EventType } from "../event/event.ts";
import { createEventQueue, type EventQueue } from "./event-queue.ts";
import { createIdentifier } from "../event/identifier.ts";
import { countDropped, observe, type PublisherMetrics } from "../settings/metrics.ts";
import { classifyFailure, PublishFailure } from "./publish-failure.ts";
import type { Settings } from "../settings/settings.ts";
import { within } from "./deadline.ts";
import { openStreamConnection, type StreamConnection, type StreamState } from "./stream-connection.ts";
import { SDK_VERSION } from "../settings/version.ts";
import type { Warnings } from "../settings/warnings.ts";

export type Publisher = {
  readonly settings: Settings;
  readonly producerId: string;
  /** The last number given: each up to it was published or dropped, or still waits. */
  lastSequence(): number;
  /** Queues one event whose body is already bounded and the SDK's own; `size` is about what it holds. Never waits. */
  enqueue<Type extends EventType>(type: Type, body: EventBodies[Type], size: number): void;
  /** Connects, looks at the stream and sends what is queued; throws a PublishFailure within the deadline. */
  probe(deadline: number): Promise<StreamState>;
  /** Sends what is queued; true when nothing is left. Keeps the process alive until then or until the deadline. */
  flush(deadline: number): Promise<boolean>;
  /** Says goodbye, flushes, lets go. What is left is dropped and counted. */
  close(deadline: number): Promise<void>;
};

/** Small enough that writing one batch holds the application's thread for well under a millisecond. */
const BATCH_EVENTS = 64;
/** Behind an application that leaves no time, a batch a turn must be larger, or most of its events are dropped. */
const BACKLOG_EVENTS = 1000;
const BACKLOG_BATCH_EVENTS = 256;
const BATCH_BYTES = 256 * 1024;
/** Milliseconds for writing events as text in one turn of the event loop. */
const WRITE_BUDGET = 1;
const LINGER = 50;
const CALL_TIMEOUT = 2000;
const SETTLE_TIMEOUT = 200;
const HEARTBEAT_INTERVAL = 10_000;
const FIRST_BACKOFF = 250;
const LONGEST_BACKOFF = 30_000;

/** Queues events in this process and moves them to the stream in the background, oldest first, one batch at a time. */
export function startPublisher(settings: Settings, metrics: PublisherMetrics, warnings: Warnings): Publisher {
  const producerId = createIdentifier();
  const queue = createEventQueue({ bytes: settings.maxBufferBytes, events: settings.maxBufferEvents }, (reason, count) => {
    countDropped(metrics, reason, count);
    if (reason === "buffer_full") {
      warnings.say(reason, "the buffer is full: the oldest events are dropped");
    }
  });
  let connection: StreamConnection | undefined;
  let connecting: Promise<StreamConnection> | undefined;
  let failures = 0;
  let lastFailure: PublishFailure | undefined;
  let resumesAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: NodeJS.Immediate | undefined;
  let sending: Promise<void> | undefined;
  /** How many callers await the network; only then does the socket keep the process alive. */
  let awaited = 0;
  let closed = false;
  let released = false;
  let inspectionDue = false;

  metrics.bufferedEvents = () => queue.size;
  metrics.bufferedBytes = () => queue.bytes;

  const enqueue: EventQueue["add"] = (type, body, size) => {
    if (closed) {
      countDropped(metrics, "closed", 1);
      return;
    }
    queue.add(type, body, size);
    writing ??= setImmediate(write).unref();
    schedule(LINGER);
  };

  const write = () => {
    writing = queue.write(WRITE_BUDGET) ? setImmediate(write).unref() : undefined;
  };

  const schedule = (delay: number) => {
    if (timer === undefined && sending === undefined && !closed) {
      timer = setTimeout(() => void send(), Math.max(delay, resumesAt - Date.now()));
      timer.unref();
    }
  };

  /** One turn of sending at a time; a second caller waits for the same turn. */
  const send = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= drain().finally(() => {
      sending = undefined;
      if (queue.size > 0 || inspectionDue) {
        schedule(LINGER);
      }
    });
    return sending;
  };

  const drain = async (): Promise<void> => {
    while (queue.size > 0 && (await sendBatch())) {
      // A batch at a time until the buffer is empty or Redis refuses.
    }
    if (inspectionDue && failures === 0) {
      inspectionDue = false;
      await sample();
    }
  };

  const sendBatch = async (): Promise<boolean> => {
    try {
      const open = await connect(CALL_TIMEOUT);
      // After a failure one event tests the water.
      const size = queue.size > BACKLOG_EVENTS ? BACKLOG_BATCH_EVENTS : BATCH_EVENTS;
      const batch = queue.take(failures > 0 ? 1 : size, BATCH_BYTES);
      const startedAt = performance.now();
      const { unsent, failure } = await open.append(batch, producerId, CALL_TIMEOUT);
      queue.settle(batch, unsent);
      if (released) {
        queue.clear();
      }
      metrics.published += batch.length - unsent.length;
      if (failure === undefined) {
        observe(metrics.roundTripSeconds, (performance.now() - startedAt) / 1000);
        failures = 0;
        lastFailure = undefined;
        return true;
      }
      stumble(failure);
    } catch (error) {
      stumble(classifyFailure(error));
    }
    return false;
  };

  const connect = (timeout: number): Promise<StreamConnection> => {
    if (connection?.isOpen() === true) {
      return Promise.resolve(connection);
    }
    connecting ??= reconnect(timeout).finally(() => {
      connecting = undefined;
    });
    return connecting;
  };

  const reconnect = async (timeout: number): Promise<StreamConnection> => {
    connection?.close();
    connection = undefined;
    const opened = await openStreamConnection(settings, timeout);
    if (released) {
      opened.close();
      throw new PublishFailure("disconnected", "the publisher is closed");
    }
    opened.keepAlive(awaited > 0);
    connection = opened;
    queue.reconnected();
    return opened;
  };

  const hold = (change: 1 | -1) => {
    awaited += change;
    connection?.keepAlive(awaited > 0);
  };

  const stumble = (failure: PublishFailure) => {
    failures += 1;
    lastFailure = failure;
    const backoff = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** Math.min(failures - 1, 10));
    resumesAt = Date.now() + backoff * (0.5 + Math.random() * 0.5);
    warnings.say(failure.reason, `${failure.message}; events wait in this process and the application goes on`);
  };

  const sample = async (): Promise<void> => {
    try {
      remember(await (await connect(CALL_TIMEOUT)).inspect(CALL_TIMEOUT));
    } catch (error) {
      connection?.close();
      stumble(classifyFailure(error));
    }
  };

  const remember = (state: StreamState): StreamState => {
    metrics.streamLength = state.length;
    metrics.consumerAlive = state.consumerAlive;
    metrics.consumerLagSeconds = state.lagSeconds;
    return state;
  };

  /** Its own number is the last that was given. */
  const report = (sequence: number) => ({
    last_seq: sequence,
    ...(metrics.dropped.size > 0 ? { dropped: Object.fromEntries(metrics.dropped) } : {}),
  });

  const heartbeat = setInterval(() => {
    inspectionDue = true;
    enqueue("producer.heartbeat", report, 0);
  }, HEARTBEAT_INTERVAL);
  heartbeat.unref();

  const flush = async (deadline: number): Promise<boolean> => {
    const endsAt = Date.now() + deadline;
    hold(1);
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
          await Promise.race([pause(Math.min(200, endsAt - Date.now())), expired]);
        }
      }
      return queue.size === 0;
    } finally {
      clearTimeout(alarm);
      hold(-1);
    }
  };

  const hello = {
    sdk: `@sightline/sdk ${SDK_VERSION}`,
    runtime: `node ${process.versions.node}`,
    host: hostname().slice(0, 300),
    pid: process.pid,
  };
  enqueue("producer.hello", hello, 0);

  return {
    settings,
    producerId,
    lastSequence: () => queue.lastSequence,
    enqueue,
    async probe(deadline) {
      const endsAt = Date.now() + deadline;
      const remaining = () => Math.max(1, endsAt - Date.now());
      hold(1);
      try {
        const open = await connect(deadline);
        const state = remember(await open.inspect(remaining()));
        await within(remaining(), send());
        if (lastFailure !== undefined) {
          throw lastFailure;
        }
        return state;
      } catch (error) {
        const failure = classifyFailure(error);
        if (failure !== lastFailure) {
          stumble(failure);
        }
        throw failure;
      } finally {
        hold(-1);
      }
    },
    flush,
    async close(deadline) {
      if (closed) {
        return;
      }
      clearInterval(heartbeat);
      enqueue("producer.bye", report, 0);
      closed = true;
      await flush(deadline);
      clearTimeout(timer);
      if (queue.size > 0) {
        warnings.say("closed", `closed with ${queue.size} events that the stream could not take in time; they are lost`);
      }
      released = true;
      connection?.close();
      // What was on its way is settled at once, now that its connection is gone; so that it is counted, too.
      await Promise.race([sending, pause(SETTLE_TIMEOUT)]);
      connection = undefined;
      queue.clear();
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });
}
