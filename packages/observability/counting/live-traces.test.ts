import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAlertValue } from "#alerts/project/alert-values.store.ts";
import { alertMetricSchema, tracePageSchema } from "#contract.ts";
import type { EventType } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { findUsualDurations } from "#query/steps/usual-durations.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { countMarkedHours, packHours } from "#testing/in-the-background.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();
const producer = createProducer(projectId);
const now = Date.now();
const PURPOSES = ["experiment", "replay", "playground", "judge"] as const;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await seedDefaultPrices(database.query, [{ model: "m-1", input: 2, output: 10, source: "test" }]);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  for (let index = 0; index < 20; index += 1) {
    await writeEvents(database, run({ seconds: 1 + (index % 3) }));
  }
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("traces that are not live", () => {
  const ids = PURPOSES.map((purpose) => ({ purpose, id: uuidv7() }));

  test("change no figure, facet, alert, session, user or usual duration", async () => {
    const before = await readAll();
    expect(before).toMatchObject({
      figures: { total: { traces: { count: 20 } } },
      metrics: { total: { traces: { count: 20 }, observations: { count: 40 } } },
      code: { items: [{ runs: 20 }] },
      sessions: { items: [{ traces: 20 }] },
      users: { items: [{ traces: 20 }] },
      usual: [{ name: "agent" }, { name: "plan" }],
      alerts: { errors: 0, no_traces: 20 },
    });
    for (const { purpose, id } of ids) {
      await writeEvents(database, run({ id, purpose, seconds: 500, status: "failure" }));
    }
    expect(await readAll()).toEqual(before);
    while (await packHours(database.query, -60)) {
      // The hours that are left.
    }
    expect(await readAll()).toEqual(before);
  });

  test("that say so after their steps were counted change nothing either", async () => {
    const before = await readAll();
    const [start, ...rest] = run({ purpose: "experiment", seconds: 700, status: "failure" });
    await writeEvents(database, rest);
    expect(await readAll()).not.toEqual(before);
    await writeEvents(database, start === undefined ? [] : [start]);
    expect(await readAll()).toEqual(before);
  });

  test("are listed when they are asked for, and opened by their id", async () => {
    expect((await list("")).every(({ purpose }) => purpose === "live")).toBe(true);
    expect((await list("purpose:judge")).map(({ id, purpose }) => ({ id, purpose }))).toEqual([ids[3]]);
    expect(await list("purpose:experiment name:ag*nt")).toHaveLength(2);
    expect(await list("purpose:any")).toHaveLength(25);
    expect(await list("-purpose:live,experiment")).toHaveLength(3);
    const { body } = await api.get(`/api/v1/projects/${projectId}/traces/${ids[0]?.id}`);
    expect(body).toMatchObject({ id: ids[0]?.id, purpose: "experiment", observations: 2 });
    expect(await read(`${project}/traces/figures?${day()}&q=purpose:replay`)).toMatchObject({
      total: { traces: { count: 1, failures: 1 } },
    });
  });

  test("an odd purpose counts as live", async () => {
    await writeEvents(database, [event("trace.start", { trace_id: uuidv7(), name: "odd", started_at: at(0), purpose: "testing" })]);
    expect(await list("name:odd")).toMatchObject([{ purpose: "live" }]);
  });
});

const project = `/api/v1/projects/${projectId}`;
const day = () => `from=${at(-86_400)}&to=${at(3_600)}`;

async function read(url: string) {
  const { status, body } = await api.get(url);
  expect(status, url).toBe(200);
  return body;
}

async function list(query: string) {
  return tracePageSchema.parse(await read(`${project}/traces?limit=100&q=${encodeURIComponent(query)}`)).items;
}

/** Everything that counts. */
async function readAll() {
  while (await countMarkedHours(database.query)) {
    // The hours that are left.
  }
  // Alerts read what is counted.
  await list("purpose:any");
  const since = new Date(now - 86_400_000);
  const usual = await findUsualDurations(database.query, {
    projectId,
    since,
    of: [
      { kind: "trace", name: "agent" },
      { kind: "node", name: "plan" },
    ],
  });
  const { items } = (await api.get("/api/v1/projects")).body;
  const alerts: Record<string, number | null> = {};
  for (const metric of alertMetricSchema.exclude(["issues", "experiments"]).options) {
    alerts[metric] = await readAlertValue(database.query, { projectId, metric, filter: {}, windowMinutes: 60 });
  }
  alerts["model"] = await readAlertValue(database.query, { projectId, metric: "errors", filter: { model: "m-1" }, windowMinutes: 60 });
  return {
    projects: items,
    figures: await read(`${project}/traces/figures?${day()}&by=user`),
    ofName: await read(`${project}/traces/figures?${day()}&q=name:ag*`),
    metrics: await read(`${project}/metrics?${day()}&by=kind`),
    histogram: await read(`${project}/traces/histogram`),
    facets: await read(`${project}/traces/facets?field=user`),
    sessions: await read(`${project}/sessions`),
    session: await read(`${project}/sessions/s-1`),
    users: await read(`${project}/users`),
    code: await read(`/api/v1/code-runs?repo=shop&path=src/agent.py`),
    usual: usual.toSorted((one, other) => one.name.localeCompare(other.name)),
    alerts,
  };
}

type Run = { readonly id?: string; readonly purpose?: string; readonly seconds: number; readonly status?: "success" | "failure" };

/** A trace with its start first, of a node and of a model call some hours before it. */
function run({ id = uuidv7(), purpose, seconds, status = "success" }: Run) {
  const step = (observation_id: string) => ({ trace_id: id, observation_id });
  const [node, call] = [step(uuidv7()), step(uuidv7())];
  const code = { repo: "shop", file: "src/agent.py", line: 7, function: "plan" };
  const ended = { ended_at: at(0), status, duration_ms: seconds * 1_000 };
  return [
    event("trace.start", { trace_id: id, name: "agent", started_at: at(-seconds), session_id: "s-1", user_id: "ann", purpose }),
    event("observation.start", { ...node, parent_id: null, kind: "node", name: "plan", started_at: at(-10_000), code }),
    event("observation.end", { ...node, ...ended }),
    event("observation.start", { ...call, parent_id: null, kind: "llm", name: "answer", started_at: at(-seconds), model: "m-1" }),
    event("observation.end", { ...call, ...ended, usage: { input_tokens: 1_000, output_tokens: 10 } }),
    event("trace.end", { trace_id: id, ended_at: at(0), status }),
  ];
}

function event(type: EventType, body: object) {
  return producer.event(type, body as never);
}

function at(second: number): string {
  return new Date(now + second * 1_000).toISOString();
}
