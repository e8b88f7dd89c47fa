import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { stepPageSchema, type StepPage } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const AT = "2026-11-21T10:00:00.000Z";

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let api: ApiRig;
let producer: Producer;
let traceId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
});
beforeEach(() => {
  producer = createProducer(rig.projectId);
  traceId = uuidv7();
});
afterAll(async () => {
  await api.close();
  await rig.close();
  await database.drop();
});

test("after a revision come the steps that were written since, those that run, and the children of what changed", async () => {
  const [root, child, other, late] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  await writeEvents(database, [...step(root, null).slice(0, 1), ...step(child, root), ...step(other, null)]);
  const first = await page();
  expect(names(first)).toEqual([root, child, other]);
  expect(names(await page(first.revision))).toEqual([root]);
  await writeEvents(database, step(late, null));
  const second = await page(first.revision);
  expect(names(second)).toEqual([root, late]);
  expect(second).toMatchObject({ total: 4, next_cursor: null });
  await writeEvents(database, step(root, null).slice(1));
  expect(names(await page(second.revision))).toEqual([root, child]);
  const last = await page();
  expect(names(await page(last.revision))).toEqual([]);
});

test("a revision changes when anything of the trace does, and not when something else is written", async () => {
  const id = uuidv7();
  await writeEvents(database, step(id, null));
  const { revision } = await page();
  await writeEvents(database, [
    createProducer(rig.projectId).event("trace.start", { trace_id: uuidv7(), name: "another", started_at: AT }),
  ]);
  expect((await page()).revision).toBe(revision);
  await writeEvents(database, [producer.event("observation.update", { trace_id: traceId, observation_id: id, attributes: { more: 1 } })]);
  const updated = (await page()).revision;
  expect(updated).not.toBe(revision);
  await writeEvents(database, [producer.event("trace.end", { trace_id: traceId, ended_at: AT, status: "success" })]);
  expect((await page()).revision).not.toBe(updated);
});

test("what begins before a revision is read and is committed after it comes after it", needsRealPostgres, async () => {
  const [slow, quick] = [uuidv7(), uuidv7()];
  await writeEvents(database, [...step(slow, null), ...step(quick, null)]);
  const client = await database.pool.connect();
  await client.query("begin");
  await client.query("update observability.observations set error = 'late' where trace_id = $1 and id = $2", [traceId, slow]);
  await database.pool.query("update observability.observations set error = 'early' where trace_id = $1 and id = $2", [traceId, quick]);
  const between = await page();
  await client.query("commit");
  client.release();
  expect((await page(between.revision)).items.map(({ id, error }) => [id, error])).toEqual([[slow, "late"]]);
});

test("with a revision of nowhere all steps come, and a cursor of another trace is refused", async () => {
  const id = uuidv7();
  await writeEvents(database, step(id, null));
  expect(names(await page("999999999999999"))).toEqual([id]);
  expect(names(await page("nonsense"))).toEqual([id]);
  const cursor = Buffer.from(JSON.stringify([traceId, uuidv7()])).toString("base64url");
  expect(await api.get(`${base()}?cursor=${cursor}`, "tenant-1:admin")).toMatchObject({ status: 400, body: { error: "invalid_cursor" } });
});

test("the pages of what changed hold each of it once", async () => {
  const ids = Array.from({ length: 25 }, () => uuidv7());
  await writeEvents(database, step(uuidv7(), null));
  const { revision } = await page();
  await writeEvents(
    database,
    ids.flatMap((id) => step(id, null)),
  );
  const found: string[] = [];
  for (let more: string | null = ""; more !== null;) {
    const next: StepPage = await page(revision, `&limit=10${more}`);
    found.push(...names(next));
    more = next.next_cursor === null ? null : `&cursor=${next.next_cursor}`;
  }
  expect(found).toEqual(ids);
});

function step(id: string, parentId: string | null) {
  const ids = { trace_id: traceId, observation_id: id };
  return [
    producer.event("observation.start", { ...ids, parent_id: parentId, kind: "span", name: "step", started_at: AT }),
    producer.event("observation.end", { ...ids, ended_at: AT, duration_ms: 0, status: "success" }),
  ];
}

function base(): string {
  return `/api/v1/projects/${rig.projectId}/traces/${traceId}/steps`;
}

async function page(afterRevision = "", query = ""): Promise<StepPage> {
  const { body } = await api.get(`${base()}?${afterRevision === "" ? "" : `after_revision=${afterRevision}`}${query}`, "tenant-1:admin");
  return stepPageSchema.parse(body);
}

function names({ items }: StepPage): readonly string[] {
  return items.map(({ id }) => id);
}
