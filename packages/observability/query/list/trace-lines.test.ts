import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { facetListSchema, LABEL_NAMES, traceHistogramSchema, tracePageSchema, type ListedTrace } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});

afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const AT = Date.parse("2026-11-01T12:00:00Z");
const at = (seconds: number) => new Date(AT + seconds * 1_000).toISOString();

async function project(): Promise<string> {
  const id = uuidv7();
  await insertProject(database.query, { id, tenantId: "tenant-1", name: "lines" });
  return id;
}

async function listed(projectId: string, q = ""): Promise<readonly ListedTrace[]> {
  const { body } = await api.get(`/api/v1/projects/${projectId}/traces?q=${encodeURIComponent(q)}`);
  return tracePageSchema.parse(body).items;
}

type Given = { readonly input?: unknown; readonly output?: unknown; readonly start?: object };

function traceEvents(producer: ReturnType<typeof createProducer>, { input, output, start = {} }: Given, seconds = 0, traceId = uuidv7()) {
  return [
    producer.event("trace.start", { trace_id: traceId, name: "agent", started_at: at(seconds), input, ...start }),
    producer.event("trace.end", { trace_id: traceId, ended_at: at(seconds + 1), status: "success", output }),
  ];
}

test.each(LABEL_NAMES)("the %s that an event says is in the list, is found by, and is among the field's values", async (name) => {
  const projectId = await project();
  const producer = createProducer(projectId);
  await writeEvents(
    database,
    ["blue", "green"].flatMap((value) => traceEvents(producer, { start: { [name]: value } })),
  );
  expect((await listed(projectId)).map((trace) => trace[name] ?? "").toSorted()).toEqual(["blue", "green"]);
  expect(await listed(projectId, `${name}:gre*`)).toMatchObject([{ [name]: "green" }]);
  const { body } = await api.get(`/api/v1/projects/${projectId}/traces/facets?field=${name}`);
  expect(
    facetListSchema
      .parse(body)
      .items.map(({ value }) => value)
      .toSorted(),
  ).toEqual(["blue", "green"]);
});

test("a trace in the list says in a line what was asked and what came back", async () => {
  const projectId = await project();
  const producer = createProducer(projectId);
  const messages = [
    { type: "human", content: "Where is\nmy order?" },
    { type: "ai", content: "On its way." },
  ];
  await writeEvents(database, traceEvents(producer, { input: { messages: messages.slice(0, 1) }, output: { messages } }));
  expect(await listed(projectId)).toMatchObject([{ input: "Where is my order?", output: "On its way." }]);
});

test("and where it does not say so itself, its first and last model call do", async () => {
  const projectId = await project();
  const producer = createProducer(projectId);
  const traceId = uuidv7();
  const call = (seconds: number, input: string, output: string) => {
    const observationId = uuidv7();
    const ids = { trace_id: traceId, observation_id: observationId };
    return [
      producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "chat", started_at: at(seconds), input }),
      producer.event("observation.end", { ...ids, ended_at: at(seconds + 1), duration_ms: 1_000, status: "success", model: "m", output }),
    ];
  };
  // The answers arrive before the questions, as over two connections.
  await writeEvents(database, [...call(4, "And then?", "The end."), ...call(1, "Where?", "There.")].toReversed());
  await writeEvents(database, traceEvents(producer, {}, 0, traceId));
  expect(await listed(projectId)).toMatchObject([{ input: "Where?", output: "The end." }]);
});

test("of a trace that failed and gave nothing back the list says the error, not what a model said last", async () => {
  const projectId = await project();
  const producer = createProducer(projectId);
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: ids.trace_id, name: "agent", started_at: at(0) }),
    producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "chat", started_at: at(1), input: "Where?" }),
    producer.event("observation.end", { ...ids, ended_at: at(2), duration_ms: 1_000, status: "success", model: "m", output: "I look." }),
    producer.event("trace.end", { trace_id: ids.trace_id, ended_at: at(3), status: "failure", error: "The warehouse is away." }),
  ]);
  expect(await listed(projectId)).toMatchObject([{ input: "Where?", output: null, error: "The warehouse is away." }]);
});

test("a trace is found by its tags, environment, release, version and metadata", async () => {
  const projectId = await project();
  const producer = createProducer(projectId);
  const start = {
    environment: "production",
    release: "2026.11",
    version: "1.4.2",
    tags: ["beta", "eu"],
    attributes: {
      metadata: { customer: "acme: north", seats: 3, nested: { no: 1 } },
      "otel.resource": { team: "emea", "telemetry.sdk.name": "opentelemetry" },
    },
  };
  await writeEvents(database, [...traceEvents(producer, { start }), ...traceEvents(producer, { start: { environment: "staging" } }, 60)]);
  for (const q of [
    "environment:production",
    "release:2026*",
    "version:1.4.2",
    "tag:eu",
    'metadata.customer:"acme: north"',
    "metadata.seats:3",
    "resource.team:emea",
  ]) {
    expect(await listed(projectId, q), q).toMatchObject([
      { environment: "production", release: "2026.11", version: "1.4.2", tags: ["beta", "eu"] },
    ]);
  }
  expect(await listed(projectId, "-environment:production")).toMatchObject([{ environment: "staging", tags: [] }]);
  expect(await listed(projectId, "metadata.nested:1")).toEqual([]);
  expect(await listed(projectId, "resource.telemetry.sdk.name:opentelemetry")).toEqual([]);
  const { body } = await api.get(`/api/v1/projects/${projectId}/traces/facets?field=environment`);
  expect(
    facetListSchema
      .parse(body)
      .items.map(({ value }) => value)
      .toSorted((left, right) => left.localeCompare(right)),
  ).toEqual(["production", "staging"]);
});

test("one failure that climbs is one, and two that arose apart are two", async () => {
  const projectId = await project();
  const producer = createProducer(projectId);
  const traceId = uuidv7();
  const step = (parentId: string | null, id = uuidv7()) => ({
    id,
    events: [
      producer.event("observation.start", {
        trace_id: traceId,
        observation_id: id,
        parent_id: parentId,
        kind: "span",
        name: "s",
        started_at: at(0),
      }),
      producer.event("observation.end", {
        trace_id: traceId,
        observation_id: id,
        ended_at: at(1),
        duration_ms: 1,
        status: "failure",
        error: "E",
      }),
    ],
  });
  const outer = step(null);
  const middle = step(outer.id);
  const inner = step(middle.id);
  await writeEvents(
    database,
    [outer, middle, inner].flatMap(({ events }) => events),
  );
  const failures = async () => {
    const { body } = await api.get(`/api/v1/projects/${projectId}/traces/${traceId}/summary`);
    return [(await listed(projectId))[0]?.failures, (body as { failures: number }).failures];
  };
  expect(await failures()).toEqual([1, 1]);
  await writeEvents(database, step(outer.id).events);
  expect(await failures()).toEqual([2, 2]);
});

test("how many traces there are, and when, is told of those that a query finds", async () => {
  const projectId = await project();
  const producer = createProducer(projectId);
  await writeEvents(
    database,
    [0, 10, 3_600].flatMap((seconds) => traceEvents(producer, { input: seconds === 10 ? "odd" : "even" }, seconds)),
  );
  const histogram = async (q: string) =>
    traceHistogramSchema.parse((await api.get(`/api/v1/projects/${projectId}/traces/histogram?q=${q}`)).body);
  const all = await histogram("");
  expect(all).toMatchObject({ total: 3, is_cut: false, bar_ms: 300_000 });
  expect(all.bars.map(({ traces }) => traces)).toEqual([2, 1]);
  expect(await histogram("odd")).toMatchObject({ total: 1, bars: [{ traces: 1, failures: 0 }] });
  expect(await histogram("nothing-like-it")).toMatchObject({ total: 0, bars: [] });
});

test("nobody counts the traces of another tenant's project", async () => {
  const other = uuidv7();
  await insertProject(database.query, { id: other, tenantId: "tenant-2", name: "theirs" });
  expect((await api.get(`/api/v1/projects/${other}/traces/histogram`)).status).toBe(404);
});
