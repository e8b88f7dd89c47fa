import { Cluster, Redis as RedisServer } from "ioredis";
import type { Check } from "./health.ts";
import type { Logger } from "./log.ts";
import { redisAddresses } from "./redis-addresses.ts";

export type { Redis as RedisServer } from "ioredis";

/** A client of one server, or of a Redis Cluster: then all keys of a command must live in one slot. */
export type Redis = RedisServer | Cluster;

export type RedisConnection = {
  readonly client: Redis;
  readonly check: Check;
  readonly close: () => Promise<void>;
};

type RedisConnectionOptions = {
  /** Several addresses separated by commas are nodes of a Redis Cluster. */
  readonly url: string;
  readonly name: string;
  readonly log: Logger;
  /** For a connection that waits on the server (`XREADGROUP … BLOCK`): the longest wait in milliseconds. */
  readonly blockingMs?: number;
};

const CONNECT_MS = 5_000;
const COMMAND_MS = 5_000;
/** A cluster promotes a replica some seconds after its master went, or somebody moves a slot. */
const CLUSTER_REFRESH_MS = 5_000;

/**
 * A connection that fails fast: no command waits in memory for a server that is away,
 * every command has a time limit, and the connection comes back by itself.
 */
export function createRedis({ url, name, log, blockingMs = 0 }: RedisConnectionOptions): RedisConnection {
  const options = {
    connectionName: name,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS + blockingMs,
    maxRetriesPerRequest: 0,
  };
  const addresses = redisAddresses(url);
  const client = addresses.length > 1 ? createCluster(addresses, options) : createServer(url, options);
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
    check: { name: "redis", check: () => demandAnswer(client) },
    close: async () => client.disconnect(),
  };
}

/** The servers that hold keys: the masters of a cluster as far as they are known, else the one server. */
export function redisServers(redis: Redis): readonly RedisServer[] {
  return redis instanceof Cluster ? redis.nodes("master") : [redis];
}

/** The time, in seconds, of the server that holds `key`: the nodes of a cluster may differ. */
export async function redisSeconds(redis: Redis, key: string): Promise<number> {
  const time = redis instanceof Cluster ? redis.eval("return redis.call('TIME')", 1, key) : redis.time();
  const [seconds, microseconds] = (await time) as [string | number, string | number];
  return Number(seconds) + Number(microseconds) / 1e6;
}

type ServerOptions = {
  readonly connectionName: string;
  readonly connectTimeout: number;
  readonly commandTimeout: number;
  readonly maxRetriesPerRequest: number;
};

function createServer(url: string, options: ServerOptions): RedisServer {
  return new RedisServer(url, { ...options, lazyConnect: true, enableOfflineQueue: false, retryStrategy: pauseBefore });
}

function createCluster(addresses: readonly string[], options: ServerOptions): Cluster {
  const urls = addresses.map((address) => new URL(address));
  const [first] = urls;
  const { username = "", password = "", protocol = "" } = first ?? {};
  return new Cluster(
    urls.map(({ hostname, port }) => ({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 6379) })),
    {
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: pauseBefore,
      slotsRefreshTimeout: CONNECT_MS,
      slotsRefreshInterval: CLUSTER_REFRESH_MS,
      // Certificates name hosts, and the look-up would replace them by addresses.
      ...(protocol === "rediss:" ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
      redisOptions: {
        ...options,
        ...(username === "" ? {} : { username: decodeURIComponent(username) }),
        ...(password === "" ? {} : { password: decodeURIComponent(password) }),
        ...(protocol === "rediss:" ? { tls: {} } : {}),
      },
    },
  );
}

function pauseBefore(attempt: number): number {
  return Math.min(100 * 2 ** Math.min(attempt, 6), 3_000) * (0.75 + Math.random() / 2);
}

/** Of a cluster every slot must be served: a key that can't be reached is as bad as a server that is away. */
async function demandAnswer(client: Redis): Promise<void> {
  if (!(client instanceof Cluster)) {
    await client.ping();
    return;
  }
  const info = await client.cluster("INFO");
  if (!info.includes("cluster_state:ok") || !/^cluster_slots_ok:16384\r?$/m.test(info)) {
    throw new Error("CLUSTERDOWN not every slot of the Redis Cluster is served");
  }
}
