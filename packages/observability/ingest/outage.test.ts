import { randomUUID } from "node:crypto";
import { createDatabase, type Database } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { countOf, createConsumerRig, tablesOf, type ConsumerRig } from "#testing/consumer-rig.ts";
import { createTcpProxy, type TcpProxy } from "@sightline/foundation/testing/tcp-proxy";

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

test.each([
  ["whose disk is full", "53100"],
  ["that is out of memory", "53200"],
  ["that is stopping", "57P01"],
])(
  "a database %s (%s) sets nothing aside: events stay pending, without a heartbeat, and are written once it recovers",
  async (_, state) => {
    await rig.start({ tuning: { heartbeatLivesMs: 300, claimIdleMs: 50, claimEveryMs: 50 } });
    await database.pool.query(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'not now' using errcode = '${state}'; end $$;
    create trigger refuse before insert on observability.traces execute function public.refuse()`);
    await rig.publish(agentRun(createProducer(rig.projectId)));
    await waitingWithoutHeartbeat();
    await database.pool.query("drop function public.refuse() cascade");
    await emptied();
    expect(await countOf(rig.database, "traces")).toBe(1);
    expect(await countOf(rig.database, "observations")).toBe(3);
    expect(await countOf(rig.database, "dead_letters")).toBe(0);
  },
);

test("a database that takes no more connections sets nothing aside, and is written to as soon as it does", needsRealPostgres, async () => {
  const user = `limited_${randomUUID().replaceAll("-", "")}`;
  await database.pool.query(`
    create role ${user} login connection limit 1;
    grant usage on schema observability to ${user};
    grant all on all tables in schema observability to ${user}`);
  const url = new URL(database.url);
  url.username = user;
  const open = () => createDatabase<ObservabilitySchema>({ url: url.href, poolSize: 1, applicationName: "limited", log: silentLog });
  const [other, limited] = [open(), open()];
  await other.pool.query("select 1");
  const { consumer } = await rig.start({ database: limited });
  await rig.publish(agentRun(createProducer(rig.projectId)));
  await waitingWithoutHeartbeat();
  await expect(limited.pool.query("select 1")).rejects.toMatchObject({ code: "53300" });
  await other.close();
  await emptied();
  expect(await countOf(rig.database, "observations")).toBe(3);
  expect(await countOf(rig.database, "dead_letters")).toBe(0);
  await consumer.stop();
  await limited.close();
  await database.pool.query(`drop owned by ${user}; drop role ${user}`);
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

async function waitingWithoutHeartbeat(): Promise<void> {
  await vi.waitFor(async () => expect(await pendingCount()).toBeGreaterThan(0), patient);
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(0), patient);
  expect(await rig.redis.client.xlen(rig.stream)).toBe(10);
}

async function pendingCount(): Promise<number> {
  const [count] = (await rig.redis.client.xpending(rig.stream, rig.group)) as [number];
  return count;
}
