import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { tracePageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { indexTexts } from "./index-texts.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;
let producer: Producer;

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
beforeEach(async () => {
  projectId = await newProject();
  producer = createProducer(projectId);
});

async function newProject(): Promise<string> {
  const id = uuidv7();
  await insertProject(database.query, { id, tenantId: "tenant-1", name: "texts" });
  return id;
}

const AT = "2026-11-21T10:00:00.000Z";
const SYSTEM = { role: "system", content: "You help the customers of Northwind with their orders, and say nothing that you don't know." };

type Step = {
  readonly kind?: "llm" | "tool";
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: string;
  readonly reasoning?: string;
  readonly parameters?: Record<string, unknown>;
};

/** A trace with a step. */
function ask(
  step: Step,
  { by = producer, id = uuidv7(), user }: { readonly by?: Producer; readonly id?: string; readonly user?: string } = {},
) {
  const [ids, status] = [{ trace_id: id, observation_id: uuidv7() }, step.error === undefined ? "success" : "failure"] as const;
  const { kind = "llm", parameters, reasoning } = step;
  return {
    id,
    step: ids.observation_id,
    events: [
      by.event("trace.start", { trace_id: id, name: "agent", started_at: AT, ...(user === undefined ? {} : { user_id: user }) }),
      by.event("observation.start", { ...ids, parent_id: null, kind, name: "call", started_at: AT, input: step.input }),
      by.event("observation.end", {
        ...ids,
        ended_at: AT,
        duration_ms: 1,
        status,
        output: step.output,
        ...(step.error === undefined ? {} : { error: step.error }),
        ...(reasoning === undefined ? {} : { reasoning: { text: reasoning, truncated: false, original_chars: reasoning.length } }),
        ...(parameters === undefined ? {} : { tool_entry: { tool_name: "call", parameters, result: step.output, timestamp: AT, status } }),
      }),
      by.event("trace.end", { trace_id: id, ended_at: AT, status: "success" }),
    ],
  };
}

async function index(of = projectId): Promise<void> {
  while (await indexTexts(database.query, of)) {
    // What is left.
  }
}

async function list(q: string, of = projectId) {
  const answer = await api.get(`/api/v1/projects/${of}/traces?q=${encodeURIComponent(q)}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return tracePageSchema.parse(answer.body);
}

async function found(q: string, of = projectId): Promise<readonly string[]> {
  return (await list(q, of)).items.map(({ id }) => id);
}

test("a trace is found by a word of a step's message, which is kept once for all traces that have it", async () => {
  const [one, other] = ["Where is my parcel?", "Cancel it, please, at once."].map((content) =>
    ask({ input: { messages: [SYSTEM, { role: "user", content }] }, output: `Shipped: ${content.length}` }),
  );
  await writeEvents(database, [...(one?.events ?? []), ...(other?.events ?? [])]);
  await index();
  expect(await found("northwind")).toHaveLength(2);
  expect(await found("NORTHWIND parcel")).toEqual([one?.id]);
  expect(await found("-parcel")).toEqual([other?.id]);
  expect(await found("parcels")).toEqual([]);
  const { rows } = await database.pool.query(
    "select words from observability.step_texts where project_id = $1 and words like '%northwind%'",
    [projectId],
  );
  expect(rows).toHaveLength(1);
});
