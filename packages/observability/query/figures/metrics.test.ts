import { createTestDatabase, define, type TestDatabase, needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { metricsSchema, type Metrics } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { deleteExpiredTraces } from "#store/days.store.ts";
import { countMarkedHours } from "#testing/in-the-background.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { clearTables } from "#testing/consumer-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

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
beforeEach(async () => {
  await clearTables(database);
  await seedDefaultPrices(database.query, [
    { model: "m-1", input: 2, output: 10, source: "test" },
    { model: "m-2", input: 4, output: 20, source: "test" },
  ]);
  projectId = uuidv7();
  producer = createProducer(projectId);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const DAY = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";

describe("GET /api/v1/projects/:project_id/metrics", () => {
  test("answers counts, failures, durations, tokens and cost by the hour, and groups", async () => {
    await writeEvents(database, [...run(9, "m-1", 100), ...run(9, "m-1", 200), ...run(11, "m-2", 400, "failure"), ...run(11, "m-3", 400)]);
    await count();
    const metrics = await read(`${DAY}&by=model`);
    expect(metrics).toMatchObject({ step: "hour", pending_hours: 0, total: { calls: 4, unpriced_calls: 1, input_tokens: 4_000_000 } });
    expect(
      metrics.series.map(({ time, traces, observations, cost }) => [time.slice(11, 13), traces.count, observations.count, cost]),
    ).toEqual([
      ["09", 2, 2, expect.closeTo(2 * 2 + 2 * 10)],
      ["11", 2, 2, expect.closeTo(4 + 20)],
    ]);
    expect(metrics.series[1]?.observations).toMatchObject({
      failures: 1,
      p50_ms: near(400),
      p95_ms: near(400),
      mean_ms: expect.closeTo(400),
    });
    expect(metrics.series[0]?.observations).toMatchObject({ p50_ms: near(150), p99_ms: near(199), mean_ms: expect.closeTo(150) });
    expect(metrics.groups.map(({ key, observations, cost }) => [key, observations.count, cost])).toEqual([
      ["m-1", 2, expect.closeTo(24)],
      ["m-2", 1, expect.closeTo(24)],
      ["m-3", 1, null],
    ]);
  });

  test("tells what has arrived but is not counted yet", async () => {
    await writeEvents(database, run(10, "m-1", 100));
    expect(await read(DAY)).toMatchObject({ pending_hours: 1, total: { calls: 0 } });
    await count();
    expect(await read(DAY)).toMatchObject({ pending_hours: 0, total: { calls: 1 } });
  });

  test("counts what has not ended as running, without a duration", async () => {
    await writeEvents(database, run(9, "m-1", 100).slice(0, 2));
    await count();
    const { total } = await read(`${DAY}&by=status`);
    const running = { count: 1, failures: 0, p50_ms: null, p95_ms: null, p99_ms: null, mean_ms: null };
    expect(total).toMatchObject({ observations: running, traces: running });
  });

  test("filters observations by kind, name and model, and adds days up", async () => {
    await writeEvents(database, [...run(9, "m-1", 100), ...agentRun(producer)]);
    await count();
    expect((await read(`${DAY}&kind=tool`)).total.observations.count).toBe(1);
    expect((await read(`${DAY}&name=find_order`)).total.observations).toMatchObject({ count: 1, failures: 1 });
    expect((await read(`${DAY}&model=m-1-2026`)).total).toMatchObject({ input_tokens: 120, observations: { count: 1 } });
    const { series } = await read("from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z&step=day");
    expect(series).toMatchObject([{ time: "2026-11-21T00:00:00.000Z", observations: { count: 4 }, traces: { count: 2 } }]);
  });

  test("groups traces by their names, and by their status beside that of observations", async () => {
    await writeEvents(database, [...run(9, "m-1", 100), ...run(10, "m-1", 100, "failure"), ...agentRun(producer)]);
    await count();
    const counted = async (by: string) =>
      (await read(`${DAY}&by=${by}`)).groups.map(({ key, traces, observations }) => [
        key,
        traces.count,
        traces.failures,
        observations.count,
      ]);
    expect(await counted("trace")).toEqual([
      ["run", 2, 1, 0],
      [expect.any(String), 1, expect.any(Number), 0],
    ]);
    expect(await counted("status")).toEqual([
      ["success", expect.any(Number), 0, expect.any(Number)],
      ["failure", expect.any(Number), expect.any(Number), 2],
    ]);
  });

  test("prices what is counted already anew when a price changes", async () => {
    await writeEvents(database, run(9, "m-1", 100));
    await count();
    await api.put(
      `/api/v1/projects/${projectId}/prices`,
      { model: "m-1", input: 1, output: 1, valid_from: "2026-11-21T09:00:00Z" },
      "tenant-1:admin",
    );
    expect((await read(DAY)).total.cost).toBeCloseTo(2);
    await api.put(
      `/api/v1/projects/${projectId}/prices`,
      { model: "m-1", input: 5, output: 5, valid_from: "2026-11-21T10:00:00Z" },
      "tenant-1:admin",
    );
    expect((await read(DAY)).total.cost).toBeCloseTo(2);
  });

  test.each([
    "from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z",
    "from=2026-01-01T00:00:00Z&to=2026-11-21T00:00:00Z",
    "step=minute",
    "by=trace_id",
    "from=now",
    "to=0000-01-01T00:00:00Z",
    "from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z",
    "name=%00",
  ])("refuses %s", async (query) => {
    expect(await api.get(`${url()}?${query}`)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("is not there for another tenant", async () => {
    await writeEvents(database, run(9, "m-1", 100));
    await count();
    expect((await api.get(`${url()}?${DAY}`, "tenant-2:admin")).status).toBe(404);
  });
});

describe("the figures are the same", () => {
  test("however events are shuffled, repeated and counted in between", async () => {
    const events = Array.from({ length: 12 }, (_, index) => [...run(index, "m-1", index * 50 + 1), ...agentRun(producer)]).flat();
    await writeEvents(database, events);
    await count();
    const expected = await read(DAY);
    for (let seed = 1; seed <= 4; seed += 1) {
      await database.pool.query("truncate observability.traces, observability.observations, observability.hourly");
      const shuffled = events.concat(events.slice(0, 20)).toSorted((left, right) => order(left, seed) - order(right, seed));
      while (shuffled.length > 0) {
        await writeEvents(database, shuffled.splice(0, 9));
        await (shuffled.length % 2 === 0 ? count() : undefined);
      }
      await count();
      expect(await read(DAY)).toEqual(expected);
    }
  });

  test("when replicas write and count at once", needsRealPostgres, async () => {
    const runs = Array.from({ length: 40 }, (_, index) => run(index % 24, "m-1", 100));
    const counting = Array.from({ length: 30 }, () => countMarkedHours(database.query));
    await Promise.all([...runs.flatMap((events) => [writeEvents(database, events.slice(1)), writeEvents(database, events)]), ...counting]);
    await count();
    expect((await read(DAY)).total).toMatchObject({ calls: 40, traces: { count: 40 }, observations: { count: 40 } });
    expect((await read(DAY)).series).toHaveLength(24);
  });

  test("and is not counted over and over while more comes in", async () => {
    await writeEvents(database, run(1, "m-1", 100));
    // Otherwise an hour that is written to would be counted again at once, and all the time.
    expect(await countMarkedHours(database.query)).toBe(false);
    expect((await read(DAY)).total).toMatchObject({ calls: 1 });
  });

  test("when a start comes late and moves what ended before it to another hour", async () => {
    const events = run(3, "m-1", 100);
    await writeEvents(database, events.slice(2));
    await count();
    await writeEvents(database, events);
    await count();
    expect((await read(DAY)).series).toMatchObject([
      { time: "2026-11-21T03:00:00.000Z", traces: { count: 1 }, observations: { count: 1 } },
    ]);
  });

  test("after the traces they were counted from are kept no longer", async () => {
    await writeEvents(database, run(9, "m-1", 100));
    await count();
    const before = await read(DAY);
    for (const table of ["observations", "payloads"]) {
      await define(
        database,
        `create table if not exists observability.${table}_20200101 partition of observability.${table} for values in ('2020-01-01')`,
      );
    }
    await database.pool.query("update observability.observations set day = '2020-01-01'");
    await database.pool.query("update observability.traces set day = '2020-01-01'");
    await database.pool.query("update observability.hourly set day = '2020-01-01'");
    await database.pool.query("update observability.projects set retention_days = 7");
    await database.pool.query(
      "insert into observability.hourly_marks (project_id, day, hour) select project_id, day, hour from observability.observations",
    );
    expect(await deleteExpiredTraces(database.query, { projectId, day: "2020-01-01", isDayOver: true, atOnce: 10 })).toBe(1);
    await count();
    expect(await read(DAY)).toEqual(before);
    await writeEvents(database, run(9, "m-1", 100));
    await count();
    expect((await read(DAY)).total).toMatchObject({ calls: 2, traces: { count: 2 } });
  });
});

test("a producer that names every step differently makes no more rows than an hour may have", async () => {
  const traceId = uuidv7();
  const events = Array.from({ length: 1_000 }, (_, index) =>
    producer.event("observation.start", {
      trace_id: traceId,
      observation_id: uuidv7(),
      parent_id: null,
      kind: "span",
      name: `step ${index}`,
      started_at: "2026-11-21T09:00:00Z",
    }),
  );
  await writeEvents(database, events);
  await count();
  const { rows } = await database.pool.query<{ rows: number }>("select count(*) as rows from observability.hourly");
  expect(rows[0]?.rows).toBeLessThan(250);
  const { groups, total } = await read(`${DAY}&by=name`);
  expect(total.observations.count).toBe(1_000);
  expect(groups.length).toBeLessThanOrEqual(50);
});

test("durations that no sum can hold stop nobody's hours from being counted", async () => {
  const end = () =>
    producer.event("observation.end", {
      trace_id: uuidv7(),
      observation_id: uuidv7(),
      ended_at: "2026-11-21T09:00:00Z",
      duration_ms: Number.MAX_VALUE,
      status: "success",
    });
  await writeEvents(database, [end(), end()]);
  await count();
  expect((await read(DAY)).total.observations).toMatchObject({ count: 2, mean_ms: 1e15 });
});

function run(hour: number, model: string, duration: number, status: "success" | "failure" = "success"): readonly StreamEvent[] {
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, hour, minute)).toISOString();
  const usage = { input_tokens: 1_000_000, output_tokens: 1_000_000 };
  return [
    producer.event("trace.start", { trace_id: ids.trace_id, name: "run", started_at: at(1) }),
    producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "answer", started_at: at(2), model }),
    producer.event("observation.end", { ...ids, ended_at: at(3), duration_ms: duration, status, usage }),
    producer.event("trace.end", { trace_id: ids.trace_id, ended_at: at(4), status }),
  ];
}

async function count(): Promise<void> {
  while (await countMarkedHours(database.query)) {
    // The hours that are left.
  }
}

async function read(query: string): Promise<Metrics> {
  return metricsSchema.parse((await api.get(`${url()}?${query}`)).body);
}

function url(): string {
  return `/api/v1/projects/${projectId}/metrics`;
}

function near(milliseconds: number): number {
  return expect.toSatisfy((value: unknown) => Math.abs(Number(value) / milliseconds - 1) <= 0.01) as number;
}

/** An order that depends on the seed alone. */
function order(event: StreamEvent, seed: number): number {
  return Array.from(event.id).reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0) * seed) % 1_000_003, seed);
}
