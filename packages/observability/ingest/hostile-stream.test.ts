import { randomUUID } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer, fieldsOf } from "#testing/agent-run.ts";
import { countOf, createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";

/** Machines that run tests are busy. */
const patient = { timeout: 20_000 };
const quickClaims = { claimIdleMs: 50, claimEveryMs: 50 };

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

test.each(["xinfo", "xautoclaim", "xpending", "eval", "time", "command", "xackdel"])(
  "a Redis user who may not use %s still has events written",
  async (command) => {
    const name = `sightline-test-${randomUUID()}`;
    const known = (await rig.redis.client.call("COMMAND", "LIST")) as string[];
    const denied = known.includes(command) ? [`-${command}`] : [];
    await rig.redis.client.call("ACL", "SETUSER", name, "on", ">secret", "~*", "+@all", ...denied);
    const url = new URL(rig.redis.url);
    [url.username, url.password] = [name, "secret"];
    try {
      const producer = createProducer(rig.projectId);
      const { consumer } = await rig.start({ config: { OBSERVABILITY_REDIS_URL: url.toString() }, tuning: quickClaims });
      await rig.publish([...agentRun(producer), ...agentRun(producer)]);
      await emptied();
      expect(await countOf(rig.database, "observations")).toBe(6);
      await consumer.stop();
    } finally {
      await rig.redis.client.call("ACL", "DELUSER", name);
    }
  },
);

test("an entry that the database refuses is set aside at once where deliveries cannot be counted", async () => {
  const name = `sightline-test-${randomUUID()}`;
  await rig.redis.client.call("ACL", "SETUSER", name, "on", ">secret", "~*", "+@all", "-xpending");
  const url = new URL(rig.redis.url);
  [url.username, url.password] = [name, "secret"];
  const producer = createProducer(rig.projectId);
  await rig.publish([producer.event("trace.start", { trace_id: uuidv7(), name: "year zero", started_at: "0000-01-01T00:00:00.000Z" })]);
  const { consumer } = await rig.start({ config: { OBSERVABILITY_REDIS_URL: url.toString() } });
  await emptied();
  expect(await letters()).toMatchObject([{ reason: expect.stringMatching(/^the database refused it: date/) }]);
  await consumer.stop();
  await rig.redis.client.call("ACL", "DELUSER", name);
});

test("an entry that consumers took over 20 times and never finished is set aside unread, and its number is no loss", async () => {
  const producer = createProducer(rig.projectId);
  const [deadly, ...others] = agentRun(producer);
  await rig.redis.client.xgroup("CREATE", rig.stream, rig.group, "0", "MKSTREAM");
  await rig.publish(deadly === undefined ? [] : [deadly]);
  const [entry] = await rig.redis.client.xrange(rig.stream, "-", "+");
  const id = entry?.[0] ?? "";
  await rig.redis.client.xreadgroup("GROUP", rig.group, "dead", "COUNT", 1, "STREAMS", rig.stream, ">");
  await rig.redis.client.xclaim(rig.stream, rig.group, "dead", 0, id, "RETRYCOUNT", 20, "JUSTID");
  await rig.publish(others);
  await rig.start({ tuning: quickClaims });
  await emptied();
  expect(await letters()).toMatchObject([{ entry_id: id, reason: expect.stringContaining("delivered 21 times and never finished") }]);
  const { rows } = await rig.database.pool.query<{ seen: string }>("select seen from observability.producers");
  expect(rows).toEqual([{ seen: "{[1,11)}" }]);
});

test("an entry far longer than any event is set aside with its beginning, and what comes after it is written", async () => {
  const producer = createProducer(rig.projectId);
  const [start, ...others] = agentRun(producer);
  const fields = start === undefined ? [] : fieldsOf(start);
  const huge = [...fields.slice(0, -1), `{"padding":"${"x".repeat(40 * 1024 * 1024)}"}`];
  await rig.redis.client.xadd(rig.stream, "*", ...huge);
  await rig.publish(others);
  await rig.start({ tuning: quickClaims });
  await emptied();
  const [letter] = await letters();
  expect(letter).toMatchObject({ is_whole: false, reason: expect.stringMatching(/^body has \d+ characters.*only the beginning/) });
  expect(letter?.entry.length).toBeLessThan(100_000);
  expect(await countOf(rig.database, "observations")).toBe(3);
});

test("gaps are not judged while entries that were read long ago wait to be written", async () => {
  const producer = createProducer(rig.projectId);
  const [first, second, ...others] = agentRun(producer);
  await rig.redis.client.xgroup("CREATE", rig.stream, rig.group, "0", "MKSTREAM");
  await rig.publish(first === undefined || second === undefined ? [] : [first, second]);
  await rig.redis.client.xreadgroup("GROUP", rig.group, "slow", "COUNT", 2, "STREAMS", rig.stream, ">");
  await rig.publish(others);
  const { metric } = await rig.start({ tuning: { claimIdleMs: 3_000, claimEveryMs: 50, reorderWindowMs: 100, findGapsEveryMs: 20 } });
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(2), patient);
  await emptied();
  await vi.waitFor(async () => expect(await countOf(rig.database, "producers where holes = '{}'")).toBe(1), patient);
  expect(await metric("studio_events_lost_total")).toBe(0);
  expect(await countOf(rig.database, "ingest_gaps")).toBe(0);
});

async function emptied(): Promise<void> {
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), patient);
}

async function letters() {
  return rig.database.query.selectFrom("observability.dead_letters").selectAll().execute();
}
