import { Redis } from "ioredis";
import type { Check } from "./health.ts";
import type { Logger } from "./log.ts";

export type { Redis } from "ioredis";

export type RedisConnection = {
  readonly client: Redis;
  readonly check: Check;
  readonly close: () => Promise<void>;
};

type RedisConnectionOptions = {
  readonly url: string;
  readonly name: string;
  readonly log: Logger;
  /** For a connection that waits on the server (`XREADGROUP … BLOCK`): the longest wait in milliseconds. */
  readonly blockingMs?: number;
};

const CONNECT_MS = 5_000;
const COMMAND_MS = 5_000;

/**
 * A connection that fails fast: no command waits in memory for a server that is away,
 * every command has a time limit, and the connection comes back by itself.
 */
export function createRedis({ url, name, log, blockingMs = 0 }: RedisConnectionOptions): RedisConnection {
  const client = new Redis(url, {
    connectionName: name,
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS + blockingMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(100 * 2 ** Math.min(attempt, 6), 3_000) * (0.75 + Math.random() / 2),
  });
  let lastReason = "";
  client.on("error", (error: Error) => {
    if (error.message !== lastReason) {
      lastReason = error.message;
      log.warn({ reason: error.message }, "the Redis connection failed");
    }
  });
  client.on("ready", () => {
    lastReason = "";
  });
  return {
    client,
    check: { name: "redis", check: async () => void (await client.ping()) },
    close: async () => client.disconnect(),
  };
}
