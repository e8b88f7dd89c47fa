import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricsSchema, observationSchema, stepPageSchema, traceDigestSchema, tracePageSchema, traceSchema } from "#contract.ts";
import { eventSchema } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countMarkedHours } from "#testing/in-the-background.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const AT = "2026-11-21T10:00:00.000Z";
const projectId = uuidv7();
const producer = createProducer(projectId);
const [slow, quick, whole] = [uuidv7(), uuidv7(), uuidv7()];

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  await writeEvents(database, [...run(slow, [400, 2_500, 300]), ...run(quick, [900.5, undefined]), ...run(whole, [undefined])]);
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("the time to first token of a model call", () => {
  test("is told with its step wherever the step is", async () => {
    const trace = traceSchema.parse((await api.get(`/api/v1/traces/${slow}`)).body);
    expect(trace.observation_list.map((step) => step.time_to_first_token_ms)).toEqual([400, 2_500, 300]);
    const { items } = stepPageSchema.parse((await api.get(`${base()}/traces/${quick}/steps`)).body);
    expect(items.map((step) => step.time_to_first_token_ms)).toEqual([900.5, null]);
    const { body } = await api.get(`${base()}/traces/${quick}/observations/${items[0]?.id}`);
    expect(observationSchema.parse(body)).toMatchObject({ time_to_first_token_ms: 900.5 });
  });

  test("is of a trace the longest one, in the list and on its page", async () => {
    const { items } = tracePageSchema.parse((await api.get(`${base()}/traces`)).body);
    expect(Object.fromEntries(items.map(({ id, time_to_first_token_ms: time }) => [id, time]))).toEqual({
      [slow]: 2_500,
      [quick]: 900.5,
      [whole]: null,
    });
    const digest = traceDigestSchema.parse((await api.get(`${base()}/traces/${slow}/summary`)).body);
    expect(digest.time_to_first_token_ms).toBe(2_500);
  });

  test.each([
    ["ttft:>2s", [slow]],
    ["ttft:<1s", [quick]],
    ["ttft:500ms..1m", [slow, quick]],
    ["-ttft:>2s", [quick, whole]],
  ])("finds traces by %s", async (query, expected) => {
    const { items } = tracePageSchema.parse((await api.get(`${base()}/traces?q=${encodeURIComponent(query)}`)).body);
    expect(items.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });

  test("is exported with steps and traces, and the query chooses what", async () => {
    const url = `${base()}/export?q=${encodeURIComponent("ttft:>2s")}`;
    const { body } = await api.server.inject({ url, headers: { authorization: "Bearer tenant-1:member" } });
    const lines = body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(lines.flatMap((line) => (line["type"] === "end" ? [] : [[line["type"], line["time_to_first_token_ms"]]]))).toEqual(
      expect.arrayContaining([
        ["trace", 2_500],
        ["observation", 400],
        ["observation", 2_500],
        ["observation", 300],
      ]),
    );
  });

  test("has percentiles in the figures, and changes no other figure", async () => {
    while (await countMarkedHours(database.query)) {
      // The hours that are left.
    }
    const day = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
    const { total, series, groups } = metricsSchema.parse((await api.get(`${base()}/metrics?${day}&by=model`)).body);
    const { p50_ms: p50, p95_ms: p95, mean_ms: mean } = total.time_to_first_token;
    expect([near(p50, (400 + 900.5) / 2), near(p95, 900.5 + 0.85 * (2_500 - 900.5)), mean]).toEqual([
      true,
      true,
      expect.closeTo((400 + 2_500 + 300 + 900.5) / 4),
    ]);
    expect(total).toMatchObject({
      calls: 6,
      observations: { count: 6, failures: 1, mean_ms: expect.closeTo(3_000) },
      traces: { count: 3 },
    });
    expect(series).toMatchObject([{ time_to_first_token: total.time_to_first_token }]);
    expect(groups).toMatchObject([{ key: "m-1", time_to_first_token: total.time_to_first_token, observations: { count: 6 } }]);
    const none = metricsSchema.parse((await api.get(`${base()}/metrics?${day}&kind=tool`)).body);
    expect(none.total.time_to_first_token).toEqual({ p50_ms: null, p95_ms: null, p99_ms: null, mean_ms: null });
  });

  test.each([-1, 31_536_000_001, "400", null])("is refused as %s", (time) => {
    const [, , end] = run(uuidv7(), [undefined]);
    const given = { ...end, body: { ...end?.body, time_to_first_token_ms: time } };
    expect(eventSchema.safeParse(end).success).toBe(true);
    expect(eventSchema.safeParse(given).success).toBe(false);
  });
});

/** A trace of calls one after the other, of which the ones with 400 ms fail. */
function run(traceId: string, times: readonly (number | undefined)[]) {
  const calls = times.flatMap((time) => {
    const ids = { trace_id: traceId, observation_id: uuidv7() };
    return [
      producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "answer", started_at: AT, model: "m-1" }),
      producer.event("observation.end", {
        ...ids,
        ended_at: AT,
        duration_ms: 3_000,
        status: time === 400 ? "failure" : "success",
        usage: { input_tokens: 10, output_tokens: 5 },
        ...(time === undefined ? {} : { time_to_first_token_ms: time }),
      }),
    ];
  });
  return [
    producer.event("trace.start", { trace_id: traceId, name: "support", started_at: AT }),
    ...calls,
    producer.event("trace.end", { trace_id: traceId, ended_at: AT, status: "success" }),
  ];
}

function base(): string {
  return `/api/v1/projects/${projectId}`;
}

/** A percentile is within 1 % of the truth. */
function near(time: number | null, expected: number): boolean {
  return time !== null && Math.abs(time / expected - 1) <= 0.01;
}
