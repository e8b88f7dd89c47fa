import { createDatabase, type Database } from "@sightline/foundation/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { countOf, createConsumerRig, tablesOf, type ConsumerRig } from "#testing/consumer-rig.ts";
import { createTcpProxy, type TcpProxy } from "#testing/tcp-proxy.ts";

/** Machines that run tests are busy. */
const patient = { timeout: 15_000 };

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let databaseProxy: TcpProxy;
let redisProxy: TcpProxy;
let throughProxy: Database<ObservabilitySchema>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  rig = await createConsumerRig(database);
  databaseProxy = await createTcpProxy(database.url);
  redisProxy = await createTcpProxy(rig.redis.url);
  throughProxy = createDatabase<ObservabilitySchema>({
    url: databaseProxy.url,
    poolSize: 2,
    applicationName: "sightline-test",
    log: silentLog,
  });
});
afterEach(async () => {
  await rig.close();
  await throughProxy.close();
  await databaseProxy.close();
  await redisProxy.close();
});
afterAll(() => database.drop());

test("while the database is away events wait on the stream and there is no heartbeat; when it is back nothing is missing", async () => {
  const { metric } = await rig.start({ database: throughProxy, tuning: { heartbeatLivesMs: 300 } });
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(1), patient);
  await databaseProxy.cut();
  const producer = createProducer(rig.projectId);
  await rig.publish(agentRun(producer));
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(0), patient);
  await rig.publish(agentRun(producer));
  expect(await rig.redis.client.xlen(rig.stream)).toBe(20);

  await databaseProxy.mend();
  await emptied();
  expect(await countOf(rig.database, "traces")).toBe(2);
  expect(await countOf(rig.database, "observations")).toBe(6);
  expect(await countOf(rig.database, "dead_letters")).toBe(0);
  expect(await metric("studio_events_processed_total")).toBe(20);
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(1), patient);
});

test("a consumer that stops while the database is away leaves its entries to the next one", async () => {
  const { consumer } = await rig.start({ database: throughProxy });
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(1), patient);
  await databaseProxy.cut();
  await rig.publish(agentRun(createProducer(rig.projectId)));
  await vi.waitFor(async () => expect(await pendingCount()).toBeGreaterThan(0), patient);
  await consumer.stop();
  expect(await pendingCount()).toBeGreaterThan(0);
  expect(await rig.redis.client.xlen(rig.stream)).toBe(10);

  await rig.start({ tuning: { claimIdleMs: 0, claimEveryMs: 50 } });
  await emptied();
  expect(await countOf(rig.database, "observations")).toBe(3);
});

test("connections broken in the middle of the work, again and again, lose and double nothing", async () => {
  const runs = Array.from({ length: 40 }, () => agentRun(createProducer(rig.projectId)));
  await rig.start({ database: throughProxy, config: { OBSERVABILITY_BATCH_SIZE: 10, OBSERVABILITY_REDIS_URL: redisProxy.url } });
  for (const run of runs) {
    await rig.publish(run);
    await databaseProxy.cut();
    await databaseProxy.mend();
    await redisProxy.cut();
    await redisProxy.mend();
  }
  await emptied();
  expect(await countOf(rig.database, "traces")).toBe(40);
  expect(await countOf(rig.database, "observations")).toBe(120);
  const { producers } = (await tablesOf(rig.database)) as { producers: { seen: string }[] };
  expect(new Set(producers.map(({ seen }) => seen))).toEqual(new Set(["{[1,11)}"]));
});

test("a consumer that starts while Redis is away begins when it is back", async () => {
  await redisProxy.cut();
  await rig.publish(agentRun(createProducer(rig.projectId)));
  await rig.start({ config: { OBSERVABILITY_REDIS_URL: redisProxy.url } });
  await redisProxy.mend();
  await emptied();
  expect(await countOf(rig.database, "observations")).toBe(3);
});

async function emptied(): Promise<void> {
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), { timeout: 25_000 });
}

async function pendingCount(): Promise<number> {
  const [count] = (await rig.redis.client.xpending(rig.stream, rig.group)) as [number];
  return count;
}
