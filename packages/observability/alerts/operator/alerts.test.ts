import { readFile } from "node:fs/promises";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { systemClock } from "@sightline/foundation/clock";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { Gauge } from "prom-client";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alertListSchema, type Alert } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { alertRules } from "./alert-rules.ts";
import { createBackendLoad } from "./backend-load.ts";
import { evaluateAlerts } from "./evaluate-alerts.ts";
import { PROMETHEUS_RULES_FILE, renderPrometheusRules } from "./prometheus-rules.ts";

describe("the alerts of the contract", () => {
  test.each([
    ["StreamLength", "warning", 80_000],
    ["ConsumerLag", "critical", 5 * 60],
    ["PublishLatency", "warning", 0.01],
    ["RedisMemory", "critical", 450 * 1024 * 1024],
    ["BackendCpu", "warning", 0.85],
    ["BackendMemory", "critical", 0.9],
    ["DatabaseConnections", "warning", 90],
  ])("%s is %s above %d, in the file for Prometheus too", async (name, severity, above) => {
    expect(alertRules.find((rule) => rule.name === name)).toMatchObject({ severity, above });
    const file = await readFile(PROMETHEUS_RULES_FILE, "utf8");
    expect(file).toMatch(new RegExp(`alert: ${name}\\n +expr: ".* > ${above}"\\n +for: \\d+m\\n +labels:\\n +severity: ${severity}\\n`));
  });

  test("are in docs/prometheus-alerts.yml as `npm run alert-rules -w @sightline/observability` writes it", async () => {
    expect(await readFile(PROMETHEUS_RULES_FILE, "utf8")).toBe(renderPrometheusRules());
  });

  test("fire above their limit and not at it; what can't be read is unknown", async () => {
    const metrics = createMetrics("test");
    const set = (name: string, value: number) => new Gauge({ name, help: name, registers: [metrics.registry] }).set(value);
    set("studio_stream_longest_partition", 80_000);
    set("studio_consumer_lag_seconds", 300.1);
    set("studio_redis_memory_bytes", Number.NaN);
    const alerts = new Map((await evaluateAlerts(metrics, { EventsLost: async () => 3 })).map((alert) => [alert.name, alert]));
    expect(alerts.get("StreamLength")).toMatchObject({ state: "ok", value: 80_000 });
    expect(alerts.get("ConsumerLag")).toMatchObject({ state: "firing", value: 300.1 });
    expect(alerts.get("RedisMemory")).toMatchObject({ state: "unknown", value: null });
    expect(alerts.get("DatabaseConnections")).toMatchObject({ state: "unknown", value: null });
    expect(alerts.get("PublishLatency")).toMatchObject({ state: "unknown" });
    expect(alerts.get("EventsLost")).toMatchObject({ state: "firing", value: 3 });
  });
});

test("the backend's load is part of one processor and of the memory it may have", async () => {
  const metrics = createMetrics("test");
  let now = Date.now();
  const clock = { now: () => new Date(now) };
  const load = createBackendLoad({ metrics, clock });
  const read = async (name: string) => (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value;
  expect(await read("studio_backend_cpu_ratio")).toBeUndefined();
  load.start();
  now += 10_000;
  load.stop();
  load.start();
  load.stop();
  expect(await read("studio_backend_cpu_ratio")).toBeGreaterThanOrEqual(0);
  expect(await read("studio_backend_memory_ratio")).toBeGreaterThan(0);
  expect(await read("studio_backend_memory_ratio")).toBeLessThan(1);
});

describe("GET /api/v1/alerts", () => {
  let database: TestDatabase<ObservabilitySchema>;
  let redis: TestRedis;
  let api: ApiRig;
  let stream: string;

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    redis = await createTestRedis();
    stream = `${redis.prefix}events`;
    api = await createApiRig({ database, redisUrl: redis.url, stream, heartbeatKey: `${redis.prefix}heartbeat` });
  });
  afterAll(async () => {
    await api.close();
    await redis.client.del(stream, `${redis.prefix}heartbeat`);
    await redis.close();
    await database.drop();
  });

  test("evaluates every rule now", async () => {
    await redis.client.set(`${redis.prefix}heartbeat`, "{}");
    const alerts = await ask(API_KEY);
    expect(alerts.map(({ name }) => name)).toEqual(alertRules.map(({ name }) => name));
    expect(stateOf(alerts)).toMatchObject({ StreamLength: "ok", ConsumerLag: "ok", ConsumerGone: "ok", EventsLost: "ok" });
    expect(stateOf(alerts)).toMatchObject({
      DatabaseConnections: expect.stringMatching(/ok|firing/),
      BackendMemory: expect.stringMatching(/ok|firing/),
    });
    expect(alerts.find(({ name }) => name === "DatabaseConnections")?.value).toEqual(expect.any(Number));
  });

  test("fires when the stream is long, and when the heartbeat is gone", async () => {
    await redis.client.del(`${redis.prefix}heartbeat`);
    await redis.client.eval("for index = 1, ARGV[1] do redis.call('XADD', KEYS[1], '*', 'x', index) end", 1, stream, 80_001);
    expect(stateOf(await ask(API_KEY))).toMatchObject({ StreamLength: "firing", ConsumerGone: "firing" });
  });

  test("tells an admin of the tenant's own losses, the operator of all, a member nothing", async () => {
    const projectId = uuidv7();
    await insertProject(database.query, { id: projectId, tenantId: "tenant-2", name: "theirs" });
    const gap = { project_id: projectId, producer_id: uuidv7(), first_seq: 4, last_seq: 6 };
    await database.query.insertInto("observability.ingest_gaps").values(gap).execute();
    await database.query
      .insertInto("observability.ingest_gaps")
      .values({ ...gap, first_seq: 9, last_seq: 9, found_at: new Date(systemClock.now().getTime() - 11 * 60_000) })
      .execute();
    const lost = async (token: string) => (await ask(token)).find(({ name }) => name === "EventsLost");
    expect(await lost("tenant-1:admin")).toMatchObject({ state: "ok", value: 0 });
    expect(await lost("tenant-2:admin")).toMatchObject({ state: "firing", value: 3 });
    expect(await lost(API_KEY)).toMatchObject({ state: "firing", value: 3 });
    expect(await api.get("/api/v1/alerts", "tenant-1:member")).toMatchObject({ status: 403 });
  });

  async function ask(token: string): Promise<readonly Alert[]> {
    return alertListSchema.parse((await api.get("/api/v1/alerts", token)).body).items;
  }
});

function stateOf(alerts: readonly Alert[]): Record<string, string> {
  return Object.fromEntries(alerts.map(({ name, state }) => [name, state]));
}
