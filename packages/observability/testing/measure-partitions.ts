/**
 * `npm run bench:partitions`: what one consumer writes of a backlog on one partition and on four, of one Redis and of a Redis Cluster.
 * Prints events a second and the consumer's processor time, which says more where other programs run beside it.
 */
import { readFileSync } from "node:fs";
import { createDatabase } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { createRedis } from "@sightline/foundation/redis";
import { createKillablePostgres, createKillableRedis } from "@sightline/foundation/testing/killable-server";
import { randomOf } from "@sightline/foundation/testing/random";
import { startRedisCluster } from "@sightline/foundation/testing/redis-cluster";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { setTimeout as delay } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { partitionKey, partitionKeys, findPartition } from "#events/partitions.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createConsumerReplica } from "./consumer-processes.ts";
import { createNumberedProducer } from "./numbered-events.ts";

const EVENTS = Number(process.env["BENCH_EVENTS"] ?? 20_000);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 2);
const PRODUCERS = 16;
const AT_ONCE = 200;
const STREAM = "observability:events";
/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

const rows: object[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { redis, partitions } of [
    { redis: "one", partitions: 1 },
    { redis: "one", partitions: 4 },
    { redis: "cluster", partitions: 1 },
    { redis: "cluster", partitions: 4 },
  ] as const) {
    rows.push({ redis, partitions, ...(await measure(redis, partitions)) });
    console.table(rows);
  }
}

async function measure(kind: "one" | "cluster", partitions: number): Promise<object> {
  const server = kind === "cluster" ? await startRedisCluster(0) : await startOne();
  const databaseServer = await createKillablePostgres("postgres");
  await databaseServer.start();
  const database = createDatabase<ObservabilitySchema>({ url: databaseServer.url, poolSize: 2, applicationName: "bench", log: silentLog });
  const redis = createRedis({ url: server.url, name: "bench", log: silentLog });
  await redis.client.connect();
  await migrateUp(database.pool, observabilityMigrations);
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "bench" });
  const random = randomOf(1);
  const producers = Array.from({ length: PRODUCERS }, () =>
    createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 0 }),
  );
  for (let added = 0; added < EVENTS;) {
    for (const producer of producers) {
      const pipeline = redis.client.pipeline();
      const entries = producer.next(AT_ONCE);
      const key = partitionKey(STREAM, findPartition(producer.producerId, partitions));
      entries.forEach(({ fields }) => pipeline.xadd(key, "*", ...fields));
      await pipeline.exec();
      added += entries.length;
    }
  }
  const keys = partitionKeys(STREAM, partitions);
  const backlog = async () => (await Promise.all(keys.map((key) => redis.client.xlen(key)))).reduce((sum, length) => sum + length, 0);
  const consumer = createConsumerReplica({
    databaseUrl: databaseServer.url,
    redisUrl: server.url,
    stream: STREAM,
    streams: partitions,
    group: "bench",
    tuning: {},
  });
  const waiting = await backlog();
  consumer.start();
  let left = waiting;
  while (left === waiting) {
    await delay(5);
    left = await backlog();
  }
  const [startedAt, first] = [performance.now(), left];
  const cpuAtStart = cpuSecondsOf(consumer.lines);
  while (left > 0) {
    await delay(20);
    left = await backlog();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuSecondsOf(consumer.lines) - cpuAtStart;
  await consumer.kill();
  await Promise.all([redis.close(), database.close()]);
  await Promise.all([server.remove(), databaseServer.remove()]);
  return {
    events: first,
    "events/s": Math.round(first / seconds),
    "consumer CPU µs an event": Math.round((cpu / first) * 1e6),
  };
}

async function startOne() {
  const server = await createKillableRedis({ appendfsync: "everysec" });
  await server.start();
  return server;
}

/** The processor time that the process has used which wrote these log lines. */
function cpuSecondsOf(lines: readonly string[]): number {
  const { pid } = JSON.parse(lines.at(-1) ?? "{}") as { pid: number };
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
