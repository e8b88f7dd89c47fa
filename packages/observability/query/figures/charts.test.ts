import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chartListSchema, chartSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let charts: string;

const [ANN, BOB] = ["tenant-1:member:ann", "tenant-1:member:bob"];
const COST = { name: "Cost by user", measure: "cost", by: "user", query: "environment:production", kind: "bars" };

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  const projectId = uuidv7();
  charts = `/api/v1/projects/${projectId}/charts`;
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("a chart is everybody's to see, its author's and an owner's to change", async () => {
  const { status, body } = await api.post(charts, COST, ANN);
  expect([status, body]).toEqual([201, expect.objectContaining({ ...COST, author: "ann", can_change: true })]);
  const chart = `${charts}/${chartSchema.parse(body).id}`;
  expect((await api.get(charts, BOB)).body).toMatchObject({ items: [{ name: "Cost by user", can_change: false }] });
  expect(await api.patch(chart, { name: "Mine" }, BOB)).toMatchObject({ status: 403, body: { error: "not_your_chart" } });
  expect(await remove(chart, BOB)).toBe(403);
  expect(await api.patch(chart, { name: "Spent", by: null }, ANN)).toMatchObject({
    status: 200,
    body: { ...COST, name: "Spent", by: null },
  });
  expect(await remove(chart, "tenant-1:admin")).toBe(204);
  expect(await remove(chart, "tenant-1:admin")).toBe(404);
});

test("charts stand in the order that an editor gives them, new ones last", async () => {
  for (const name of ["one", "two", "three"]) {
    await api.post(charts, { ...COST, name }, ANN);
  }
  const [one, two, three] = await list();
  await api.put(`${charts}/order`, { ids: [three, one, two].map((chart) => chart?.id) }, BOB);
  await api.post(charts, { ...COST, name: "four" }, ANN);
  expect((await list()).map(({ name }) => name)).toEqual(["three", "one", "two", "four"]);
});

test.each([
  [{ ...COST, query: "colour:red" }, "invalid_query"],
  [{ ...COST, measure: "mean" }, "invalid_request"],
  [{ ...COST, by: "duration" }, "invalid_request"],
  [{ ...COST, name: " " }, "invalid_request"],
])("what makes no sense is refused: %o", async (chart, error) => {
  expect(await api.post(charts, chart)).toMatchObject({ status: 400, body: { error } });
});

test("a project has a hundred charts at the most", async () => {
  await database.pool.query(
    `insert into observability.charts (id, project_id, author, name, measure, query, kind, place)
    select gen_random_uuid(), id, 'ann', 'many', 'cost', '', 'lines', n from observability.projects, generate_series(1, 96) as n`,
  );
  expect(await api.post(charts, COST, BOB)).toMatchObject({ status: 409, body: { error: "too_many_charts" } });
});

async function list() {
  return chartListSchema.parse((await api.get(charts, BOB)).body).items;
}

async function remove(url: string, token: string): Promise<number> {
  return (await api.server.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${token}` } })).statusCode;
}
