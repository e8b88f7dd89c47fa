import { createDatabase } from "@sightline/foundation/database/database";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { createRedis } from "@sightline/foundation/redis";
import { createKillablePostgres, createKillableRedis } from "@sightline/foundation/testing/killable-server";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { partitionCountKey, partitionKey, partitionKeys, findPartition } from "#events/partitions.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createConsumerReplica } from "#testing/consumer-processes.ts";
import { readIngested } from "#testing/ingested.ts";
import { HASTY_TUNING } from "#testing/ingestion-world.ts";
import { createNumberedProducer, type NumberedEntry } from "#testing/numbered-events.ts";

const PRODUCERS = 6;
const AT_ONCE = 50;
const STREAM = "observability:events";
const PATIENCE = { timeout: 120_000, interval: 50 };
const TUNING = { ...HASTY_TUNING, shareEveryMs: 200, heartbeatEveryMs: 200 };

const [redisServer, databaseServer] = await Promise.all([createKillableRedis(), createKillablePostgres("postgres")]);
const database = createDatabase<ObservabilitySchema>({ url: databaseServer.url, poolSize: 2, applicationName: "proof", log: silentLog });
const redis = createRedis({ url: redisServer.url, name: "proof", log: silentLog });
const projectId = uuidv7();

beforeAll(async () => {
  await Promise.all([redisServer.start(), databaseServer.start()]);
  await redis.client.connect();
  await migrateUp(database.pool, observabilityMigrations);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "proof" });
}, PATIENCE.timeout);
afterAll(async () => {
  await Promise.all([redis.close(), database.close()]);
  await Promise.all([redisServer.remove(), databaseServer.remove()]);
});

test(
  `from 1 partition to 4 and back, one consumer after the other, while agents go on and new ones come, each event is written once (TEST_SEED=${SEED})`,
  { skip: needsRealPostgres.skip, timeout: PATIENCE.timeout * 2 },
  async () => {
    const random = randomOf(SEED);
    const sent: NumberedEntry[] = [];
    const ending = new AbortController();
    const publishing: Promise<void>[] = [];

    /** As many SDKs that start now: each learns the number of partitions once. */
    const startProducers = async () => {
      const partitions = Number((await redis.client.get(partitionCountKey(STREAM))) ?? 1);
      for (let started = 0; started < PRODUCERS; started += 1) {
        publishing.push(publishOn(createNumberedProducer({ projectId, homelessProjectId: projectId, random, poison: 0 }), partitions));
      }
    };
    const publishOn = async (producer: ReturnType<typeof createNumberedProducer>, partitions: number) => {
      const key = partitionKey(STREAM, findPartition(producer.producerId, partitions));
      const add = async (entries: readonly NumberedEntry[]) => {
        const pipeline = redis.client.pipeline();
        entries.forEach(({ fields }) => pipeline.xadd(key, "*", ...fields));
        await pipeline.exec();
      };
      while (!ending.signal.aborted) {
        const entries = producer.next(AT_ONCE);
        await add(entries);
        sent.push(...entries);
        await vi.waitFor(async () => expect(await redis.client.xlen(key)).toBeLessThan(2_000), PATIENCE);
      }
      await add([producer.bye()]);
    };
    const consumerOf = (streams: number) => {
      const options = {
        databaseUrl: databaseServer.url,
        redisUrl: redisServer.url,
        stream: STREAM,
        streams,
        group: "proof",
        tuning: TUNING,
      };
      const consumer = createConsumerReplica(options);
      consumer.start();
      return consumer;
    };
    const hasGrownBy = async (count: number) => {
      const before = sent.length;
      await vi.waitFor(() => expect(sent.length).toBeGreaterThan(before + count), PATIENCE);
    };

    let consumers = [consumerOf(1), consumerOf(1)];
    await startProducers();
    await hasGrownBy(1_000);
    for (const streams of [4, 1]) {
      const next = [];
      for (const consumer of consumers) {
        // In between they differ in what they were told.
        await consumer.kill();
        next.push(consumerOf(streams));
        await hasGrownBy(500);
      }
      consumers = next;
      const told = streams === 1 ? null : String(streams);
      await vi.waitFor(async () => expect(await redis.client.get(partitionCountKey(STREAM))).toBe(told), PATIENCE);
      await startProducers();
      await hasGrownBy(1_000);
    }
    ending.abort();
    await Promise.all(publishing);
    const backlog = async () => Promise.all(partitionKeys(STREAM, 4).map((key) => redis.client.xlen(key)));
    await vi.waitFor(async () => expect(await backlog()).toEqual([0, 0, 0, 0]), PATIENCE);
    const ingested = await vi.waitFor(async () => {
      const found = await readIngested(database);
      expect(found.unsettled).toBe(0);
      return found;
    }, PATIENCE);
    await Promise.all(consumers.map((consumer) => consumer.kill()));
    expect(ingested.rows.toSorted()).toEqual(sent.map(({ id }) => id).toSorted());
    expect([ingested.gaps, ingested.letters.size]).toEqual([0, 0]);
    console.log(`${sent.length} events of ${publishing.length} producers, from 1 partition to 4 and back: each written once`);
  },
);
