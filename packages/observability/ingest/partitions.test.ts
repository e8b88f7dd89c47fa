import { createLog, type Logger } from "@sightline/foundation/log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { StreamEvent } from "#events/event.ts";
import { partitionCountKey, partitionKey, partitionKeys, findPartition } from "#events/partitions.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer, fieldsOf } from "#testing/agent-run.ts";
import { createApiRig } from "#testing/api-rig.ts";
import { countOf, createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";

const patient = { timeout: 15_000 };
const RUN_EVENTS = 10;

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  rig = await createConsumerRig(database);
});
afterEach(async () => {
  await rig.redis.client.del(...partitionKeys(rig.stream, 4), partitionCountKey(rig.stream));
  await rig.close();
});
afterAll(() => database.drop());

test("events of every partition are written, none is a gap, and nothing stays on the stream", async () => {
  await publish(await runs(12), 4);
  const { metric } = await rig.start({ config: { OBSERVABILITY_STREAMS: 4 }, tuning: { reorderWindowMs: 100, findGapsEveryMs: 50 } });
  await emptied();
  expect(await countOf(database, "traces")).toBe(12);
  await vi.waitFor(async () => expect(await metric("studio_events_processed_total")).toBe(12 * RUN_EVENTS), patient);
  expect(await metric("studio_events_lost_total")).toBe(0);
});

test("SDKs are told how many partitions there are; of one nothing is left in Redis but what the contract names", async () => {
  const told = () => rig.redis.client.get(partitionCountKey(rig.stream));
  const many = await rig.start({ config: { OBSERVABILITY_STREAMS: 4 } });
  await vi.waitFor(async () => expect(await told()).toBe("4"), patient);
  await many.consumer.stop();
  await rig.redis.client.del(...partitionKeys(rig.stream, 4));
  const lines: string[] = [];
  await rig.start({ log: logTo(lines) });
  await vi.waitFor(async () => expect(await told()).toBeNull(), patient);
  expect(lines.join()).toContain("OBSERVABILITY_STREAMS differs from what was told before");
  await publish(await runs(1), 1);
  await emptied();
  const keys = await rig.redis.client.keys(`*${rig.redis.prefix}*`);
  expect(keys.toSorted()).toEqual([rig.stream, rig.heartbeatKey, `${rig.heartbeatKey}:projects`].toSorted());
});

test("with fewer partitions than before, those beyond are read on, also when the consumer was never told of them", async () => {
  await publish(await runs(12), 4);
  await rig.start({ tuning: { shareEveryMs: 100 } });
  await emptied();
  expect(await countOf(database, "traces")).toBe(12);
  // An agent that was started with more goes on publishing to its partition.
  const producer = producerOf(3, 4);
  await rig.redis.client.del(partitionKey(rig.stream, 3));
  await publish(agentRun(producer), 4);
  await emptied();
  expect(await countOf(database, "traces")).toBe(13);
});

test("a partition beyond the count ends once it is empty and quiet, and begins again with the next event", async () => {
  await publish(await runs(12), 4);
  const logs: string[] = [];
  await rig.start({ log: logTo(logs), tuning: { shareEveryMs: 100, quietMs: 1_000 } });
  await emptied();
  const beyond = partitionKeys(rig.stream, 4).slice(1);
  await vi.waitFor(async () => expect(await rig.redis.client.exists(...beyond)).toBe(0), patient);
  // None is made again by who read it.
  await delay(500);
  expect(await rig.redis.client.exists(...beyond)).toBe(0);
  await publish(agentRun(producerOf(3, 4)), 4);
  await emptied();
  expect(await countOf(database, "traces")).toBe(13);
});

test("consumers share the partitions; one that leaves gives its own to the others at once", async () => {
  const [first, second] = [await startWatched(4), await startWatched(4)];
  const keys = partitionKeys(rig.stream, 4);
  const shares = [keys.filter((_key, index) => index % 2 === 0), keys.filter((_key, index) => index % 2 === 1)];
  await vi.waitFor(() => {
    const ordered = [first, second].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    expect(ordered.map(({ share }) => share())).toEqual(shares);
  }, patient);
  await second.stop();
  await vi.waitFor(() => expect(first.share()).toEqual(keys), patient);
  await publish(await runs(8), 4);
  await emptied();
  expect(await countOf(database, "traces")).toBe(8);
});

test("more consumers than partitions share one", async () => {
  const started = [await startWatched(2), await startWatched(2), await startWatched(2)];
  await vi.waitFor(() => {
    const ordered = started.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const [even, odd] = partitionKeys(rig.stream, 2).map((key) => [key]);
    expect(ordered.map(({ share }) => share())).toEqual([even, odd, even]);
  }, patient);
});

test("a dead letter names its partition, and two of the same id in different ones are two", async () => {
  await rig.redis.client.xadd(partitionKey(rig.stream, 1), "7-7", "hello", "1");
  await rig.redis.client.xadd(partitionKey(rig.stream, 2), "7-7", "hello", "2");
  await rig.start({ config: { OBSERVABILITY_STREAMS: 4 } });
  await emptied();
  const letters = await database.query.selectFrom("observability.dead_letters").select("stream").orderBy("stream").execute();
  expect(letters.map(({ stream }) => stream)).toEqual([partitionKey(rig.stream, 1), partitionKey(rig.stream, 2)]);
});

test("length, lag and health are those of all partitions", async () => {
  const [seconds] = await rig.redis.client.time();
  await rig.redis.client.xadd(rig.stream, "*", "v", "1");
  await rig.redis.client.xadd(partitionKey(rig.stream, 1), `${Number(seconds) * 1000 - 90_000}-0`, "v", "1");
  await rig.redis.client.xadd(partitionKey(rig.stream, 1), "*", "v", "1");
  // Beyond those that there are to be.
  await rig.redis.client.xadd(partitionKey(rig.stream, 3), "*", "v", "1");
  const api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, streams: 2, heartbeatKey: rig.heartbeatKey });
  const { payload } = await api.server.inject({ url: "/metrics" });
  const metric = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "m").exec(payload)?.[1]);
  expect([metric("studio_stream_length"), metric("studio_stream_longest_partition")]).toEqual([4, 2]);
  expect(metric("studio_consumer_lag_seconds")).toBeGreaterThanOrEqual(90);
  await api.close();
});

function producerOf(partition: number, count: number) {
  for (;;) {
    const producer = createProducer(rig.projectId);
    if (findPartition(producer.producerId, count) === partition) {
      return producer;
    }
  }
}

async function runs(count: number): Promise<readonly StreamEvent[]> {
  return Array.from({ length: count }, (_, index) => agentRun(producerOf(index % 4, 4))).flat();
}

async function publish(events: readonly StreamEvent[], count: number): Promise<void> {
  for (const event of events) {
    await rig.redis.client.xadd(partitionKey(rig.stream, findPartition(event.producer_id, count)), "*", ...fieldsOf(event));
  }
}

async function emptied(): Promise<void> {
  await vi.waitFor(async () => {
    const lengths = await Promise.all(partitionKeys(rig.stream, 4).map((key) => rig.redis.client.xlen(key)));
    expect(lengths).toEqual([0, 0, 0, 0]);
  }, patient);
}

/** A consumer, and the partitions that it says it reads. */
async function startWatched(count: number) {
  const lines: string[] = [];
  const options = { log: logTo(lines), config: { OBSERVABILITY_STREAMS: count }, tuning: { shareEveryMs: 50 } };
  const { consumer } = await rig.start(options);
  const shares = () => lines.map((line) => JSON.parse(line) as { partitions?: readonly string[]; msg: string });
  return {
    name: consumer.name,
    stop: consumer.stop,
    share: () => shares().findLast(({ msg }) => msg === "reads its share of the stream")?.partitions,
  };
}

function logTo(lines: string[]): Logger {
  return createLog({ name: "consumer", level: "info", destination: { write: (line) => void lines.push(line) } });
}
