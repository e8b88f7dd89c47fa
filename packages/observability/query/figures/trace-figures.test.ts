import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { facetListSchema, traceFiguresSchema, type TraceFigures } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { seedDefaultPrices } from "#prices/prices.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();
const producer = createProducer(projectId);
type Producer = typeof producer;

type Run = {
  readonly seconds: number;
  readonly hour: number;
  readonly user?: string;
  readonly tags?: readonly string[];
  readonly environment?: string;
  readonly customer?: string;
  readonly million?: number;
  readonly failed?: boolean;
  readonly ttft?: number;
};

/** Input tokens, in millions, cost two dollars each. */
const RUNS: readonly Run[] = [
  { seconds: 1, hour: 9, user: "ann", tags: ["beta", "paid"], environment: "production", customer: "acme", million: 1, ttft: 300 },
  { seconds: 2, hour: 9, user: "ann", tags: ["beta"], environment: "staging", million: 2, ttft: 500, failed: true },
  { seconds: 4, hour: 11, user: "bob", environment: "production", customer: "acme", million: 4 },
  { seconds: 9, hour: 11, customer: "zeta: north" },
];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await seedDefaultPrices(database.query, [{ model: "m-1", input: 2, output: 10, source: "test" }]);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  await writeEvents(
    database,
    RUNS.flatMap((run) => eventsOf(run, producer)),
  );
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("figures of traces", () => {
  test("are exact, of all and by the hour", async () => {
    const { total, series, groups, newest } = await read("");
    expect(total).toMatchObject({
      traces: { count: 4, failures: 1, p50_ms: 3_000, mean_ms: 4_000 },
      input_tokens: 7_000_000,
      cost: 14,
      time_to_first_token: { p50_ms: 400 },
    });
    expect(total.traces.p95_ms).toBeCloseTo(4_000 + 0.85 * 5_000);
    expect(series.map(({ time, traces, cost }) => [time.slice(11, 13), traces.count, cost])).toEqual([
      ["09", 2, 6],
      ["11", 2, 8],
    ]);
    expect([groups, newest]).toEqual([[], null]);
  });

  test.each([
    ["tag:beta", 2],
    ["tag:beta -environment:staging", 1],
    ["metadata.customer:acme", 2],
    ["user:bob duration:>3s", 1],
    ["model:m-*", 3],
    ["started:<2026-11-21T10:00", 2],
    ["no-such-word", 0],
  ])("are of what is asked for: %s", async (q, count) => {
    expect((await read(`&q=${encodeURIComponent(q)}`)).total.traces.count).toBe(count);
  });

  test.each([
    ["user", "cost", ["bob 1 8", "ann 2 6", " 1 null"]],
    ["tag", "traces", [" 2 8", "beta 2 6", "paid 1 2"]],
    ["environment", "cost", ["production 2 10", "staging 1 4", " 1 null"]],
    ["metadata.customer", "p95", ["zeta: north 1 null", "acme 2 10", " 1 4"]],
    ["status", "error_rate", ["failure 1 4", "success 3 10"]],
    ["model", "tokens", ["m-1 3 14", " 1 null"]],
  ])("are told by %s, the first by %s first", async (by, top, expected) => {
    const { groups, groups_total: total } = await read(`&by=${by}&top=${top}`);
    expect(groups.map(({ key, traces, cost }) => `${key} ${traces.count} ${cost}`)).toEqual(expected);
    expect(total).toBe(expected.length);
    expect(groups[0]?.series.reduce((sum, { traces }) => sum + traces.count, 0)).toBe(groups[0]?.traces.count);
  });

  test("are told by whole values, whatever characters are in them", async () => {
    const other = uuidv7();
    await insertProject(database.query, { id: other, tenantId: "tenant-1", name: "control characters" });
    const runs: readonly Run[] = [
      { seconds: 1, hour: 9, tags: ["left\u001Ftag:right", "plain"] },
      { seconds: 1, hour: 9, tags: ["plain"] },
    ];
    await writeEvents(
      database,
      runs.flatMap((run) => eventsOf(run, createProducer(other))),
    );
    const { groups } = await read("&by=tag&top=traces", other);
    expect(groups.map(({ key, traces }) => [key, traces.count])).toEqual([
      ["plain", 2],
      ["left\u001Ftag:right", 1],
    ]);
  });

  test("tell as many groups as are wanted", async () => {
    expect(await read("&by=user&top=cost&groups=1")).toMatchObject({ groups_total: 3, groups: [{ key: "bob" }] });
  });

  test.each(["by=cost", "by=metadata.", "by=metadata", "q=user:", "groups=51", "top=mean", "step=minute"])("refuse %s", async (query) => {
    expect((await api.get(`${url()}/figures?${query}`)).status).toBe(400);
  });

  test("are not there for another tenant", async () => {
    expect((await api.get(`${url()}/figures?${DAY}`, "tenant-2:admin")).status).toBe(404);
  });
});

test.each([
  ["tag", ["beta 2", "paid 1"]],
  ["environment", ["production 2", "staging 1"]],
  ["metadata", ["customer 3"]],
  ["metadata.customer", ["acme 2", "zeta: north 1"]],
  ["metadata.customer&prefix=ZE", ["zeta: north 1"]],
  ["metadata&q=user:ann", ["customer 1"]],
])("the values of %s are told with how many traces have them", async (field, expected) => {
  const { items } = facetListSchema.parse((await api.get(`${url()}/facets?field=${field}`)).body);
  expect(items.map(({ value, count }) => `${value} ${count}`)).toEqual(expected);
});

const DAY = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";

function url(project = projectId): string {
  return `/api/v1/projects/${project}/traces`;
}

async function read(query: string, project = projectId): Promise<TraceFigures> {
  return traceFiguresSchema.parse((await api.get(`${url(project)}/figures?${DAY}${query}`)).body);
}

function eventsOf({ seconds, hour, user, tags, environment, customer, million, failed = false, ttft }: Run, from: Producer) {
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  const startedAt = Date.UTC(2026, 10, 21, hour);
  const at = new Date(startedAt).toISOString();
  const call = { ...ids, parent_id: null, kind: "llm", name: "answer", started_at: at, model: "m-1" } as const;
  const usage = { input_tokens: (million ?? 0) * 1_000_000, output_tokens: 0 };
  return [
    from.event("trace.start", {
      trace_id: ids.trace_id,
      name: "run",
      started_at: at,
      ...(user === undefined ? {} : { user_id: user }),
      ...(tags === undefined ? {} : { tags: [...tags] }),
      ...(environment === undefined ? {} : { environment }),
      ...(customer === undefined ? {} : { attributes: { metadata: { customer } } }),
    }),
    ...(million === undefined
      ? []
      : [
          from.event("observation.start", call),
          from.event("observation.end", {
            ...ids,
            ended_at: at,
            duration_ms: 1,
            status: "success",
            usage,
            ...(ttft === undefined ? {} : { time_to_first_token_ms: ttft }),
          }),
        ]),
    from.event("trace.end", {
      trace_id: ids.trace_id,
      ended_at: new Date(startedAt + seconds * 1_000).toISOString(),
      status: failed ? "failure" : "success",
    }),
  ];
}
