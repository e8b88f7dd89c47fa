import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { tracePageSchema, traceSchema } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  projectId = await project("tenant-1");
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("runs that resume each other are one trace, in whatever order and batches their events arrive", async () => {
  const ids = [uuidv7(), uuidv7(), uuidv7()] as const;
  const events = threeRuns(projectId, ids);
  for (const shift of [0, 3, 7, 11]) {
    const order = [...events.slice(shift), ...events.slice(0, shift)].toReversed();
    const target = await project("tenant-1");
    for (const event of order) {
      await writeEvents(database, [{ ...event, project_id: target }]);
    }
    const page = await list(target);
    expect(page).toMatchObject([
      { id: ids[0], status: "success", duration_ms: 3000, waiting_ms: 97_000, observations: 3, ended_at: at(100) },
    ]);
  }
  await writeEvents(database, events);
  for (const id of ids) {
    const trace = traceSchema.parse((await api.get(`/api/v1/projects/${projectId}/traces/${id}`)).body);
    expect(trace).toMatchObject({ id: ids[0], input: "question", output: "answer", segments: ids.map((part) => ({ id: part })) });
    expect(trace.observation_list.map(({ name }) => name)).toEqual(["step 0", "step 1", "step 2"]);
  }
});

test("a resumed trace is found by how it ended, no more by its interrupts, and each is listed once over all pages", async () => {
  const waiting = uuidv7();
  await writeEvents(database, threeRuns(projectId, [uuidv7(), uuidv7(), uuidv7()]));
  await writeEvents(database, threeRuns(projectId, [waiting, uuidv7(), uuidv7()], "thread-2").slice(0, 4));
  expect(await list(projectId, "status=success")).toHaveLength(1);
  expect(await list(projectId, "status=interrupted")).toMatchObject([{ id: waiting, waiting_ms: 0 }]);
  expect(await list(projectId, "limit=1")).toHaveLength(1);
  expect(await list(projectId)).toHaveLength(2);
});

test("the same thread and checkpoint in another project, or of another tenant, is another trace", async () => {
  const [neighbour, stranger] = [await project("tenant-1"), await project("tenant-2")];
  const ids = [uuidv7(), uuidv7(), uuidv7()] as const;
  const events = threeRuns(projectId, ids);
  await writeEvents(database, events.slice(0, 4));
  for (const target of [neighbour, stranger]) {
    await writeEvents(
      database,
      events.slice(4).map((event) => ({ ...event, project_id: target })),
    );
  }
  expect(await list(projectId)).toMatchObject([{ id: ids[0], status: "interrupted", observations: 1 }]);
  expect(await list(neighbour)).toMatchObject([{ id: ids[1], status: "success", observations: 2 }]);
  const theirs = await api.get(`/api/v1/traces/${ids[1]}`, "tenant-2:member");
  expect(theirs.body).toMatchObject({ project_id: stranger, segments: [{}, {}] });
  expect(await api.get(`/api/v1/projects/${stranger}/traces/${ids[1]}`)).toMatchObject({ status: 404 });
});

test("producers that lie about their checkpoints hide no trace and hang nothing", async () => {
  const producer = createProducer(projectId);
  const ids = Array.from({ length: 20 }, () => uuidv7());
  // Each says it resumed every other one's checkpoint, and its own.
  await writeEvents(
    database,
    ids.flatMap((id, index) => run(producer, id, { from: "c", to: "c", second: index })),
  );
  const page = await list(projectId);
  expect(page).toMatchObject([{ id: ids[0], observations: 20 }]);
  for (const id of ids) {
    expect(await api.get(`/api/v1/traces/${id}`)).toMatchObject({ status: 200, body: { id: ids[0] } });
  }
});

test("steps that make no sense as a graph are answered as what is known, and edges without a known beginning say so", async () => {
  const producer = createProducer(projectId);
  const traceId = uuidv7();
  const [first, second] = [uuidv7(), uuidv7()];
  const node = (id: string, parent: string, task: string, step: number, next: object) => [
    producer.event("observation.start", {
      trace_id: traceId,
      observation_id: id,
      parent_id: parent,
      kind: "node",
      name: "n",
      started_at: at(1),
      graph_step: { task, step, triggers: ["branch:to:n", "__pregel_push", "join:x+y:n", ""], index: 999_999 },
    }),
    producer.event("observation.end", {
      trace_id: traceId,
      observation_id: id,
      ended_at: at(2),
      duration_ms: 1,
      status: "success",
      ...next,
    }),
  ];
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: traceId, name: "odd", started_at: at(0) }),
    // Two nodes that are each other's parents, and a beginning for a graph that never came.
    ...node(first, second, "a|b", Number.MAX_SAFE_INTEGER, { next: [{ to: "n", via: "send", count: 1_000_000 }] }),
    ...node(second, first, "||", -1, {
      next: [
        { to: "n", via: "static" },
        { to: "__end__", via: "goto", parent: true },
      ],
    }),
    producer.event("graph.enter", { trace_id: traceId, graph_id: uuidv7(), next: [{ to: "n", via: "join", trigger: "join:x+y:n" }] }),
  ]);
  const { status, body } = await api.get(`/api/v1/traces/${traceId}`);
  expect(status).toBe(200);
  const { graph } = traceSchema.parse(body);
  expect(graph?.declared).toBeNull();
  expect(graph?.taken.every(({ from, via }) => (from === null) === (via === "unknown"))).toBe(true);
});

async function project(tenantId: string): Promise<string> {
  const id = uuidv7();
  await insertProject(database.query, { id, tenantId, name: "support" });
  return id;
}

/** Interrupted at c1, resumed and interrupted at c2, resumed and done. */
function threeRuns(owner: string, ids: readonly [string, string, string], threadId = "thread-1"): readonly StreamEvent[] {
  const [one, two, three] = [createProducer(owner), createProducer(owner), createProducer(owner)];
  return [
    ...run(one, ids[0], { to: "c1", second: 0, threadId }),
    ...run(two, ids[1], { from: "c1", to: "c2", second: 51, threadId }),
    ...run(three, ids[2], { from: "c2", second: 99, threadId }),
  ];
}

type Leg = { readonly from?: string; readonly to?: string; readonly second: number; readonly threadId?: string };

function run(producer: Producer, traceId: string, { from, to, second, threadId = "thread-1" }: Leg): readonly StreamEvent[] {
  const observation = { trace_id: traceId, observation_id: uuidv7() };
  const order = from === undefined ? 0 : to === undefined ? 2 : 1;
  return [
    producer.event("trace.start", {
      trace_id: traceId,
      name: "asking",
      started_at: at(second),
      thread_id: threadId,
      input: order === 0 ? "question" : null,
    }),
    ...(from === undefined ? [] : [producer.event("trace.resume", { trace_id: traceId, resumed_at: at(second), resumed_from: from })]),
    producer.event("observation.start", { ...observation, parent_id: null, kind: "node", name: `step ${order}`, started_at: at(second) }),
    producer.event("observation.end", { ...observation, ended_at: at(second + 1), duration_ms: 1000, status: "success" }),
    producer.event(
      "trace.end",
      to === undefined
        ? { trace_id: traceId, ended_at: at(second + 1), status: "success", output: "answer" }
        : { trace_id: traceId, ended_at: at(second + 1), status: "interrupted", paused_at: to },
    ),
  ];
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString();
}

async function list(owner: string, query = "") {
  return tracePageSchema.parse((await api.get(`/api/v1/projects/${owner}/traces?${query}`)).body).items;
}
