import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { createRedis, type RedisConnection } from "@sightline/foundation/redis";
import { addressOf } from "@sightline/foundation/testing/on-server";
import { CITUS_SETTINGS, createClusterDatabase, findCitusServer } from "@sightline/foundation/testing/private-citus";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { v7 as uuidv7 } from "uuid";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { distributeObservability } from "#store/distribute.ts";
import { insertProject } from "#store/projects.store.ts";
import { createConsumerReplica, type ConsumerReplica } from "./consumer-processes.ts";
import { HASTY_TUNING } from "./ingestion-world.ts";
import { createKillablePostgresOf, createKillableRedis, type KillableServer } from "@sightline/foundation/testing/killable-server";
import type { NumberedEntry } from "./numbered-events.ts";

/** A coordinator and two workers, a Redis and a replica of the consumer at each worker, all in processes of their own that can be killed. */
export type ClusterWorld = {
  readonly database: Database<ObservabilitySchema>;
  readonly nodes: readonly KillableServer[];
  readonly replicas: readonly ConsumerReplica[];
  /** What each worker has, by its port. */
  readonly projectsOf: ReadonlyMap<number, readonly string[]>;
  readonly publish: (entries: readonly NumberedEntry[]) => Promise<void>;
  readonly backlog: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

const STREAM = "observability:events";
const NAME = "proof";
/** What was prepared on a node that died is settled so soon after it is back; the default is a minute. */
const SETTINGS = { ...CITUS_SETTINGS, "citus.recover_2pc_interval": "2s" };

/** @throws {Error} when there is no Citus; it says how to make it. */
export async function startClusterWorld({ projects }: { readonly projects: number }): Promise<ClusterWorld> {
  const found = await findCitusServer();
  const redisServer = await createKillableRedis();
  const nodes = [
    await createKillablePostgresOf(found, SETTINGS),
    await createKillablePostgresOf(found, SETTINGS),
    await createKillablePostgresOf(found, SETTINGS),
  ];
  await Promise.all([redisServer, ...nodes].map((server) => server.start()));
  const [coordinator = "", ...workers] = nodes.map(({ url }) => url);
  await createClusterDatabase({ coordinator, workers }, NAME);
  const databaseUrl = addressOf(coordinator, NAME);
  const database = createDatabase<ObservabilitySchema>({ url: databaseUrl, poolSize: 4, applicationName: NAME, log: silentLog });
  await migrateUp(database.pool, observabilityMigrations);
  await distributeObservability(database.pool);
  const projectsOf = new Map<number, string[]>();
  for (let made = 0; made < projects; made += 1) {
    const id = uuidv7();
    await insertProject(database.query, { id, tenantId: "tenant-1", name: "proof" });
    const port = await portOf(database, id);
    projectsOf.set(port, [...(projectsOf.get(port) ?? []), id]);
  }
  const redis: RedisConnection = createRedis({ url: redisServer.url, name: NAME, log: silentLog });
  await redis.client.connect();
  const options = { redisUrl: redisServer.url, stream: STREAM, group: NAME, tuning: HASTY_TUNING };
  const replicas = workers.map((worker) => createConsumerReplica({ ...options, databaseUrl: addressOf(worker, NAME) }));
  replicas.forEach((replica) => replica.start());
  return {
    database,
    nodes,
    replicas,
    projectsOf,
    publish: async (entries) => {
      const pipeline = redis.client.pipeline();
      for (const { fields } of entries) {
        pipeline.xadd(STREAM, "*", ...fields);
      }
      await pipeline.exec();
    },
    backlog: () => redis.client.xlen(STREAM),
    stop: async () => {
      await Promise.all(replicas.map((replica) => replica.kill()));
      await Promise.all([redis.close(), database.close()]);
      await Promise.all([redisServer, ...nodes].map((server) => server.remove()));
    },
  };
}

/** The port of the node that has the project. */
async function portOf({ pool }: Database<ObservabilitySchema>, projectId: string): Promise<number> {
  const { rows } = await pool.query<{ port: number }>(
    `select nodeport as port from citus_shards
     where table_name = 'observability.traces'::regclass and shardid = get_shard_id_for_distribution_column('observability.traces', $1::uuid)`,
    [projectId],
  );
  return rows[0]?.port ?? 0;
}
