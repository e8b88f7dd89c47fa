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

/* The platform's side of the contract. The application's is the SDK's. */

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

describe("Resources and their fields (docs/contract.md#observability-resources-and-their-fields)", () => {
  test("Stream | observability:events (default name) | maximum length 100000 entries", () => {
    expect(defaults.OBSERVABILITY_STREAM_NAME).toBe("observability:events");
    expect(MAX_STREAM_LENGTH).toBe(100_000);
  });

  test("Consumer group | set by OBSERVABILITY_GROUP_NAME | one consumer named by OBSERVABILITY_CONSUMER_NAME … Heartbeat key | studio:consumer:heartbeat | present while the consumer is alive", async () => {
    expect(HEARTBEAT_KEY).toBe("studio:consumer:heartbeat");
    const { consumer } = await rig.start({ config: { OBSERVABILITY_CONSUMER_NAME: "reader" } });
    await expect.poll(() => rig.redis.client.exists(rig.heartbeatKey)).toBe(1);
    expect(await rig.redis.client.pttl(rig.heartbeatKey)).toBeGreaterThan(0);
    const groups = (await rig.redis.client.xinfo("GROUPS", rig.stream)) as unknown[][];
    expect(groups.map((group) => group[1])).toEqual([rig.group]);
    // Before Redis 7.2 a consumer is not listed until it has read something.
    await rig.publish(agentRun(createProducer(rig.projectId)).slice(0, 1));
    await expect.poll(() => rig.redis.client.xlen(rig.stream)).toBe(0);
    const consumers = (await rig.redis.client.xinfo("CONSUMERS", rig.stream, rig.group)) as unknown[][];
    expect(consumers.map((each) => each[1])).toEqual([consumer.name]);
    expect(consumer.name).toMatch(/^reader-/);
    await consumer.stop();
  });

  test("Project | project id | UUID, created in the UI … — over the API that the UI uses", async () => {
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
  ])(
    "Tool entry | tool_name | string … parameters | object … result | any … timestamp | ISO 8601, UTC … status | success or failure — %j is one: %s",
    (change, isOne) => {
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
    },
  );

  test("Database tables | traces, observations, projects, … stored in PostgreSQL", async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'observability' and tablename = any($1) order by 1",
      [["traces", "observations", "projects"]],
    );
    expect(rows.map(({ name }) => name)).toEqual(["observations", "projects", "traces"]);
  });
});

describe("Endpoints (docs/contract.md#observability-endpoints)", () => {
  test("GET | /health | nothing | JSON with status (healthy) and version (string)", async () => {
    expect(await api.get("/health", "")).toEqual({ status: 200, body: { status: "healthy", version: "1.2.3" } });
  });

  test("GET | /health/detailed | nothing | JSON with status (healthy or degraded), timestamp (ISO 8601), version, and components: an object with database, redis, consumer", async () => {
    const { status, body } = await api.get("/health/detailed", "");
    expect(status).toBe(200);
    expect(Object.keys(detailedHealthSchema.parse(body).components)).toEqual(["database", "redis", "consumer"]);
  });

  test("GET | /metrics | nothing | Prometheus text format … stream_length, consumer_lag_seconds, consumer_heartbeat, all with the prefix studio_", async () => {
    const answer = await api.server.inject("/metrics");
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=/);
    for (const name of ["stream_length", "consumer_lag_seconds", "consumer_heartbeat"]) {
      expect(answer.body).toMatch(new RegExp(`^studio_${name}\\S* \\S+$`, "m"));
    }
  });

  test("Paths are relative to {base_url} of the platform backend (internal port 8000)", () => {
    expect(defaults.OBSERVABILITY_PORT).toBe(8000);
  });
});

describe("Authentication (docs/contract.md#observability-authentication)", () => {
  test.each([
    [{ API_KEY: `studio_${"0aF".repeat(21)}9` }, true],
    [{ API_KEY: `studio_${"0".repeat(63)}` }, false],
    [{ API_KEY: `studio_${"g".repeat(64)}` }, false],
    [{ API_KEY: "0".repeat(64) }, false],
    [{ SECRET_KEY: "short" }, false],
    [{ CORS_ORIGINS: '["https://a.example"]' }, true],
    [{ CORS_ORIGINS: "https://a.example" }, false],
  ])(
    "SECRET_KEY | JWT signing key … API_KEY | API authentication key: the text studio_ followed by 64 hexadecimal characters … — %j is taken: %s",
    (change, isTaken) => {
      expect(takes({ ...required, ...change })).toBe(isTaken);
    },
  );

  test("CORS_ORIGINS | JSON list of allowed origins, default empty list", () => {
    expect(defaults.CORS_ORIGINS).toEqual([]);
  });
});

describe("Limits (docs/contract.md#observability-limits)", () => {
  test.each(["DATABASE_URL", "SECRET_KEY", "API_KEY", "OBSERVABILITY_REDIS_URL"])("Platform-side variables: … %s … (required)", (name) => {
    expect(takes({ ...required, [name]: "" })).toBe(false);
  });

  test("… LOG_LEVEL (DEBUG, INFO, WARNING, ERROR; default INFO), … OBSERVABILITY_ENABLED (true), … OBSERVABILITY_BATCH_SIZE (100)", () => {
    expect(defaults).toMatchObject({ OBSERVABILITY_BATCH_SIZE: 100, OBSERVABILITY_ENABLED: true, LOG_LEVEL: "info" });
  });

  test.each([
    ["LOG_LEVEL", ["DEBUG", "INFO", "WARNING", "ERROR"], "LOUD"],
    ["ENVIRONMENT", ["development", "staging", "production"], "test"],
    ["OBSERVABILITY_ENABLED", ["true", "false"], "perhaps"],
  ])("… %s … — one of %j", (name, values, other) => {
    expect(values.map((value) => takes({ ...required, [name]: value }))).toEqual(values.map(() => true));
    expect(takes({ ...required, [name]: other })).toBe(false);
  });

  test.each(["POSTGRES_DB", "POSTGRES_USER", "POSTGRES_PASSWORD"])("… %s … — read by compose.yaml", async (name) => {
    expect(await composeFile()).toContain(`\${${name}:`);
  });

  test.each(["6380:6379", "5433:5432", "8001:8000", "3000:3000"])(
    "Ports (internal to external): Redis 6379 to 6380; PostgreSQL 5432 to 5433; backend 8000 to 8001; frontend 3000 — %s, from outside to inside, is in compose.yaml",
    async (ports) => {
      expect(await composeFile()).toMatch(new RegExp(`ports: \\["(?:127\\.0\\.0\\.1:)?${ports}"\\]`));
    },
  );
});

describe("Versioning (docs/contract.md#observability-versioning)", () => {
  test("The API carries the path prefix /api/v1 … — but for those whose path somebody else has set", async () => {
    const description = (await api.server.inject("/docs/json")).json<{ paths: Record<string, unknown> }>();
    const others = Object.keys(description.paths).filter((path) => !path.startsWith("/api/v1/"));
    expect(others.toSorted()).toEqual([
      "/api/public/ingestion",
      "/api/public/otel/v1/traces",
      "/api/public/projects",
      "/api/public/scores",
      "/health",
      "/health/detailed",
      "/v1/logs",
      "/v1/metrics",
      "/v1/traces",
    ]);
  });

  test("The API carries … — and /docs says of every route what it is for", async () => {
    const { paths } = (await api.server.inject("/docs/json")).json<{ paths: Record<string, Record<string, { summary?: string }>> }>();
    const silent = Object.entries(paths).filter(([, methods]) => Object.values(methods).some(({ summary }) => summary === undefined));
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  test("Database schema migrations are applied up to the latest revision and can be rolled back one revision at a time — and up again", async () => {
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
