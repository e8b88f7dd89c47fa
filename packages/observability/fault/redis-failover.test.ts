import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createRedis } from "@sightline/foundation/redis";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { needsPython } from "@sightline/foundation/testing/find-python";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { partitionKey, partitionKeys } from "#events/partitions.ts";
import { readIngested } from "#testing/ingested.ts";
import { startPartitionWorld, type PartitionWorld } from "#testing/partition-world.ts";
import { pythonProgram } from "#testing/python-program.ts";

const PARTITIONS = 4;
const RATE = 40;
const EVENTS_OF_A_TRACE = 4;
const PATIENCE = { timeout: 120_000, interval: 100 };
const TYPESCRIPT = [process.execPath, fileURLToPath(new URL("../../sdk/testing/produce.ts", import.meta.url))] as const;

const toldSchema = z.strictObject({ producer: z.uuid(), recorded: z.int(), last: z.int(), dropped: z.int() });

let world: PartitionWorld;
afterEach(() => world.stop());

test(
  `of both SDKs every event is stored or in a reported gap when masters of a Redis Cluster are killed and their replicas promoted (TEST_SEED=${SEED})`,
  { skip: needsPython.skip || needsRealPostgres.skip, timeout: PATIENCE.timeout * 3 },
  async () => {
    const random = randomOf(SEED);
    world = await startPartitionWorld({ partitions: PARTITIONS, consumers: 2, replicas: 1 });
    const python = pythonProgram("testing/produce.py");
    // Each is told one node alone, and finds its partition's by itself.
    const producers = world.cluster.nodes.slice(0, 6).map(({ url }, index) => {
      const [program, script] = index % 2 === 0 ? TYPESCRIPT : python.program;
      const child = spawn(program, [script, url, world.stream, world.projectId, String(RATE)], {
        ...(index % 2 === 0 ? {} : python.options),
        stdio: ["pipe", "pipe", "inherit"],
      });
      const told = text(child.stdout);
      return { stop: () => (child.stdin.end(), told) };
    });
    await vi.waitFor(async () => expect((await seenNumbers()).size).toBeGreaterThan(500), PATIENCE);
    for (const partition of [0, 1 + Math.floor(random() * (PARTITIONS - 1))]) {
      const before = (await seenNumbers()).size;
      const key = partitionKey(world.stream, partition);
      const master = await world.cluster.masterOf(key);
      await master.kill();
      await vi.waitFor(async () => expect(await world.cluster.masterOf(key)).not.toBe(master), PATIENCE);
      await delay(random() * 1_000);
      // The old master comes back as a replica.
      await master.start();
      await vi.waitFor(async () => expect((await seenNumbers()).size).toBeGreaterThan(before + 500), PATIENCE);
    }
    await loseMaster();
    await delay(3_000);
    const told = await Promise.all(producers.map(async (producer) => toldSchema.parse(JSON.parse(await producer.stop()))));
    await vi.waitFor(async () => {
      const lengths = await Promise.all(partitionKeys(world.stream, PARTITIONS).map((key) => world.redis.xlen(key)));
      expect(lengths).toEqual(lengths.map(() => 0));
    }, PATIENCE);
    const ingested = await vi.waitFor(async () => {
      const found = await readIngested(world.database);
      expect(found.unsettled).toBe(0);
      return found;
    }, PATIENCE);
    const seen = await seenNumbers();
    for (const { producer, last } of told) {
      const numbers = Array.from({ length: last }, (_, index) => `${producer} ${index + 1}`);
      expect(
        numbers.filter((number) => seen.has(number) === ingested.lost.has(number)),
        "each number is stored or reported, none is both",
      ).toEqual([]);
    }
    expect(new Set(ingested.halves).size, "no event is two rows").toBe(ingested.halves.length);
    expect(told.map(({ dropped }) => dropped)).toEqual(told.map(() => 0));
    const given = told.reduce((sum, { last }) => sum + last, 0);
    const recorded = told.reduce((sum, each) => sum + each.recorded * EVENTS_OF_A_TRACE, 0);
    expect(seen.size + ingested.lost.size).toBe(given);
    expect(recorded - ingested.halves.length, "what has no row is reported").toBeLessThanOrEqual(ingested.lost.size);
    expect(ingested.lost.size, "what a master had alone is reported").toBeGreaterThan(0);
    console.log(`three masters killed: ${given} numbers of six producers, ${seen.size} stored, ${ingested.lost.size} reported as lost`);
  },
);

/** Kills the master of a partition that has events which its replica has not, and no consumer has read: they are gone. */
async function loseMaster(): Promise<void> {
  await Promise.all(world.consumers.map((consumer) => consumer.kill()));
  await delay(500);
  const keys = partitionKeys(world.stream, PARTITIONS);
  const lengths = await Promise.all(keys.map((one) => world.redis.xlen(one)));
  const key = keys[lengths.indexOf(Math.max(...lengths))] ?? world.stream;
  const master = await world.cluster.masterOf(key);
  const { client, close } = createRedis({ url: master.url, name: "lose", log: silentLog });
  await client.connect();
  // Those who are connected stay; the replica, cut off, does not get in again.
  await client.call("CONFIG", "SET", "requirepass", "secret");
  await client.call("CLIENT", "KILL", "TYPE", "replica");
  await delay(2_000);
  await close();
  await master.kill();
  await vi.waitFor(async () => expect(await world.cluster.masterOf(key)).not.toBe(master), PATIENCE);
  await master.start();
  world.consumers.forEach((consumer) => consumer.start());
}

/** The numbers that were stored, as `producer seq`. */
async function seenNumbers(): Promise<ReadonlySet<string>> {
  const { rows } = await world.database.pool.query<{ producer_id: string; first: number; past: number }>(
    "select producer_id, lower(range) as first, upper(range) as past from observability.producers, unnest(seen) as range",
  );
  return new Set(
    rows.flatMap(({ producer_id: producer, first, past }) =>
      Array.from({ length: past - first }, (_, index) => `${producer} ${first + index}`),
    ),
  );
}
