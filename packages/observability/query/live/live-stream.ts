import { Readable } from "node:stream";
import type { AppError } from "@sightline/foundation/errors";
import type { LiveTraces } from "#contract.ts";

/** One client's stream of events. */
export type LiveStream = {
  readonly stream: Readable;
  /** Reports a change: of these traces or, without them, of unknown ones. */
  readonly notify: (traceIds: readonly string[] | undefined) => void;
  /** Keeps the connection alive, and ends it when its client has read nothing for long. */
  readonly beat: () => void;
  readonly end: (refusal?: AppError) => void;
};

export type LiveStreamTuning = {
  /** The least time between two events of a stream. */
  readonly everyMs: number;
  /** Events are held back while so many bytes wait for the client. */
  readonly backlogBytes: number;
  /** How long a client may read nothing. */
  readonly stuckMs: number;
};

/** The most traces that one event names. */
const MAX_NAMED_TRACES = 500;

/** Events that come faster than `everyMs`, or than the client reads, become one: it is told what changed, not how often. */
export function openLiveStream({ everyMs, backlogBytes, stuckMs }: LiveStreamTuning): LiveStream {
  const stream = new Readable({ read: () => undefined });
  const pending = new Set<string>();
  let isMore = false;
  let revision = 0;
  let sentAt = -Infinity;
  let stuckSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  stream.on("close", () => clearTimeout(timer));
  // A client that disconnects in the middle of a write is no error of the server.
  stream.on("error", () => undefined);
  stream.push("retry: 2000\n\n");
  stream.push(eventOf("ready", {}));

  function isStuck(now: number): boolean {
    stuckSince = stream.readableLength < backlogBytes ? undefined : (stuckSince ?? now);
    return stuckSince !== undefined;
  }

  function schedule(): void {
    if (timer === undefined && !stream.destroyed) {
      timer = setTimeout(flush, Math.max(sentAt + everyMs - performance.now(), 0)).unref();
    }
  }

  function flush(): void {
    timer = undefined;
    const now = performance.now();
    if (isStuck(now)) {
      sentAt = now;
      schedule();
      return;
    }
    revision += 1;
    const data: LiveTraces = { trace_ids: [...pending], truncated: isMore, revision };
    pending.clear();
    isMore = false;
    sentAt = now;
    stream.push(eventOf("traces", data));
  }

  return {
    stream,
    notify: (traceIds) => {
      for (const id of traceIds ?? []) {
        if (pending.size < MAX_NAMED_TRACES || pending.has(id)) {
          pending.add(id);
        } else {
          isMore = true;
        }
      }
      isMore ||= traceIds === undefined;
      schedule();
    },
    beat: () => {
      if (!isStuck(performance.now())) {
        stream.push(": alive\n\n");
      } else if (performance.now() - (stuckSince ?? 0) > stuckMs) {
        stream.destroy();
      }
    },
    end: (refusal) => {
      if (!stream.destroyed) {
        clearTimeout(timer);
        if (refusal !== undefined) {
          stream.push(eventOf("refused", refusal.toBody()));
        }
        stream.push(null);
      }
    },
  };
}

function eventOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
