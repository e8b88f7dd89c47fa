import { createLog } from "@sightline/foundation/log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { alertEventPageSchema, alertRuleListSchema, createdAlertChannelSchema, issuePageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer } from "#testing/agent-run.ts";
import { startAlertReceiver } from "#testing/alert-receiver.ts";
import { ALERT_CONFIG, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { failingRun } from "#testing/failing-run.ts";
import { writeEvents } from "#testing/write-events.ts";
import { createAlertTasks } from "./alert-tasks.ts";
import { toChannelAccess } from "./tell-channel.ts";

const ADMIN = "tenant-1:admin";
const TIMEOUT = "TimeoutError: no answer within 30 s";

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

async function watch(kind: "webhook" | "slack" = "webhook"): Promise<void> {
  const made = await api.post(`${path()}/alert-channels`, { name: "Pager", kind, url: receiver.url }, ADMIN);
  const { id } = createdAlertChannelSchema.parse(made.body);
  const rule = { name: "Issues", metric: "issues", threshold: 0, window_minutes: 5, channels: [id] };
  expect(await api.post(`${path()}/alert-rules`, rule, ADMIN)).toMatchObject({ status: 201, body: { state: "ok" } });
}

/** Has traces fail, one for each error, and lets two replicas find their issues and send what there is to tell. */
async function fail(errors: readonly string[], find = () => countAndFind(database, projectId)): Promise<readonly string[]> {
  const producer = createProducer(projectId);
  const runs = errors.map((error, at) => ({ traceId: uuidv7(), at: new Date(Date.now() - at), tool: `tool_${error.length}`, error }));
  await writeEvents(
    database,
    runs.flatMap((run) => failingRun(producer, run)),
  );
  await Promise.all([find(), find()]);
  await send();
  return runs.map(({ traceId }) => traceId);
}

async function send(): Promise<void> {
  const log = createLog({ name: "test", level: "silent" });
  const tasks = () => createAlertTasks({ query: database.query, log, access: toChannelAccess(ALERT_CONFIG) });
  await Promise.all([tasks(), tasks()].map((replica) => replica.evaluateDue()));
  await Promise.all([tasks(), tasks()].map((replica) => replica.sendDue()));
}

const bodies = () => receiver.received.map(({ body }): unknown => JSON.parse(body));

async function issueId(): Promise<string> {
  return issuePageSchema.parse((await api.get(`${path()}/issues?state=all`, ADMIN)).body).items[0]?.id ?? "";
}

test("a new issue is told once, with its page and its trace, and again when a trace opens it", async () => {
  await watch();
  const [traceId] = await fail([TIMEOUT]);
  const id = await issueId();
  const base = `https://sightline.example.org/projects/${projectId}`;
  const title = "tool_35: TimeoutError: no answer within <n> s";
  expect(bodies()).toMatchObject([
    {
      event: "fired",
      text: `Issues (Shop). New issue: ${title}.`,
      url: `${base}/issues/${id}`,
      value: 1,
      issues: [{ id, change: "new", title, url: `${base}/issues/${id}`, trace_url: `${base}/traces/${traceId}` }],
    },
  ]);
  await fail([TIMEOUT, TIMEOUT]);
  expect(receiver.received).toHaveLength(1);
  await api.patch(`${path()}/issues/${id}`, { state: "closed" }, ADMIN);
  await database.pool.query("update observability.issues set closed_at = closed_at - interval '1 hour' where project_id = $1", [projectId]);
  await fail([TIMEOUT]);
  expect(bodies().slice(1)).toMatchObject([{ text: `Issues (Shop). Reopened issue: ${title}.`, issues: [{ id, change: "reopened" }] }]);
  const { items } = alertEventPageSchema.parse((await api.get(`${path()}/alert-events`, ADMIN)).body);
  expect(items.map(({ issues, value }) => [issues, value])).toEqual([
    [[{ id, change: "reopened" }], 1],
    [[{ id, change: "new" }], 1],
  ]);
  expect(alertRuleListSchema.parse((await api.get(`${path()}/alert-rules`, ADMIN)).body).items).toMatchObject([{ state: "ok" }]);
});

test("many that are found together are one message, which names twenty and counts the rest", async () => {
  await watch("slack");
  await fail(Array.from({ length: 23 }, (_, at) => `Error: ${"x".repeat(at)}`));
  expect(receiver.received).toHaveLength(1);
  const { text } = z.object({ text: z.string() }).parse(bodies()[0]);
  expect(text).toContain("; and 3 more. <");
  expect(text.match(/New issue:/gu)).toHaveLength(20);
  expect(text.match(/its newest trace/gu)).toHaveLength(20);
});

test("whoever dies before an issue and its alert are written leaves both to the next, who tells it once", async () => {
  await watch();
  await database.pool.query(`
    create function observability.die() returns trigger language plpgsql as $$ begin raise 'the process dies here'; end $$;
    create trigger dies before insert on observability.alert_notifications for each statement execute function observability.die()`);
  await fail([TIMEOUT], () => countAndFind(database, projectId).catch(() => undefined));
  expect([await issueId(), receiver.received.length]).toEqual(["", 0]);
  await database.pool.query("drop function observability.die() cascade");
  await countAndFind(database, projectId);
  await send();
  expect(bodies()).toMatchObject([{ issues: [{ change: "new" }] }]);
});

test("an issue whose traces are deleted before its message is sent leaves no words in it", async () => {
  await watch();
  receiver.answer.status = 503;
  await fail([TIMEOUT]);
  await database.pool.query("delete from observability.issue_traces where project_id = $1", [projectId]);
  await database.pool.query("update observability.alert_notifications set next_try_at = now()");
  receiver.answer.status = 204;
  await send();
  expect(bodies()[1]).toMatchObject({ issues: [{ title: "merged or deleted since", trace_url: null }] });
});

test("issues are told apart by nothing, and without a rule nothing is written", async () => {
  const rule = { name: "Issues", metric: "issues", threshold: 0, window_minutes: 5, filter: { trace: "a" } };
  expect(await api.post(`${path()}/alert-rules`, rule, ADMIN)).toMatchObject({ status: 400 });
  await fail([TIMEOUT]);
  expect(alertEventPageSchema.parse((await api.get(`${path()}/alert-events`, ADMIN)).body).items).toEqual([]);
});
