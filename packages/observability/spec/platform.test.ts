import { readFile } from "node:fs/promises";
import { ConfigError, readConfig } from "@sightline/foundation/config";
import { migrateDown, migrateUp, migrationStatus } from "@sightline/foundation/database/migrations";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HEARTBEAT_KEY, observabilityVariables, MAX_STREAM_LENGTH } from "#config.ts";
import { createProjectRequestSchema, detailedHealthSchema, projectSchema } from "#contract.ts";
import { eventSchema } from "#events/event.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";

/* "Observability Platform (Trace Collection over a Stream)", line by line: the platform's side. The application's is the SDK's. */

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let api: ApiRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
});
afterAll(async () => {
  await api.close();
  await rig.close();
  await database.drop();
});

const required = {
  DATABASE_URL: "postgres://sightline@localhost/sightline",
  SECRET_KEY: "s".repeat(43),
  API_KEY,
  OBSERVABILITY_REDIS_URL: "redis://localhost:6379",
};
const defaults = readConfig(observabilityVariables, required);

describe("Resources and their fields", () => {
  test("the stream is observability:events by default, of 100000 entries at the most", () => {
    expect(defaults.OBSERVABILITY_STREAM_NAME).toBe("observability:events");
    expect(MAX_STREAM_LENGTH).toBe(100_000);
  });

  test("the consumer group is set by OBSERVABILITY_GROUP_NAME, a consumer named by OBSERVABILITY_CONSUMER_NAME, the heartbeat there while it lives", async () => {
    expect(HEARTBEAT_KEY).toBe("studio:consumer:heartbeat");
    const { consumer } = await rig.start({ config: { OBSERVABILITY_CONSUMER_NAME: "reader" } });
    await expect.poll(() => rig.redis.client.exists(rig.heartbeatKey)).toBe(1);
    expect(await rig.redis.client.pttl(rig.heartbeatKey)).toBeGreaterThan(0);
    const groups = (await rig.redis.client.xinfo("GROUPS", rig.stream)) as unknown[][];
    expect(groups.map((group) => group[1])).toEqual([rig.group]);
    const consumers = (await rig.redis.client.xinfo("CONSUMERS", rig.stream, rig.group)) as unknown[][];
    expect(consumers.map((each) => each[1])).toEqual([consumer.name]);
    expect(consumer.name).toMatch(/^reader-/);
    await consumer.stop();
  });

  test("a project has a UUID and is created over the API that the UI uses", async () => {
    const { status, body } = await api.post("/api/v1/projects", createProjectRequestSchema.parse({ name: "Support" }));
    expect(status).toBe(201);
    expect(projectSchema.parse(body).id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    [{}, true],
    [{ tool_name: 1 }, false],
    [{ parameters: "text" }, false],
    [{ parameters: undefined }, false],
    [{ result: ["any", { thing: null }] }, true],
    [{ timestamp: "2026-11-21T10:00:00+01:00" }, false],
    [{ timestamp: "yesterday" }, false],
    [{ status: "failure" }, true],
    [{ status: "error" }, false],
  ])("a tool entry with %j is one: %s", (change, isOne) => {
    const entry = {
      tool_name: "find",
      parameters: { q: 1 },
      result: null,
      timestamp: "2026-11-21T10:00:00Z",
      status: "success",
      ...change,
    };
    const event = agentRun(createProducer(rig.projectId)).find(({ type }) => type === "observation.end");
    expect(eventSchema.safeParse({ ...event, body: { ...event?.body, tool_entry: entry } }).success).toBe(isOne);
  });

  test("traces, observations and projects are tables in PostgreSQL", async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'observability' and tablename = any($1) order by 1",
      [["traces", "observations", "projects"]],
    );
    expect(rows.map(({ name }) => name)).toEqual(["observations", "projects", "traces"]);
  });
});

describe("Endpoints", () => {
  test("GET /health: status healthy and version", async () => {
    expect(await api.get("/health", "")).toEqual({ status: 200, body: { status: "healthy", version: "1.2.3" } });
  });

  test("GET /health/detailed: status, timestamp, version and the components database, redis, consumer", async () => {
    const { status, body } = await api.get("/health/detailed", "");
    expect(status).toBe(200);
    expect(Object.keys(detailedHealthSchema.parse(body).components)).toEqual(["database", "redis", "consumer"]);
  });

  test("GET /metrics: Prometheus text with the platform's three of the five metrics", async () => {
    const answer = await api.server.inject("/metrics");
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=/);
    for (const name of ["stream_length", "consumer_lag_seconds", "consumer_heartbeat"]) {
      expect(answer.body).toMatch(new RegExp(`^studio_${name}\\S* \\S+$`, "m"));
    }
  });

  test("paths are relative to the backend of port 8000", () => {
    expect(defaults.OBSERVABILITY_PORT).toBe(8000);
  });
});

describe("Authentication", () => {
  test.each([
    [{ API_KEY: `studio_${"0aF".repeat(21)}9` }, true],
    [{ API_KEY: `studio_${"0".repeat(63)}` }, false],
    [{ API_KEY: `studio_${"g".repeat(64)}` }, false],
    [{ API_KEY: "0".repeat(64) }, false],
    [{ SECRET_KEY: "short" }, false],
    [{ CORS_ORIGINS: '["https://a.example"]' }, true],
    [{ CORS_ORIGINS: "https://a.example" }, false],
  ])("%j is taken: %s", (change, isTaken) => {
    expect(takes({ ...required, ...change })).toBe(isTaken);
  });

  test("origins that may call are none by default", () => {
    expect(defaults.CORS_ORIGINS).toEqual([]);
  });
});

describe("Limits and platform-side variables", () => {
  test.each(["DATABASE_URL", "SECRET_KEY", "API_KEY", "OBSERVABILITY_REDIS_URL"])("%s is required", (name) => {
    expect(takes({ ...required, [name]: "" })).toBe(false);
  });

  test("the consumer's batch is 100 by default, observability is enabled, the log at INFO", () => {
    expect(defaults).toMatchObject({ OBSERVABILITY_BATCH_SIZE: 100, OBSERVABILITY_ENABLED: true, LOG_LEVEL: "info" });
  });

  test.each([
    ["LOG_LEVEL", ["DEBUG", "INFO", "WARNING", "ERROR"], "LOUD"],
    ["ENVIRONMENT", ["development", "staging", "production"], "test"],
    ["OBSERVABILITY_ENABLED", ["true", "false"], "perhaps"],
  ])("%s is one of %j", (name, values, other) => {
    expect(values.map((value) => takes({ ...required, [name]: value }))).toEqual(values.map(() => true));
    expect(takes({ ...required, [name]: other })).toBe(false);
  });

  test.each(["POSTGRES_DB", "POSTGRES_USER", "POSTGRES_PASSWORD"])("%s is read by compose.yaml", async (name) => {
    expect(await composeFile()).toContain(`\${${name}:`);
  });

  test.each(["6380:6379", "5433:5432", "8001:8000", "3000:3000"])(
    "the port %s, from outside to inside, is in compose.yaml",
    async (ports) => {
      expect(await composeFile()).toMatch(new RegExp(`ports: \\["(?:127\\.0\\.0\\.1:)?${ports}"\\]`));
    },
  );
});

describe("Versioning", () => {
  test("every route of the API carries the prefix /api/v1, but for those whose path somebody else has set", async () => {
    const description = (await api.server.inject("/docs/json")).json<{ paths: Record<string, unknown> }>();
    const others = Object.keys(description.paths).filter((path) => !path.startsWith("/api/v1/"));
    expect(others.toSorted()).toEqual(["/health", "/health/detailed", "/v1/traces"]);
  });

  test("/docs says of every route what it is for", async () => {
    const { paths } = (await api.server.inject("/docs/json")).json<{ paths: Record<string, Record<string, { summary?: string }>> }>();
    const silent = Object.entries(paths).filter(([, methods]) => Object.values(methods).some(({ summary }) => summary === undefined));
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  test("migrations go up to the latest revision, back one revision at a time, and up again", async () => {
    const own = await createTestDatabase<ObservabilitySchema>();
    const all = (await migrationStatus(own.pool, observabilityMigrations)).map(({ name }) => name);
    expect(await migrateUp(own.pool, observabilityMigrations)).toEqual(all);
    for (const name of all.toReversed()) {
      expect(await migrateDown(own.pool, observabilityMigrations)).toBe(name);
    }
    const { rows } = await own.pool.query("select 1 from information_schema.schemata where schema_name = 'observability'");
    expect(rows).toEqual([]);
    expect(await migrateUp(own.pool, observabilityMigrations)).toEqual(all);
    await own.drop();
  });
});

function takes(environment: Record<string, string>): boolean {
  try {
    readConfig(observabilityVariables, environment);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) {
      return false;
    }
    throw error;
  }
}

async function composeFile(): Promise<string> {
  return readFile(new URL("../../../compose.yaml", import.meta.url), "utf8");
}
