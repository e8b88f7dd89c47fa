import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { createRedis, type Redis } from "@sightline/foundation/redis";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { setTimeout as delay } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { partitionKey, partitionKeys, findPartition } from "#events/partitions.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createConsumerReplica, type ConsumerReplica } from "./consumer-processes.ts";
import { HASTY_TUNING } from "./ingestion-world.ts";
import { createKillablePostgres } from "@sightline/foundation/testing/killable-server";
import type { NumberedEntry } from "./numbered-events.ts";
import { startRedisCluster, type RedisCluster } from "@sightline/foundation/testing/redis-cluster";

/** A Redis Cluster, a database, and consumers in processes of their own that share the partitions of a stream. */
export type PartitionWorld = {
  readonly stream: string;
  readonly projectId: string;
  readonly cluster: RedisCluster;
  readonly consumers: readonly ConsumerReplica[];
  readonly redis: Redis;
  readonly database: Database<ObservabilitySchema>;
  /** Adds entries of one producer to its partition, until every one is acknowledged; what is not sure to have arrived is sent again. */
  readonly publish: (entries: readonly NumberedEntry[]) => Promise<void>;
  /** Entries on each partition. */
  readonly backlogs: () => Promise<readonly number[]>;
  readonly stop: () => Promise<void>;
};

type WorldOptions = { readonly partitions: number; readonly consumers: number; readonly replicas: 0 | 1 };

const RETRY_MS = 50;

/** Nobody need wait: what a killed consumer had is others' after a second, and not after fifteen. */
const TUNING = { ...HASTY_TUNING, claimIdleMs: 1_000, shareEveryMs: 200, heartbeatEveryMs: 500 };

export async function startPartitionWorld({ partitions, consumers: count, replicas }: WorldOptions): Promise<PartitionWorld> {
  const [cluster, databaseServer] = await Promise.all([startRedisCluster(replicas), createKillablePostgres("postgres")]);
  await databaseServer.start();
  const stream = "observability:events";
  const database = createDatabase<ObservabilitySchema>({ url: databaseServer.url, poolSize: 2, applicationName: "proof", log: silentLog });
  await migrateUp(database.pool, observabilityMigrations);
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "proof" });
  const redis = createRedis({ url: cluster.url, name: "proof", log: silentLog });
  await redis.client.connect();
  const options = {
    databaseUrl: databaseServer.url,
    redisUrl: cluster.url,
    stream,
    streams: partitions,
    group: "proof",
    tuning: TUNING,
  };
  const consumers = Array.from({ length: count }, () => createConsumerReplica(options));
  consumers.forEach((consumer) => consumer.start());

  return {
    stream,
    projectId,
    cluster,
    consumers,
    redis: redis.client,
    database,
    publish: async (entries) => {
      for (;;) {
        const results = await addAll(redis.client, { stream, partitions, entries }).catch(() => undefined);
        if (results === true) {
          return;
        }
        await delay(RETRY_MS);
      }
    },
    backlogs: () => Promise.all(partitionKeys(stream, partitions).map((key) => redis.client.xlen(key))),
    stop: async () => {
      await Promise.all(consumers.map((consumer) => consumer.kill()));
      await Promise.all([redis.close(), database.close()]);
      await Promise.all([cluster.remove(), databaseServer.remove()]);
    },
  };
}

type Added = { readonly stream: string; readonly partitions: number; readonly entries: readonly NumberedEntry[] };

async function addAll(redis: Redis, { stream, partitions, entries }: Added): Promise<boolean> {
  const pipeline = redis.pipeline();
  for (const { producerId, fields } of entries) {
    pipeline.xadd(partitionKey(stream, findPartition(producerId, partitions)), "*", ...fields);
  }
  const replies = await pipeline.exec();
  return replies !== null && replies.every(([error]) => error === null);
}
