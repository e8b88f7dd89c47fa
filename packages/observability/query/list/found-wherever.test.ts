import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tracePageSchema } from "#contract.ts";
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
let projectId: string;

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

async function project(): Promise<string> {
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "explored" });
  return projectId;
}

test("a trace is found by what it ran also when it turns out to have begun before all others that ran it, or after them", async () => {
  const producer = createProducer(await project());
  const [early, late] = [uuidv7(), uuidv7()];
  const [earlyStart, ...earlySteps] = exploredRun(producer, { name: "early", seconds: 1, tool: "pay" }, 0, early);
  const [lateStart, ...lateSteps] = exploredRun(producer, { name: "late", seconds: 1, tool: "pay" }, 60 * 24 * 365 * 50, late);
  // Until their starts arrive, they are as old as what arrived of them.
  await writeEvents(database, [...earlySteps, ...lateSteps]);
  expect((await found("tool:pay")).toSorted()).toEqual([early, late].toSorted());
  await writeEvents(database, exploredRun(producer, { name: "between", seconds: 1, tool: "pay" }, 30));
  for (const start of [earlyStart, lateStart]) {
    await writeEvents(database, start === undefined ? [] : [start]);
    for (const q of ["tool:pay", "tool:PAY*", "tool:pay,find"]) {
      expect(await found(q), q).toHaveLength(3);
    }
  }
  expect(await found("-tool:pay")).toEqual([]);
});

test("a value of which nobody knows when it began is looked for at all times", async () => {
  const producer = createProducer(await project());
  for (const [minute, tool] of ["pay", "find", "pay"].entries()) {
    await writeEvents(database, exploredRun(producer, { name: "agent", seconds: 1, tool }, minute));
    await found("tool:pay");
    await database.pool.query(
      "update observability.trace_groups set earliest = null, latest = null where project_id = $1 and value = 'pay'",
      [projectId],
    );
  }
  expect(await found("tool:pay")).toHaveLength(2);
  expect(await found("tool:find,pay")).toHaveLength(3);
});

test("what began is known of a value from its traces, in the order in which they come or in another", async () => {
  const producer = createProducer(await project());
  const minutes = [7, 3, 9, 1, 5];
  for (const minute of minutes) {
    await writeEvents(database, exploredRun(producer, { name: "agent", seconds: 1, model: "m-1" }, minute));
    await found("model:m-1");
  }
  const bounds = async () => {
    const { rows } = await database.pool.query(
      `select extract(minute from earliest)::int as earliest, extract(minute from latest)::int as latest
       from observability.trace_groups where project_id = $1 and field = 'model'`,
      [projectId],
    );
    return rows;
  };
  expect(await bounds()).toEqual([{ earliest: 1, latest: 9 }]);
});

async function found(q: string): Promise<readonly string[]> {
  const { body } = await api.get(`/api/v1/projects/${projectId}/traces?q=${encodeURIComponent(q)}`);
  return tracePageSchema.parse(body).items.map(({ id }) => id);
}
