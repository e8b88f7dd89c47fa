import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionSchema, turnPageSchema, userSchema } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { exploredRun } from "#testing/explored-run.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();
const base = `/api/v1/projects/${projectId}`;
const SESSION = "chat/of 7%";
const producer = createProducer(projectId);

const LONG = `# The answer\n${"word ".repeat(4_000)}`;
const SENT = { role: "assistant", content: "Said a **second** time." };
const HASH = createHash("sha256").update(JSON.stringify(SENT)).digest("hex");
const [FIRST, SECOND, THIRD] = [uuidv7(), uuidv7(), uuidv7()];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "sessions" });
  await writeEvents(database, [
    ...turn(FIRST, { minute: 0, input: { messages: [["human", "Where is order 42?"]] }, output: { answer: LONG }, tool: "recovered" }),
    // Nothing is said by the trace itself, and what the last call answered travels as its hash.
    producer.event("blob", { sha256: HASH, content: SENT }),
    ...turn(SECOND, { minute: 1, call: { input: [{ role: "user", content: "And 43?" }], output: SENT } }),
    ...turn(THIRD, { minute: 2, input: "Refund it.", tool: "broke", error: "The refund was refused: broke: no connection" }),
    ...exploredRun(createProducer(projectId), { name: "other", seconds: 1, session: "s-2", user: "ann" }, 3),
    ...exploredRun(createProducer(projectId), { name: "other", seconds: 1, user: "ann", model: "m", tokens: 5 }, 24 * 60),
  ]);
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("a session tells its traces as turns: all that was asked and answered, in time, and the step at which one failed", async () => {
  const first = await turns("limit=2");
  expect(first.items).toMatchObject([
    { id: FIRST, status: "success", asked: { text: "Where is order 42?", characters: 18 }, failed_step: { name: "recovered" } },
    { id: SECOND, asked: { text: "And 43?" }, answered: { text: "Said a **second** time." }, failed_step: null },
  ]);
  expect(first.items[0]?.answered).toEqual({ text: LONG.slice(0, 8_000), characters: LONG.length });
  const rest = await turns(`limit=2&cursor=${first.next_cursor}`);
  expect(rest).toMatchObject({
    items: [{ id: THIRD, status: "failure", asked: { text: "Refund it." }, answered: null, failed_step: { kind: "tool", name: "broke" } }],
    next_cursor: null,
  });
  expect((await turns("order=desc")).items.map(({ id }) => id)).toEqual([THIRD, SECOND, FIRST]);
});

test("it went wrong at the first trace that failed, in the step where the failure arose, not at one that it got over", async () => {
  const session = sessionSchema.parse((await api.get(pathOf())).body);
  expect(session).toMatchObject({
    id: SESSION,
    traces: 3,
    failures: 1,
    users: ["ann"],
    scores: [{ name: "helpful", value: 0.5, count: 2 }],
    first_failure: {
      trace: { id: THIRD, error: "The refund was refused: broke: no connection" },
      step: { kind: "tool", name: "broke", error: "broke: no connection" },
    },
  });
});

test("a user is told by day and by session", async () => {
  const user = userSchema.parse((await api.get(`${base}/users/ann`)).body);
  expect(user).toMatchObject({
    traces: 5,
    failures: 1,
    days: [
      { day: "2026-11-21", traces: 4, failures: 1, input_tokens: 1 },
      { day: "2026-11-22", traces: 1, failures: 0, input_tokens: 5 },
    ],
    sessions: [
      { id: "s-2", traces: 1 },
      { id: SESSION, traces: 3, failures: 1, first_at: "2026-11-21T10:00:00.000Z", last_at: "2026-11-21T10:02:00.000Z" },
    ],
  });
});

test("what has no traces is not there, nor anything for who may not see the project", async () => {
  for (const [path, error] of [
    [pathOf("nowhere"), "session_not_found"],
    [`${pathOf("nowhere")}/turns`, "session_not_found"],
    [`${base}/users/nobody`, "user_not_found"],
  ] as const) {
    expect(await api.get(path)).toMatchObject({ status: 404, body: { error } });
  }
  for (const path of [pathOf(), `${pathOf()}/turns`, `${base}/users/ann`]) {
    expect(await api.get(path, "tenant-2:admin")).toMatchObject({ status: 404, body: { error: "project_not_found" } });
  }
});

function pathOf(id = SESSION): string {
  return `${base}/sessions/${encodeURIComponent(id)}`;
}

async function turns(query: string) {
  return turnPageSchema.parse((await api.get(`${pathOf()}/turns?${query}`)).body);
}

type Told = {
  readonly minute: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly call?: { readonly input: unknown; readonly output: unknown };
  /** A tool that failed, below a node that failed with it. */
  readonly tool?: string;
  readonly error?: string;
};

function turn(traceId: string, { minute, input, output, call, tool, error }: Told): readonly StreamEvent[] {
  const at = new Date(Date.UTC(2026, 10, 21, 10, minute)).toISOString();
  const [node, below, model] = [uuidv7(), uuidv7(), uuidv7()];
  const step = (observation_id: string, parent_id: string | null, kind: "node" | "tool" | "llm", name: string, given: unknown) =>
    producer.event("observation.start", { trace_id: traceId, observation_id, parent_id, kind, name, started_at: at, input: given });
  const end = (observation_id: string, rest: object) =>
    producer.event("observation.end", { trace_id: traceId, observation_id, ended_at: at, duration_ms: 1, status: "success", ...rest });
  const failure = { status: "failure", error: `${tool}: no connection` };
  return [
    producer.event("trace.start", { trace_id: traceId, name: "chat", started_at: at, session_id: SESSION, user_id: "ann", input }),
    ...(tool === undefined
      ? []
      : [
          step(node, null, "node", "act", undefined),
          step(below, node, "tool", tool, { order: 42 }),
          end(below, failure),
          end(node, failure),
        ]),
    ...(call === undefined
      ? []
      : [step(model, null, "llm", "call", call.input), end(model, { model: "m", output: { $blob: HASH }, usage: { input_tokens: 1 } })]),
    ...(tool === undefined ? [] : [producer.event("score", { trace_id: traceId, name: "helpful", value: error === undefined ? 1 : 0 })]),
    producer.event("trace.end", {
      trace_id: traceId,
      ended_at: at,
      ...(error === undefined ? { status: "success", output } : { status: "failure", error }),
    }),
  ];
}
