import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { scorePageSchema, scoreSchema, tracePageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;
let producer: Producer;
let traceId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  [projectId, traceId] = [uuidv7(), uuidv7()];
  producer = createProducer(projectId);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  await writeEvents(database, agentRun(producer, traceId));
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("scores of the application and of people are listed together, newest first, by trace and by name", async () => {
  const made = await api.post(url(), { trace_id: traceId, name: "correct", value: 0.5, comment: "half" });
  expect(made).toMatchObject({ status: 201, body: { author: "user-1", observation_id: null, value: 0.5 } });
  expect(await names("")).toEqual(["correct", "helpful"]);
  expect(await names(`trace_id=${traceId}&name=helpful`)).toEqual(["helpful"]);
  expect(await names(`trace_id=${uuidv7()}`)).toEqual([]);
  const first = scorePageSchema.parse((await api.get(`${url()}?limit=1`)).body);
  expect(await names(`limit=1&cursor=${first.next_cursor}`)).toEqual(["helpful"]);
});

test("names of scores are told once each, to who may see the project", async () => {
  await api.post(url(), { trace_id: traceId, name: "correct", value: 1 });
  await api.post(url(), { trace_id: traceId, name: "correct", value: 0 });
  expect(await api.get(`${url()}/names`)).toEqual({ status: 200, body: { items: ["correct", "helpful"] } });
  expect((await api.get(`${url()}/names`, "tenant-2:admin")).status).toBe(404);
});

test("a score names a trace of the project, and an observation of that trace", async () => {
  const theirs = uuidv7();
  await insertProject(database.query, { id: theirs, tenantId: "tenant-1", name: "other" });
  const otherTrace = uuidv7();
  await writeEvents(database, agentRun(createProducer(theirs), otherTrace));
  const refused = { status: 404, body: { error: "trace_not_found" } };
  expect(await api.post(url(), { trace_id: otherTrace, name: "n", value: 1 })).toMatchObject(refused);
  expect(await api.post(url(), { trace_id: traceId, observation_id: uuidv7(), name: "n", value: 1 })).toMatchObject(refused);
  const { rows } = await database.pool.query<{ id: string }>("select id from observability.observations where trace_id = $1 limit 1", [
    traceId,
  ]);
  expect((await api.post(url(), { trace_id: traceId, observation_id: rows[0]?.id, name: "n", value: 1 })).status).toBe(201);
});

test("a score that was given here can be deleted, one that came from the application cannot", async () => {
  const made = scoreSchema.parse((await api.post(url(), { trace_id: traceId, name: "correct", value: 1 })).body);
  const [given] = scorePageSchema.parse((await api.get(`${url()}?name=helpful`)).body).items;
  expect(await remove(given?.id ?? "", "tenant-1:admin")).toBe(404);
  expect(await remove(made.id, "tenant-2:admin")).toBe(404);
  expect(await remove(made.id, "tenant-1:member")).toBe(204);
  expect(await names("")).toEqual(["helpful"]);
});

test("a trace takes a thousand scores, and then says so", async () => {
  await sql`
    insert into observability.scores (project_id, trace_id, event_id, name, data_type, value, source, scored_at)
    select ${projectId}::uuid, ${traceId}::uuid, gen_random_uuid(), 'flood', 'number', 1, 'application', now() from generate_series(1, 1000)`.execute(
    database.query,
  );
  expect(await api.post(url(), { trace_id: traceId, name: "n", value: 1 })).toMatchObject({
    status: 409,
    body: { error: "too_many_scores" },
  });
});

test("scores of another tenant's project are not there", async () => {
  expect((await api.get(url(), "tenant-2:admin")).status).toBe(404);
  expect((await api.post(url(), { trace_id: traceId, name: "n", value: 1 }, "tenant-2:admin")).status).toBe(404);
});

test.each([{ value: "1" }, { name: " " }, { name: "a\0" }, { comment: "c".repeat(4_001) }, { trace_id: "x" }])(
  "a score is not %j",
  async (part) => {
    const body = { trace_id: traceId, name: "n", value: 1, ...part };
    expect(await api.post(url(), body)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  },
);

test("traces are found by words of their name, ids, error, input and output, wherever those stand", async () => {
  const other = uuidv7();
  await writeEvents(database, [
    producer.event("trace.start", {
      trace_id: other,
      name: "billing",
      started_at: "2026-11-21T10:00:00Z",
      user_id: "ada",
      input: { messages: [{ role: "user", content: "Refund my SUBSCRIPTION, order-42" }] },
    }),
    producer.event("trace.end", {
      trace_id: other,
      ended_at: "2026-11-21T10:00:01Z",
      status: "failure",
      error: "Gateway timeout",
      output: 7,
    }),
  ]);
  for (const words of ["subscription", "refund ada", '"my subscription"', "Gateway", "order-42"]) {
    expect(await found(words), words).toEqual([other]);
  }
  expect(await found("shipped")).toEqual([traceId]);
  expect(await found("nothing of that")).toEqual([]);
  for (const odd of ["'", '"', "!!", "a & | b", "<->", "\\", "%"]) {
    expect((await api.get(`/api/v1/projects/${projectId}/traces?${new URLSearchParams({ search: odd }).toString()}`)).status, odd).toBe(
      200,
    );
  }
});

test("a search looks at the beginning of what is long, and text of any kind is taken", async () => {
  const long = uuidv7();
  const input = {
    first: "needle",
    deep: [["\u{1F600}".repeat(3_000)]],
    many: Array.from({ length: 5_000 }, (_, index) => `w${index}`),
    last: "haystack",
  };
  await writeEvents(database, [producer.event("trace.start", { trace_id: long, name: "t", started_at: "2026-11-21T10:00:00Z", input })]);
  expect(await found("needle")).toEqual([long]);
  expect(await found("haystack")).toEqual([]);
});

function url(): string {
  return `/api/v1/projects/${projectId}/scores`;
}

async function names(query: string): Promise<readonly string[]> {
  return scorePageSchema.parse((await api.get(`${url()}?${query}`)).body).items.map(({ name }) => name);
}

async function remove(scoreId: string, token: string): Promise<number> {
  const answer = await api.server.inject({ method: "DELETE", url: `${url()}/${scoreId}`, headers: { authorization: `Bearer ${token}` } });
  return answer.statusCode;
}

async function found(search: string): Promise<readonly string[]> {
  const { body } = await api.get(`/api/v1/projects/${projectId}/traces?${new URLSearchParams({ search }).toString()}`);
  return tracePageSchema.parse(body).items.map(({ id }) => id);
}
