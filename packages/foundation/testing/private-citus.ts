import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { escapeIdentifier } from "pg";
import { servicesFolder, type FoundServer } from "./find-services.ts";
import { debianIn } from "./installation.ts";
import { addressOf, onServer } from "./on-server.ts";
import { startPostgres } from "./private-postgres.ts";

/** PostgreSQL servers of this run's own with Citus. Addresses lead to their database `postgres`, which is not of the cluster. */
export type PrivateCluster = {
  readonly coordinator: string;
  readonly workers: readonly string[];
  /** Stops them and removes their data. They end by themselves when this process does. */
  readonly stop: () => Promise<void>;
};

/** What a node needs to be one of a cluster. */
export const CITUS_SETTINGS = {
  shared_preload_libraries: "citus",
  "citus.node_conninfo": "sslmode=disable",
  // To move a schema while it is written to.
  wal_level: "logical",
  max_wal_senders: "20",
  max_replication_slots: "20",
  shared_buffers: "64MB",
};

type Starting = {
  readonly workers: number;
  /** Of PostgreSQL, on every node, before ours. */
  readonly settings?: Readonly<Record<string, string>>;
};

/**
 * Starts a coordinator and workers out of the folder that `tools/citus.sh` made.
 *
 * @throws {Error} when there is none; it says how to make it.
 */
export async function startCitus({ workers, settings = {} }: Starting): Promise<PrivateCluster> {
  const found = await findCitusServer();
  const started = await Promise.allSettled(
    Array.from({ length: 1 + workers }, () => startPostgres(found, { ...CITUS_SETTINGS, ...settings })),
  );
  const nodes = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  const failed = started.find((result) => result.status === "rejected");
  const [coordinator, ...others] = nodes.map((node) => node.url);
  if (failed !== undefined || coordinator === undefined) {
    await stop();
    throw failed?.reason;
  }
  return { coordinator, workers: others, stop };
}

/**
 * The PostgreSQL with Citus that `tools/citus.sh` made.
 *
 * @throws {Error} when there is none; it says how to make it.
 */
export async function findCitusServer(): Promise<FoundServer> {
  const root = findCitus();
  if (root === undefined) {
    throw new Error("There is no Citus here. Build it: CITUS_SOURCE=<folder or git repository of its source> tools/citus.sh");
  }
  return { installation: await debianIn(root), program: "/usr/lib/postgresql/17/bin" };
}

/** Makes an empty database that is spread over the cluster; `name` is its name on every node. */
export async function createClusterDatabase({ coordinator, workers }: Omit<PrivateCluster, "stop">, name: string): Promise<void> {
  const making = [coordinator, ...workers].map(async (node) => {
    await onServer(node, (client) => client.query(`create database ${escapeIdentifier(name)}`));
    await onServer(addressOf(node, name), (client) => client.query("create extension citus"));
  });
  await Promise.all(making);
  await onServer(addressOf(coordinator, name), async (client) => {
    await client.query("select citus_set_coordinator_host($1, $2)", hostAndPort(coordinator));
    for (const worker of workers) {
      await client.query("select citus_add_node($1, $2)", hostAndPort(worker));
    }
  });
}

/** Removes it from every node, whoever is connected to it. */
export async function dropClusterDatabase({ coordinator, workers }: Omit<PrivateCluster, "stop">, name: string): Promise<void> {
  for (const node of [coordinator, ...workers]) {
    await onServer(node, (client) => client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`));
  }
}

function hostAndPort(url: string): [host: string, port: number] {
  const { hostname, port } = new URL(url);
  return [hostname, Number(port)];
}

/** The newest that was built. */
function findCitus(): string | undefined {
  const cache = servicesFolder();
  const built = existsSync(cache) ? readdirSync(cache).filter((name) => /^citus-\d/.test(name)) : [];
  const newest = built.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return newest.map((name) => join(cache, name)).find((root) => existsSync(join(root, "usr/lib/postgresql/17/lib/citus.so")));
}
