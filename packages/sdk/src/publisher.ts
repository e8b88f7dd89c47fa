import { hostname } from "node:os";
import type { EventBodies, EventType, StreamEntry } from "./event.ts";
import { createEventBuffer } from "./event-buffer.ts";
import { createIdentifier } from "./identifier.ts";
import { countDropped, observe, type PublisherMetrics } from "./metrics.ts";
import { classifyFailure, PublishFailure } from "./publish-failure.ts";
import type { Settings } from "./settings.ts";
import { within } from "./deadline.ts";
import { openStreamConnection, type StreamConnection, type StreamState } from "./stream-connection.ts";
import { SDK_VERSION } from "./version.ts";
import type { Warnings } from "./warnings.ts";

export type Publisher = {
  readonly settings: Settings;
  readonly producerId: string;
  /** Queues one event whose body is already bounded and masked. Never waits. */
  enqueue<Type extends EventType>(type: Type, body: EventBodies[Type]): void;
  /** Connects, looks at the stream and sends what is queued; throws a PublishFailure within the deadline. */
  probe(deadline: number): Promise<StreamState>;
  /** Sends what is queued; true when nothing is left. Keeps the process alive until then or until the deadline. */
  flush(deadline: number): Promise<boolean>;
  /** Says goodbye, flushes, lets go. What is left is dropped and counted. */
  close(deadline: number): Promise<void>;
};

/** Small enough that writing one batch holds the application's thread for well under a millisecond. */
const BATCH_EVENTS = 64;
const BATCH_BYTES = 1024 * 1024;
const LINGER = 10;
const CALL_TIMEOUT = 2000;
const HEARTBEAT_INTERVAL = 10_000;
const FIRST_BACKOFF = 250;
const LONGEST_BACKOFF = 30_000;

/** Queues events in this process and moves them to the stream in the background, oldest first, one batch at a time. */
export function startPublisher(settings: Settings, metrics: PublisherMetrics, warnings: Warnings): Publisher {
  const producerId = createIdentifier();
  const buffer = createEventBuffer({ bytes: settings.maxBufferBytes, events: settings.maxBufferEvents });
  let sequence = 0;
  let connection: StreamConnection | undefined;
  let connecting: Promise<StreamConnection> | undefined;
  let failures = 0;
  let lastFailure: PublishFailure | undefined;
  let resumesAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  /** How many callers await the network; only then does the socket keep the process alive. */
  let awaited = 0;
  let closed = false;
  let released = false;
  let inspectionDue = false;

  metrics.bufferedEvents = () => buffer.size;
  metrics.bufferedBytes = () => buffer.bytes;

  const enqueue: Publisher["enqueue"] = (type, body) => {
    if (closed) {
      countDropped(metrics, "closed", 1);
      return;
    }
    const text = JSON.stringify(body);
    sequence += 1;
    const entry: StreamEntry = {
      id: createIdentifier(),
      type,
      seq: sequence,
      ts: new Date().toISOString(),
      body: text,
      bytes: Buffer.byteLength(text),
    };
    const dropped = buffer.add(entry);
    if (dropped > 0) {
      countDropped(metrics, "buffer_full", dropped);
      warnings.say("buffer_full", "the buffer is full: the oldest events are dropped");
    }
    schedule(LINGER);
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
      if (buffer.size > 0 || inspectionDue) {
        schedule(LINGER);
      }
    });
    return sending;
  };

  const drain = async (): Promise<void> => {
    while (buffer.size > 0 && (await sendBatch())) {
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
      const batch = buffer.take(failures > 0 ? 1 : BATCH_EVENTS, BATCH_BYTES);
      const startedAt = performance.now();
      const { unsent, failure } = await open.append(batch, producerId, CALL_TIMEOUT);
      buffer.settle(unsent);
      metrics.published += batch.length - unsent.length;
      if (failure === undefined) {
        observe(metrics.roundTripSeconds, (performance.now() - startedAt) / 1000);
        failures = 0;
        lastFailure = undefined;
        return true;
      }
      stumble(failure);
    } catch (error) {
      buffer.settle([]);
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

  const report = () => ({
    // The report's own number: all up to here were assigned.
    last_seq: sequence + 1,
    ...(metrics.dropped.size > 0 ? { dropped: Object.fromEntries(metrics.dropped) } : {}),
  });

  const heartbeat = setInterval(() => {
    inspectionDue = true;
    enqueue("producer.heartbeat", report());
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
      while (buffer.size > 0 && Date.now() < endsAt) {
        if ((await Promise.race([send(), expired])) === "expired") {
          break;
        }
        if (buffer.size > 0) {
          await Promise.race([pause(Math.min(200, endsAt - Date.now())), expired]);
        }
      }
      return buffer.size === 0;
    } finally {
      clearTimeout(alarm);
      hold(-1);
    }
  };

  enqueue("producer.hello", {
    sdk: `@sightline/sdk ${SDK_VERSION}`,
    runtime: `node ${process.versions.node}`,
    host: hostname().slice(0, 300),
    pid: process.pid,
  });

  return {
    settings,
    producerId,
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
      enqueue("producer.bye", report());
      closed = true;
      await flush(deadline);
      clearTimeout(timer);
      if (buffer.size > 0) {
        countDropped(metrics, "closed", buffer.size);
        warnings.say("closed", `closed with ${buffer.size} events that the stream could not take in time; they are lost`);
      }
      buffer.clear();
      released = true;
      connection?.close();
      connection = undefined;
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });
}
