import { createHmac } from "node:crypto";
import { createLog } from "@sightline/foundation/log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { alertEventPageSchema, alertRuleListSchema, alertRuleSchema, createdAlertChannelSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { claimDueRules, settleRule } from "./alert-evaluation.store.ts";
import { claimDueNotifications } from "./alert-notifications.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { startAlertReceiver, type Received } from "#testing/alert-receiver.ts";
import { endTraces } from "#testing/end-traces.ts";
import { ALERT_CONFIG, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createAlertTasks } from "./alert-tasks.ts";
import { toChannelAccess } from "./tell-channel.ts";

type Receiver = Awaited<ReturnType<typeof startAlertReceiver>>;

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let receiver: Receiver;
let projectId: string;
let logged: string;

const ADMIN = "tenant-1:admin";

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  await database.pool.query("delete from observability.projects");
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "Shop <prod>" });
  receiver = await startAlertReceiver();
  logged = "";
});
afterEach(() => receiver.close());
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("a rule that is broken fires once, is told once however many look, and resolves at the second look that finds it well", async () => {
  const { secret, ruleId } = await furnish();
  const replicas = [tasks(), tasks(), tasks()];
  await endTraces(database, projectId, 4, "failure");
  await look(replicas);
  expect(await rule()).toMatchObject({ state: "firing", last_value: 4, problem: null });
  expect(receiver.received).toHaveLength(1);
  const [{ headers, body } = { path: "", headers: {}, body: "" } satisfies Received] = receiver.received;
  expect(JSON.parse(body)).toMatchObject({
    event: "fired",
    project: { id: projectId, name: "Shop <prod>" },
    rule: { id: ruleId, name: "Failing", metric: "errors", threshold: 3 },
    value: 4,
    url: `https://sightline.example.org/projects/${projectId}/alerts`,
    text: "Firing: Failing (Shop <prod>). errors in the last 60 minutes: 4, limit 3.",
  });
  expect(headers["x-sightline-signature"]).toBe(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  expect(headers["x-sightline-delivery"]).toBe(JSON.parse(body).id);

  await look(replicas);
  await database.pool.query("delete from observability.trace_entries");
  await look(replicas);
  expect(await rule()).toMatchObject({ state: "firing", last_value: 0 });
  await look(replicas);
  expect(await rule()).toMatchObject({ state: "ok" });
  expect(receiver.received.map((message) => JSON.parse(message.body).event)).toEqual(["fired", "resolved"]);
  const { items } = alertEventPageSchema.parse((await api.get(`${path()}/alert-events?limit=1`, ADMIN)).body);
  expect(items).toMatchObject([{ kind: "resolved", value: 0, notifications: [{ state: "sent", tries: 1, channel: "Pager" }] }]);
});

test("a receiver that is away has the message when it is back, with the same id", async () => {
  await furnish();
  receiver.answer.status = 503;
  await endTraces(database, projectId, 4, "failure");
  await look([tasks()]);
  expect(await notifications()).toMatchObject([{ state: "pending", tries: 1, problem: "It answered 503." }]);
  expect(Number((await notifications())[0]?.wait)).toBeCloseTo(10, 0);
  await makeDue();
  await tasks().sendDue();
  expect(Number((await notifications())[0]?.wait)).toBeCloseTo(20, 0);
  receiver.answer.status = 204;
  await makeDue();
  await tasks().sendDue();
  await makeDue();
  await tasks().sendDue();
  expect(await notifications()).toMatchObject([{ state: "sent", tries: 3, problem: null }]);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(receiver.received).toHaveLength(3);
});

test("after an hour of failures a message is dead, and the history says why", async () => {
  await furnish();
  receiver.answer.status = 500;
  await endTraces(database, projectId, 4, "failure");
  await look([tasks()]);
  await database.pool.query("update observability.alert_notifications set created_at = now() - interval '61 minutes'");
  await makeDue();
  await tasks().sendDue();
  await makeDue();
  await tasks().sendDue();
  const { items } = alertEventPageSchema.parse((await api.get(`${path()}/alert-events`, ADMIN)).body);
  expect(items).toMatchObject([{ notifications: [{ state: "dead", tries: 2, problem: "It answered 500." }] }]);
});

test("who dies after the change was written and before it was sent, leaves the message to the next", async () => {
  await furnish();
  await endTraces(database, projectId, 4, "failure");
  await tasks().evaluateDue();
  expect(await claimDueNotifications(database.query)).toHaveLength(1);
  await tasks().sendDue();
  expect(receiver.received).toHaveLength(0);
  await makeDue();
  await tasks().sendDue();
  expect(receiver.received).toHaveLength(1);
});

test("an evaluation that a change of the rule overtook writes nothing and tells nobody", async () => {
  const { ruleId } = await furnish();
  const claim = uuidv7();
  const [taken] = await claimDueRules(database.query, claim);
  expect(taken?.id).toBe(ruleId);
  expect(await claimDueRules(database.query, uuidv7())).toEqual([]);
  await api.patch(`${path()}/alert-rules/${ruleId}`, { threshold: 1000 }, ADMIN);
  const verdict = { isFiring: true, belows: 0, value: 4, problem: null };
  expect(taken && (await settleRule(database.query, { rule: taken, claim, verdict, eventId: uuidv7() }))).toBe(false);
  expect(await rule()).toMatchObject({ state: "unknown", evaluated_at: null });
  expect(await notifications()).toEqual([]);
});

test("a rule that is switched off is not looked at, and no longer fires", async () => {
  const { ruleId } = await furnish();
  await endTraces(database, projectId, 4, "failure");
  await look([tasks()]);
  await api.patch(`${path()}/alert-rules/${ruleId}`, { is_enabled: false }, ADMIN);
  await look([tasks()]);
  expect(await rule()).toMatchObject({ state: "unknown", is_enabled: false, since: null, last_value: null, evaluated_at: null });
  expect(receiver.received).toHaveLength(1);
});

test("a redirect is not followed, wherever it leads", async () => {
  const { channelId } = await furnish();
  const inside = await startAlertReceiver();
  Object.assign(receiver.answer, { status: 307, location: inside.url });
  const tested = await api.post(`${path()}/alert-channels/${channelId}/test`, {}, ADMIN);
  expect(tested.body).toMatchObject({ is_delivered: false, problem: expect.stringContaining("do not follow redirects") });
  expect(inside.received).toHaveLength(0);
  await inside.close();
});

test("unless the operator allows it nothing is sent to this machine, by whatever name", async () => {
  await furnish();
  await endTraces(database, projectId, 4, "failure");
  const closed = createAlertTasks({
    query: database.query,
    log: log(),
    access: toChannelAccess({ ...ALERT_CONFIG, OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS: false }),
  });
  await closed.evaluateDue();
  await closed.sendDue();
  expect(await notifications()).toMatchObject([
    { problem: "Alerts are sent to https addresses only, unless OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS allows others." },
  ]);
  for (const host of ["localhost", "127.0.0.1", "[::1]", "2130706433", "[::ffff:127.0.0.1]"]) {
    const { id } = await makeChannel("webhook", `https://${host}:9/`);
    await database.pool.query("update observability.alert_notifications set channel_id = $1, next_try_at = now(), problem = null", [id]);
    await closed.sendDue();
    expect(await notifications(), host).toMatchObject([
      { problem: "Its address is in a private network, where no alert is sent to unless OBSERVABILITY_ALLOW_PRIVATE_WEBHOOKS allows it." },
    ]);
  }
  expect(receiver.received).toHaveLength(0);
});

test("Slack is told in one text, in which names are no mentions and no links", async () => {
  const { id } = await makeChannel("slack", receiver.url);
  await makeRule({ name: "<!channel> & all", channels: [id] });
  await endTraces(database, projectId, 4, "failure");
  await look([tasks()]);
  const [message] = receiver.received;
  expect(JSON.parse(message?.body ?? "{}")).toEqual({
    text:
      ":rotating_light: Firing: &lt;!channel&gt; &amp; all (Shop &lt;prod&gt;). errors in the last 60 minutes: 4, limit 3. " +
      `<https://sightline.example.org/projects/${projectId}/alerts|Open in Sightline>`,
  });
  expect(message?.headers["x-sightline-signature"]).toBeUndefined();
});

test("where a channel leads and its secret are in no answer, no log and no table", async () => {
  const { channelId, secret } = await furnish();
  receiver.answer.status = 500;
  await endTraces(database, projectId, 4, "failure");
  await look([tasks()]);
  const answers = await Promise.all(
    ["alert-channels", "alert-rules", "alert-events"].map(async (list) => JSON.stringify((await api.get(`${path()}/${list}`, ADMIN)).body)),
  );
  const tested = await api.post(`${path()}/alert-channels/${channelId}/test`, {}, ADMIN);
  const { rows } = await database.pool.query("select * from observability.alert_channels");
  const all = [...answers, JSON.stringify(tested.body), JSON.stringify(rows), logged].join("\n");
  expect(all).toContain("It answered 500.");
  expect(logged).toContain("an alert was not delivered");
  expect(all).not.toContain(secret);
  expect(all).not.toContain("a-path-that-is-a-secret");
});

test("one that can't be read in time is unknown and fires as before", async () => {
  await furnish();
  await endTraces(database, projectId, 4, "failure");
  await look([tasks()]);
  await database.pool.query("alter table observability.trace_entries rename to hidden");
  await look([tasks()]);
  await database.pool.query("alter table observability.hidden rename to trace_entries");
  expect(await rule()).toMatchObject({ state: "unknown", problem: expect.stringContaining("could not be read") });
  await look([tasks()]);
  expect(await rule()).toMatchObject({ state: "firing", problem: null });
  expect(receiver.received).toHaveLength(1);
});

test("a rule that means nothing is refused, and says why", async () => {
  const make = async (change: object) => api.post(`${path()}/alert-rules`, { ...RULE, ...change });
  expect(await make({ metric: "gaps", filter: { model: "m" } })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await make({ window_minutes: 4 })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await make({ channels: [uuidv7()] })).toMatchObject({ status: 400, body: { error: "invalid_alert_rule" } });
  const { ruleId } = await furnish();
  const change = await api.patch(`${path()}/alert-rules/${ruleId}`, { metric: "cost", filter: { node: "plan" } });
  expect(change).toMatchObject({ status: 400, body: { error: "invalid_alert_rule" } });
});

test("everybody who may edit sets rules, owners alone choose where alerts go, and a channel that goes leaves its rules", async () => {
  const { channelId } = await furnish();
  await database.pool.query("update observability.projects set access = 'tenant'");
  expect(await api.post(`${path()}/alert-rules`, RULE, "tenant-1:member")).toMatchObject({ status: 201 });
  const channel = { name: "x", kind: "webhook", url: "https://example.org/" };
  expect(await api.post(`${path()}/alert-channels`, channel, "tenant-1:member")).toMatchObject({ status: 403 });
  expect(await api.post(`${path()}/alert-channels/${channelId}/test`, {}, "tenant-1:member")).toMatchObject({ status: 403 });
  expect(await api.get(`${path()}/alert-rules`, "tenant-2:admin")).toMatchObject({ status: 404 });
  const url = `${path()}/alert-channels/${channelId}`;
  const removed = await api.server.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${ADMIN}` } });
  expect(removed.statusCode).toBe(204);
  const { items } = alertRuleListSchema.parse((await api.get(`${path()}/alert-rules`, ADMIN)).body);
  expect(items.flatMap(({ channels }) => channels)).toEqual([]);
});

const RULE = { name: "Failing", metric: "errors", threshold: 3, window_minutes: 60 };

function path(): string {
  return `/api/v1/projects/${projectId}`;
}

function log() {
  return createLog({ name: "test", level: "info", destination: { write: (line) => void (logged += line) } });
}

function tasks() {
  return createAlertTasks({ query: database.query, log: log(), access: toChannelAccess(ALERT_CONFIG) });
}

/** A minute later, by all of them at once. */
async function look(replicas: readonly ReturnType<typeof tasks>[]): Promise<void> {
  await database.pool.query("update observability.alert_rules set claimed_at = claimed_at - interval '1 minute'");
  await Promise.all(replicas.map((replica) => replica.evaluateDue()));
  await Promise.all(replicas.map((replica) => replica.sendDue()));
}

async function furnish() {
  const { id: channelId, secret } = await makeChannel("webhook", receiver.url);
  const ruleId = await makeRule({ channels: [channelId] });
  return { channelId, secret: secret ?? "", ruleId };
}

async function makeChannel(kind: "webhook" | "slack", url: string) {
  return createdAlertChannelSchema.parse((await api.post(`${path()}/alert-channels`, { name: "Pager", kind, url }, ADMIN)).body);
}

async function makeRule(change: object): Promise<string> {
  return alertRuleSchema.parse((await api.post(`${path()}/alert-rules`, { ...RULE, ...change }, ADMIN)).body).id;
}

async function rule() {
  const [only] = alertRuleListSchema.parse((await api.get(`${path()}/alert-rules`, ADMIN)).body).items;
  return alertRuleSchema.parse(only);
}

async function notifications() {
  const { rows } = await database.pool.query<{ state: string; tries: number; problem: string | null; wait: number }>(
    "select state, tries, problem, extract(epoch from next_try_at - now())::double precision as wait from observability.alert_notifications",
  );
  return rows;
}

async function makeDue(): Promise<void> {
  await database.pool.query("update observability.alert_notifications set next_try_at = now() - interval '1 second'");
}
