import { errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { createRedis } from "@sightline/foundation/redis";
import { toCommittedChannel, decodeCommitted, type Committed } from "#events/committed.ts";

export type CommitFeed = {
  /** Calls each of those given. */
  readonly onCommit: (hear: (committed: Committed) => void) => void;
  /** While it is not connected, no announcement arrives. */
  readonly isConnected: () => boolean;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type FeedOptions = { readonly url: string; readonly streamName: string; readonly log: Logger };

/** The pause between two tries of a user who may not subscribe. */
const RETRY_MS = 30_000;

/** Listens to what consumers announce as committed. A Redis that is away, or does not let us subscribe, is waited for. */
export function createCommitFeed({ url, streamName, log }: FeedOptions): CommitFeed {
  const { client, close } = createRedis({ url, name: "sightline-observability-live", log });
  const channel = toCommittedChannel(streamName);
  let isConnected = false;
  let isStopped = false;
  let lastReason = "";
  let timer: NodeJS.Timeout | undefined;
  const listeners: ((committed: Committed) => void)[] = [];

  async function subscribe(): Promise<void> {
    clearTimeout(timer);
    try {
      await client.subscribe(channel);
      isConnected = true;
      lastReason = "";
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== lastReason && !isStopped) {
        log.warn({ reason, channel }, "commits can't be listened to; live views look into the database instead");
      }
      lastReason = reason;
      timer = isStopped || client.status !== "ready" ? undefined : setTimeout(() => void subscribe(), RETRY_MS).unref();
    }
  }

  client.on("ready", () => void subscribe());
  client.on("close", () => {
    isConnected = false;
  });
  client.on("message", (_channel, message) => {
    const committed = decodeCommitted(message);
    if (committed !== undefined) {
      listeners.forEach((hear) => hear(committed));
    }
  });
  return {
    onCommit: (hear) => void listeners.push(hear),
    isConnected: () => isConnected,
    start: () => client.connect().catch(() => undefined),
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await close();
    },
  };
}
