import { createLog } from "@sightline/foundation/log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { alertRuleListSchema, createdAlertChannelSchema, type AlertFilter } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { startAlertReceiver } from "#testing/alert-receiver.ts";
import { ALERT_CONFIG, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createAlertTasks } from "./alert-tasks.ts";
import { readAlertValue } from "./alert-values.store.ts";
import { toChannelAccess } from "./tell-channel.ts";

const ADMIN = "tenant-1:admin";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let receiver: Awaited<ReturnType<typeof startAlertReceiver>>;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "Shop" });
  receiver = await startAlertReceiver();
});
afterEach(() => receiver.close());
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const path = () => `/api/v1/projects/${projectId}`;

type Given = { readonly value: number; readonly minutesAgo: number; readonly source?: string; readonly purpose?: string | null };

/** Twenty scores “helpful”, each of a trace of its own. */
async function score({ value, minutesAgo, source = "application", purpose = null }: Given): Promise<void> {
  await database.pool.query(
    `with made as (
      insert into observability.traces (project_id, id, seen_at, name, started_at, purpose)
      select $1, gen_random_uuid(), now(), 'checkout', now(), $5 from generate_series(1, 20) returning id
    )
    insert into observability.scores (project_id, trace_id, event_id, name, value, source, scored_at)
    select $1, id, gen_random_uuid(), 'helpful', $2, $4, now() - $3 * interval '1 minute' from made`,
    [projectId, value, minutesAgo, source, purpose],
  );
}

async function watch(rule: object): Promise<void> {
  const made = await api.post(`${path()}/alert-channels`, { name: "Pager", kind: "webhook", url: receiver.url }, ADMIN);
  const { id } = createdAlertChannelSchema.parse(made.body);
  const body = { name: "Less helpful", window_minutes: 60, filter: { score: "helpful" }, channels: [id], ...rule };
  expect(await api.post(`${path()}/alert-rules`, body, ADMIN)).toMatchObject({ status: 201 });
}

/** Two replicas look at the rules, and send what there is to tell. */
async function look(): Promise<unknown> {
  await database.pool.query("update observability.alert_rules set claimed_at = null");
  const log = createLog({ name: "test", level: "silent" });
  const tasks = [1, 2].map(() => createAlertTasks({ query: database.query, log, access: toChannelAccess(ALERT_CONFIG) }));
  await Promise.all(tasks.map((replica) => replica.evaluateDue()));
  await Promise.all(tasks.map((replica) => replica.sendDue()));
  return alertRuleListSchema.parse((await api.get(`${path()}/alert-rules`, ADMIN)).body).items[0]?.state;
}

const texts = () => receiver.received.map(({ body }): unknown => JSON.parse(body).text);

test("a score that fell against the week before is told once, stays so while too few are given, and is resolved when it is back", async () => {
  await watch({ metric: "score_worse", threshold: 0.1 });
  await score({ value: 0.9, minutesAgo: 1_440 });
  expect(await look()).toBe("ok");
  await score({ value: 0.7, minutesAgo: 5 });
  expect([await look(), await look()]).toEqual(["firing", "firing"]);
  expect(texts()).toEqual([
    "Firing: Less helpful (Shop). worsening of the mean of score “helpful” in the last 60 minutes against the 10080 minutes before: 0.2, limit 0.1.",
  ]);
  await database.pool.query("delete from observability.scores where project_id = $1 and value = 0.7", [projectId]);
  expect([await look(), await look()]).toEqual(["firing", "firing"]);
  await score({ value: 0.88, minutesAgo: 3 });
  expect([await look(), await look()]).toEqual(["firing", "ok"]);
  expect(texts()[1]).toContain("Resolved: Less helpful (Shop). worsening");
  expect(receiver.received).toHaveLength(2);
});

test("a bound holds for the mean of its source and of live traces alone, and may be below zero", async () => {
  await watch({ metric: "score_below", threshold: -0.5 });
  await score({ value: -3, minutesAgo: 5, source: "person" });
  await score({ value: -3, minutesAgo: 5, purpose: "experiment" });
  await score({ value: -3, minutesAgo: 90 });
  expect([await look(), texts()]).toEqual(["ok", []]);
  await score({ value: -0.6, minutesAgo: 5 });
  expect(await look()).toBe("firing");
  expect(texts()).toEqual(["Firing: Less helpful (Shop). mean of score “helpful” in the last 60 minutes: -0.6, limit -0.5."]);
});

test("a score of which less is better is worse when it is higher, and what is narrowed to another trace or project has no value", async () => {
  await api.put(`${path()}/score-configs`, { name: "helpful", direction: "lower" }, ADMIN);
  await score({ value: 1, minutesAgo: 300 });
  await score({ value: 4, minutesAgo: 5 });
  const read = (filter: AlertFilter, of = projectId) =>
    readAlertValue(database.query, { projectId: of, metric: "score_worse", windowMinutes: 60, filter: { score: "helpful", ...filter } });
  expect(
    await Promise.all([
      read({}),
      read({ trace: "checkout", min_count: 20 }),
      read({ min_count: 21 }),
      read({ baseline_minutes: 120 }),
      read({ trace: "other" }),
      read({}, uuidv7()),
    ]),
  ).toEqual([3, 3, null, null, null, null]);
});

test.each([
  ["no score", { metric: "score_below", filter: {} }],
  ["a node", { metric: "score_below", filter: { score: "helpful", node: "plan" } }],
  ["a time before for a bound", { metric: "score_below", filter: { score: "helpful", baseline_minutes: 600 } }],
  ["a score of errors", { metric: "errors", filter: { score: "helpful" } }],
  ["errors below zero", { metric: "errors", threshold: -1 }],
])("a rule with %s is refused, also by a change", async (_name, wrong) => {
  const rule = { name: "Rule", metric: "score_below", threshold: 1, window_minutes: 60, filter: { score: "helpful" } };
  const { body } = await api.post(`${path()}/alert-rules`, rule, ADMIN);
  expect(await api.post(`${path()}/alert-rules`, { ...rule, filter: {}, ...wrong }, ADMIN)).toMatchObject({ status: 400 });
  expect(await api.patch(`${path()}/alert-rules/${String(body["id"])}`, { filter: {}, ...wrong }, ADMIN)).toMatchObject({ status: 400 });
});
