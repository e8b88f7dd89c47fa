import { createLog } from "@sightline/foundation/log";
import { v7 as uuidv7 } from "uuid";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer, fieldsOf } from "#testing/agent-run.ts";
import { countOf, createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";

/** Machines that run tests are busy. */
const patient = { timeout: 15_000 };

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
});
beforeEach(async () => {
  rig = await createConsumerRig(database);
});
afterEach(() => rig.close());
afterAll(() => database.drop());

test("events published before the first consumer came are written, and leave the stream", async () => {
  await rig.publish(agentRun(createProducer(rig.projectId)));
  const { metric } = await rig.start();
  await emptied();
  expect(await countOf(rig.database, "traces")).toBe(1);
  expect(await countOf(rig.database, "observations")).toBe(3);
  await vi.waitFor(async () => expect(await metric("studio_events_processed_total")).toBe(10), patient);
});

test("each batch is logged as `Processing batch of N events`, N at most OBSERVABILITY_BATCH_SIZE", async () => {
  const lines: string[] = [];
  const log = createLog({ name: "consumer", level: "info", destination: { write: (line) => void lines.push(line) } });
  await rig.publish(agentRun(createProducer(rig.projectId)));
  await rig.start({ log, config: { OBSERVABILITY_BATCH_SIZE: 4 } });
  await emptied();
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((message) => message.startsWith("Processing"));
  expect(messages).toEqual(["Processing batch of 4 events", "Processing batch of 4 events", "Processing batch of 2 events"]);
});

test("an entry that is no event is set aside with its fields and a reason, and the rest goes on", async () => {
  const run = agentRun(createProducer(rig.projectId));
  await rig.publish(run.slice(0, 3));
  const id = await rig.redis.client.xadd(rig.stream, "*", "hello", "world\0");
  await rig.publish(run.slice(3));
  const { metric } = await rig.start();
  await emptied();
  expect(await countOf(rig.database, "observations")).toBe(3);
  const letters = await rig.database.query.selectFrom("observability.dead_letters").selectAll().execute();
  expect(letters).toMatchObject([
    { entry_id: id, stream: rig.stream, reason: "the field v is missing", entry: JSON.stringify(["hello", "world\0"]) },
  ]);
  await vi.waitFor(async () => expect(await metric("studio_events_dead_lettered_total")).toBe(1), patient);
});

test("an event of a project that does not exist is set aside; the same project's events are taken once it exists", async () => {
  const newProject = uuidv7();
  const producer = createProducer(newProject);
  await rig.publish(agentRun(producer).slice(0, 1));
  await rig.start();
  await emptied();
  const letters = await rig.database.query.selectFrom("observability.dead_letters").select(["reason", "project_id"]).execute();
  expect(letters).toEqual([{ reason: `there is no project ${newProject}`, project_id: newProject }]);
  expect(await countOf(rig.database, "traces")).toBe(0);

  await insertProject(rig.database.query, { id: newProject, tenantId: "tenant-1", name: "new" });
  await rig.publish(agentRun(producer));
  await emptied();
  expect(await countOf(rig.database, "traces")).toBe(1);
});

test("an entry that the database refuses is set aside after five deliveries, the others of its batch are written at once", async () => {
  const producer = createProducer(rig.projectId);
  const poison = producer.event("trace.start", { trace_id: uuidv7(), name: "year zero", started_at: "0000-01-01T00:00:00.000Z" });
  const [first, ...others] = agentRun(producer);
  await rig.publish([...(first === undefined ? [] : [first]), poison, ...others]);
  await rig.start({ tuning: { claimIdleMs: 50, claimEveryMs: 50 } });
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(1), patient);
  expect(await countOf(rig.database, "observations")).toBe(3);
  expect(await countOf(rig.database, "dead_letters")).toBe(0);

  await emptied();
  const [letter] = await rig.database.query.selectFrom("observability.dead_letters").selectAll().execute();
  expect(letter?.reason).toMatch(/^the database refused it 5 times: date\/time field value out of range/);
  expect(letter?.entry).toBe(JSON.stringify(fieldsOf(poison)));
});

test("what a killed consumer had read is taken over by another one", async () => {
  await rig.redis.client.xgroup("CREATE", rig.stream, rig.group, "0", "MKSTREAM");
  await rig.publish(agentRun(createProducer(rig.projectId)));
  // What a consumer leaves behind that dies between its read and its commit.
  await rig.redis.client.xreadgroup("GROUP", rig.group, "dead", "COUNT", 100, "STREAMS", rig.stream, ">");
  await rig.start({ tuning: { claimIdleMs: 50, claimEveryMs: 50, reapEveryMs: 50, reapIdleMs: 50 } });
  await emptied();
  expect(await countOf(rig.database, "observations")).toBe(3);
  await vi.waitFor(async () => expect(await consumerNames()).toEqual([expect.stringMatching(/^consumer-/)]), patient);
});

test("two consumers share the work and write every event once", async () => {
  const runs = Array.from({ length: 60 }, () => agentRun(createProducer(rig.projectId)));
  const started = [
    await rig.start({ config: { OBSERVABILITY_BATCH_SIZE: 20 } }),
    await rig.start({ config: { OBSERVABILITY_BATCH_SIZE: 20 } }),
  ];
  await rig.publish(runs.flat());
  await emptied();
  expect(await countOf(rig.database, "traces")).toBe(60);
  expect(await countOf(rig.database, "observations")).toBe(180);
  await vi.waitFor(async () => {
    const processed = await Promise.all(started.map(({ metric }) => metric("studio_events_processed_total")));
    expect(processed.reduce((sum, count) => sum + count, 0)).toBe(600);
    expect(Math.min(...processed)).toBeGreaterThan(0);
  }, patient);
});

test("a group that is deleted under the consumer is made anew and nothing is lost", async () => {
  await rig.start();
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(1), patient);
  await rig.redis.client.xgroup("DESTROY", rig.stream, rig.group);
  await rig.publish(agentRun(createProducer(rig.projectId)));
  await emptied();
  expect(await countOf(rig.database, "observations")).toBe(3);
});

test("a stream that is deleted under the consumer is read again when it is back", async () => {
  await rig.start();
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(1), patient);
  await rig.redis.client.del(rig.stream);
  await rig.publish(agentRun(createProducer(rig.projectId)));
  await emptied();
  expect(await countOf(rig.database, "observations")).toBe(3);
});

test("a consumer that stops leaves the group", async () => {
  const { consumer } = await rig.start();
  // Redis 7.0 knows a consumer only from its first entry on.
  await rig.publish(agentRun(createProducer(rig.projectId)));
  await vi.waitFor(async () => expect(await consumerNames()).toEqual([consumer.name]), patient);
  await consumer.stop();
  expect(await consumerNames()).toEqual([]);
});

test("a consumer that stops in the middle of the work finishes the batch at hand", async () => {
  await rig.publish(Array.from({ length: 100 }, () => agentRun(createProducer(rig.projectId))).flat());
  const { consumer } = await rig.start({ config: { OBSERVABILITY_BATCH_SIZE: 10 } });
  await vi.waitFor(async () => expect(await countOf(rig.database, "traces")).toBeGreaterThan(0), { ...patient, interval: 5 });
  await consumer.stop();
  expect(await rig.redis.client.xlen(rig.stream)).toBeGreaterThan(0);
  expect(await rig.redis.client.xpending(rig.stream, rig.group)).toEqual([0, null, null, null]);
  expect((await countOf(rig.database, "traces")) * 10).toBe(1000 - (await rig.redis.client.xlen(rig.stream)));
});

test("with OBSERVABILITY_ENABLED off the consumer reads nothing and stops at once", async () => {
  await rig.publish(agentRun(createProducer(rig.projectId)));
  const { consumer } = await rig.start({ config: { OBSERVABILITY_ENABLED: false } });
  await consumer.stop();
  expect(await rig.redis.client.xlen(rig.stream)).toBe(10);
  expect(await rig.redis.client.xinfo("GROUPS", rig.stream)).toEqual([]);
});

test("the projects there are stand beside the heartbeat, for SDKs to look theirs up", async () => {
  const key = `${rig.heartbeatKey}:projects`;
  await rig.start();
  await vi.waitFor(async () => expect(await rig.redis.client.sismember(key, rig.projectId)).toBe(1), patient);
  expect(await rig.redis.client.sismember(key, uuidv7())).toBe(0);
  expect(await rig.redis.client.pttl(key)).toBeGreaterThan(20_000);
});

test("the heartbeat is JSON, lives 30 s and is written although no event comes", async () => {
  const { consumer } = await rig.start();
  await vi.waitFor(async () => expect(await rig.redis.client.exists(rig.heartbeatKey)).toBe(1), patient);
  expect(JSON.parse((await rig.redis.client.get(rig.heartbeatKey)) ?? "")).toMatchObject({
    consumer: consumer.name,
    group: rig.group,
    stream: rig.stream,
    at: expect.stringMatching(/Z$/),
  });
  const lives = await rig.redis.client.pttl(rig.heartbeatKey);
  expect(lives).toBeGreaterThan(28_000);
  expect(lives).toBeLessThanOrEqual(30_000);
});

async function emptied(): Promise<void> {
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), patient);
}

async function consumerNames(): Promise<readonly string[]> {
  const rows = (await rig.redis.client.xinfo("CONSUMERS", rig.stream, rig.group)) as (string | number)[][];
  return rows.map((row) => String(row[row.indexOf("name") + 1]));
}
