import { setTimeout as delay } from "node:timers/promises";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { v7 as uuidv7 } from "uuid";
import { afterEach, expect, test, vi } from "vitest";
import { partitionCountKey, findPartition } from "#events/partitions.ts";
import { readIngested } from "#testing/ingested.ts";
import { createNumberedProducer, type NumberedEntry } from "#testing/numbered-events.ts";
import { startPartitionWorld, type PartitionWorld } from "#testing/partition-world.ts";

/** `npm run prove:cluster` sets it to 100,000. */
const EVENTS = Number(process.env["CLUSTER_EVENTS"] ?? 4_000);
const KILLS = Math.max(3, Math.floor(EVENTS / 5_000));
const PARTITIONS = 4;
const CONSUMERS = 3;
const PRODUCERS = 8;
const PUBLISHED_AT_ONCE = 50;
const PATIENCE = { timeout: 120_000 + EVENTS * 3, interval: 50 };

let world: PartitionWorld;
afterEach(() => world.stop());

test(
  `on a Redis Cluster every event of ${PARTITIONS} partitions is written once and none is missed, however consumers are killed and started (TEST_SEED=${SEED})`,
  { skip: needsRealPostgres.skip, timeout: PATIENCE.timeout * 2 },
  async () => {
    const random = randomOf(SEED);
    world = await startPartitionWorld({ partitions: PARTITIONS, consumers: CONSUMERS, replicas: 0 });
    const { database, projectId, consumers } = world;
    await vi.waitFor(async () => expect(await world.redis.get(partitionCountKey(world.stream))).toBe(String(PARTITIONS)), PATIENCE);
    const producers = Array.from({ length: PRODUCERS }, () => producerIn(projectId, random));
    const sent: NumberedEntry[] = [];
    const published = new AbortController();
    const publishing = Promise.all(
      producers.map(async (producer) => {
        while (sent.length < EVENTS) {
          const entries = producer.next(PUBLISHED_AT_ONCE);
          await world.publish(entries);
          sent.push(...entries);
          await vi.waitFor(async () => expect(Math.max(...(await world.backlogs()))).toBeLessThan(2_000), PATIENCE);
        }
      }),
    ).then(() => published.abort());
    let kills = 0;
    while (!published.signal.aborted || kills < KILLS) {
      const victim = consumers[Math.floor(random() * CONSUMERS)];
      await victim?.kill();
      kills += 1;
      await delay(random() * 1_500);
      victim?.start();
      await delay(random() * 3_000);
    }
    await publishing;
    await Promise.all(producers.map((producer) => world.publish([producer.bye()])));
    await vi.waitFor(async () => expect(await world.backlogs()).toEqual(Array.from({ length: PARTITIONS }, () => 0)), PATIENCE);
    const ingested = await vi.waitFor(async () => {
      const found = await readIngested(database);
      expect(found.unsettled).toBe(0);
      return found;
    }, PATIENCE);
    const ids = sent.map(({ id }) => id);
    expect(ingested.rows.length, "no event is two rows").toBe(new Set(ingested.rows).size);
    expect(new Set(ingested.rows)).toEqual(new Set(ids));
    expect(ingested.gaps).toBe(0);
    expect(ingested.openLetters).toBe(0);
    console.log(
      `${sent.length} events of ${PRODUCERS} producers on ${PARTITIONS} partitions, ${kills} consumers killed: each written once`,
    );
  },
);

test(
  "on a Redis Cluster the partitions of a consumer that is killed are others' at once, and its own again when it is back",
  { skip: needsRealPostgres.skip, timeout: PATIENCE.timeout },
  async () => {
    world = await startPartitionWorld({ partitions: PARTITIONS, consumers: 2, replicas: 0 });
    const [first, second] = world.consumers;
    const sizes = () => [first, second].map((consumer) => shareOf(consumer?.lines ?? [])?.length);
    await vi.waitFor(() => expect(sizes()).toEqual([2, 2]), PATIENCE);
    await second?.kill();
    await vi.waitFor(() => expect(sizes()[0]).toBe(4), PATIENCE);
    second?.start();
    await vi.waitFor(() => expect(sizes()).toEqual([2, 2]), PATIENCE);
  },
);

function shareOf(lines: readonly string[]): readonly string[] | undefined {
  const shares = lines.flatMap((line) => {
    const { msg, partitions } = JSON.parse(line) as { msg: string; partitions?: readonly string[] };
    return msg === "reads its share of the stream" && partitions !== undefined ? [partitions] : [];
  });
  return shares.at(-1);
}

/** Two producers a partition, as long as there are as many. */
let next = 0;
function producerIn(projectId: string, random: () => number) {
  const partition = next % PARTITIONS;
  next += 1;
  for (;;) {
    const producer = createNumberedProducer({ projectId, homelessProjectId: uuidv7(), random, poison: 0 });
    if (findPartition(producer.producerId, PARTITIONS) === partition) {
      return producer;
    }
  }
}
