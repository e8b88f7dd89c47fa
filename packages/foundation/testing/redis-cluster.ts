import { setTimeout as delay } from "node:timers/promises";
import { createRedis, redisServers, type RedisServer } from "#redis.ts";
import { freePort } from "./private-server.ts";
import { silentLog } from "./silent-log.ts";
import { createKillableRedis, type KillableServer } from "./killable-server.ts";

/** A Redis Cluster of three masters on this machine, each in a process that can be killed. */
export type RedisCluster = {
  /** All nodes, as the product is given them. */
  readonly url: string;
  readonly nodes: readonly KillableServer[];
  /** The node that has the key now, as the others say. */
  readonly masterOf: (key: string) => Promise<KillableServer>;
  readonly remove: () => Promise<void>;
};

const MASTERS = 3;
const SLOTS = 16_384;
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

/** @param replicas Of each master; with one a master that is killed is replaced within some seconds. */
export async function startRedisCluster(replicas: 0 | 1): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: MASTERS * (1 + replicas) }, async () =>
      createKillableRedis({
        "cluster-enabled": "yes",
        "cluster-node-timeout": "1000",
        "cluster-port": String(await freePort()),
        // A replica follows within the test, whatever it has missed.
        "cluster-replica-validity-factor": "0",
        "repl-diskless-sync-delay": "0",
      }),
    ),
  );
  await Promise.all(nodes.map((node) => node.start()));
  await withClients(nodes, join);

  return {
    url: `redis://${nodes.map(({ url }) => new URL(url).host).join(",")}`,
    nodes,
    masterOf: async (key) => {
      for (const endsAt = Date.now() + PATIENCE_MS; Date.now() < endsAt; await delay(PAUSE_MS)) {
        const found = await findMaster(nodes, key);
        if (found !== undefined) {
          return found;
        }
      }
      throw new Error(`No node says who has ${key}.`);
    },
    remove: async () => {
      await Promise.all(nodes.map((node) => node.remove()));
    },
  };
}

async function join(clients: readonly RedisServer[]): Promise<void> {
  const masters = clients.slice(0, MASTERS);
  const share = Math.ceil(SLOTS / MASTERS);
  await Promise.all(
    masters.map((client, index) => client.call("CLUSTER", "ADDSLOTSRANGE", index * share, Math.min((index + 1) * share, SLOTS) - 1)),
  );
  const [first] = clients;
  for (const client of clients) {
    const { port = 0 } = client.options;
    const bus = (await client.call("CONFIG", "GET", "cluster-port")) as readonly string[];
    await first?.call("CLUSTER", "MEET", "127.0.0.1", port, Number(bus[1]));
  }
  await until(async () => (await infoOf(clients)).every((info) => info.includes(`cluster_known_nodes:${clients.length}`)));
  await Promise.all(
    clients.slice(MASTERS).map(async (client, index) => {
      const master = String(await masters[index]?.call("CLUSTER", "MYID"));
      // It may not know that one yet.
      await until(async () =>
        client.call("CLUSTER", "REPLICATE", master).then(
          () => true,
          () => false,
        ),
      );
      await until(async () => (await client.info("replication")).includes("master_link_status:up"));
    }),
  );
  await until(async () => (await infoOf(clients)).every((info) => info.includes("cluster_state:ok")));
}

function infoOf(clients: readonly RedisServer[]): Promise<readonly string[]> {
  return Promise.all(clients.map(async (client) => String(await client.call("CLUSTER", "INFO"))));
}

async function findMaster(nodes: readonly KillableServer[], key: string): Promise<KillableServer | undefined> {
  for (const node of nodes) {
    const port = await withClients([node], async ([client]) => {
      const slot = Number(await client?.call("CLUSTER", "KEYSLOT", key));
      const slots = (await client?.call("CLUSTER", "SLOTS")) as readonly [number, number, readonly [string, number]][];
      return slots.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
    }).catch(() => undefined);
    const found = nodes.find(({ url }) => new URL(url).port === String(port));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

async function withClients<Result>(
  nodes: readonly KillableServer[],
  work: (clients: readonly RedisServer[]) => Promise<Result>,
): Promise<Result> {
  const connections = nodes.map(({ url }) => createRedis({ url, name: "cluster", log: silentLog }));
  try {
    const clients = connections.flatMap(({ client }) => redisServers(client));
    await Promise.all(clients.map((client) => client.connect()));
    return await work(clients);
  } finally {
    await Promise.all(connections.map(({ close }) => close()));
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const endsAt = Date.now() + PATIENCE_MS; !(await isSo()); await delay(PAUSE_MS)) {
    if (Date.now() > endsAt) {
      throw new Error("The Redis Cluster did not form.");
    }
  }
}
