import { isAlike } from "@sightline/foundation/database/fold-case";
import { createOddDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
const projectId = uuidv7();

beforeAll(async () => {
  database = await createOddDatabase<ObservabilitySchema>({}, observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  const producer = createProducer(projectId);
  const [trace, step, at] = [uuidv7(), uuidv7(), new Date().toISOString()];
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: trace, name: "INSTALL", started_at: at, session_id: "IST-1", user_id: "Irem", tags: ["CI"] }),
    producer.event("observation.start", {
      trace_id: trace,
      observation_id: step,
      parent_id: null,
      kind: "tool",
      name: "FIND",
      started_at: at,
      code: { repo: "ACME/MINI", file: "a.py", line: 3 },
    }),
    producer.event("observation.end", {
      trace_id: trace,
      observation_id: step,
      ended_at: at,
      duration_ms: 1,
      status: "failure",
      error: "INDEX",
    }),
    producer.event("trace.end", { trace_id: trace, ended_at: at, status: "failure", error: "INDEX is gone" }),
  ]);
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const get = async (path: string) => (await api.get(`/api/v1/projects/${projectId}${path}`)).body;

test.each(["name:install*", "name:Ins*l", "session:ist-*", "user:ire*", "tag:c*i", "error:index", "install", "error:INDEX"])(
  "in a Turkish database %s finds the trace",
  needsRealPostgres,
  async (query) => {
    expect((await get(`/traces?q=${encodeURIComponent(query)}`))["items"]).toMatchObject([{ name: "INSTALL" }]);
  },
);

test("and what is typed finds values, of all traces and of those a query finds", needsRealPostgres, async () => {
  const value = { value: "INSTALL", count: 1 };
  expect(await get("/traces/facets?field=name&prefix=ins")).toMatchObject({ items: [value] });
  expect(await get("/traces/facets?field=name&prefix=ins&q=error:index")).toMatchObject({ items: [value] });
  expect(await get("/sessions?prefix=ist")).toMatchObject({ items: [{ id: "IST-1" }] });
});

test("and an index serves what begins so", needsRealPostgres, async () => {
  const plan = await database.query.transaction().execute(async (transaction) => {
    await sql`
      insert into observability.trace_groups (
        project_id, field, value, traces, failures, input_tokens, output_tokens, cost, with_input, with_output, with_cost
      ) select ${projectId}::uuid, 'name', 'other ' || n, 1, 0, 0, 0, 0, 0, 0, 0 from generate_series(1, 5000) as n
    `.execute(transaction);
    await sql`analyze observability.trace_groups`.execute(transaction);
    const isMeant = sql`project_id = ${projectId}::uuid and field = 'name' and ${isAlike(sql`left(value, 200)`, "ins%")}`;
    return (await sql`explain select from observability.trace_groups where ${isMeant}`.execute(transaction)).rows;
  });
  expect(JSON.stringify(plan)).toContain("trace_groups_by_prefix");
});
