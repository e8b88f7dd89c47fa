import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { alertChannelListSchema, alertRuleSchema, createdAlertChannelSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { startAlertReceiver } from "#testing/alert-receiver.ts";
import { ALERT_CONFIG, API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { endTraces } from "#testing/end-traces.ts";
import { createAlertTasks } from "./alert-tasks.ts";
import { toChannelAccess, type Mailing } from "./tell-channel.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let receiver: Awaited<ReturnType<typeof startAlertReceiver>>;
let projectId: string;
const mails: Parameters<Mailing["send"]>[0][] = [];
const mailServer: { fails?: string } = {};

const ADMIN = "tenant-1:admin";
const KEY = "R0123456789abcdefghijklmnopqrstu";

/** The addresses of the tenant. */
const own = new Set<string>();
const mailing: Mailing = {
  async send(mail) {
    if (mailServer.fails !== undefined) {
      throw new Error(mailServer.fails);
    }
    mails.push(mail);
  },
  isOwnAddress: async (tenantId, address) => own.has(`${tenantId} ${address}`),
};

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createRig({ mailing });
});
beforeEach(async () => {
  await database.pool.query("delete from observability.projects");
  projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "Shop" });
  receiver = await startAlertReceiver();
  mails.length = 0;
  own.clear();
  own.add("tenant-1 ada@example.org");
  delete mailServer.fails;
});
afterEach(() => receiver.close());
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("PagerDuty opens one incident of a rule, and resolves that one", async () => {
  const ruleId = await tellOf({ kind: "pagerduty", key: KEY, url: receiver.url });
  await fireAndResolve();
  const events = receiver.received.map(({ body }) => JSON.parse(body));
  const dedup = `sightline-${ruleId}`;
  expect(events).toMatchObject([
    {
      routing_key: KEY,
      event_action: "trigger",
      dedup_key: dedup,
      client: "Sightline",
      client_url: `https://sightline.example.org/projects/${projectId}/alerts`,
      payload: {
        summary: "Firing: Failing (Shop). errors in the last 60 minutes: 4, limit 3.",
        source: "Shop",
        severity: "error",
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        custom_details: { event: "fired", rule: { id: ruleId }, value: 4 },
      },
    },
    { routing_key: KEY, event_action: "resolve", dedup_key: dedup },
  ]);
});

test("Opsgenie opens one alert of a rule, and closes it by its alias", async () => {
  const ruleId = await tellOf({ kind: "opsgenie", key: KEY, url: receiver.url });
  await fireAndResolve();
  const [opened, closed] = receiver.received;
  const path = new URL(receiver.url).pathname;
  expect(JSON.parse(opened?.body ?? "")).toMatchObject({
    message: "Failing (Shop)",
    alias: `sightline-${ruleId}`,
    priority: "P3",
    source: "Sightline",
    description: expect.stringContaining(`/projects/${projectId}/alerts`),
  });
  expect([opened?.path, closed?.path]).toEqual([path, `${path}/sightline-${ruleId}/close?identifierType=alias`]);
  expect([opened, closed].map((request) => request?.headers["authorization"])).toEqual([`GenieKey ${KEY}`, `GenieKey ${KEY}`]);
  expect(JSON.parse(closed?.body ?? "")).toMatchObject({ note: expect.stringMatching(/^Resolved: Failing/) });
});

test("a mail says what happened and where it is seen, in the same id when it is sent again", async () => {
  await tellOf({ kind: "email", email: "ada@example.org" });
  mailServer.fails = "ECONNREFUSED CONN";
  await endTraces(database, projectId, 4, "failure");
  await look();
  expect(await channels()).toMatchObject([
    { host: "ada@example.org", last_problem: "The mail server did not take it (ECONNREFUSED CONN)." },
  ]);
  delete mailServer.fails;
  await database.pool.query("update observability.alert_notifications set next_try_at = now()");
  await look();
  const { rows } = await database.pool.query<{ id: string }>("select id from observability.alert_notifications");
  expect(mails).toMatchObject([{ id: rows[0]?.id, to: "ada@example.org", subject: "Alert: Failing (Shop)" }]);
  expect(mails[0]?.text).toBe(
    `Firing: Failing (Shop). errors in the last 60 minutes: 4, limit 3.\n\nhttps://sightline.example.org/projects/${projectId}/alerts\n`,
  );
});

test("nobody is mailed but by their own organization, and no longer than they are in it", async () => {
  own.add("tenant-2 stranger@example.org");
  for (const token of [ADMIN, API_KEY]) {
    const refused = await api.post(`${base()}/alert-channels`, { name: "x", kind: "email", email: "stranger@example.org" }, token);
    expect(refused).toMatchObject({ status: 400, body: { error: "address_refused", details: [{ path: "email" }] } });
  }
  await tellOf({ kind: "email", email: "ada@example.org" });
  own.clear();
  await endTraces(database, projectId, 4, "failure");
  await look();
  const [channel] = await channels();
  expect(channel?.last_problem).toContain("accounts of your organization");
  const tried = await api.post(`${base()}/alert-channels/${channel?.id}/test`, {}, ADMIN);
  expect(tried.body).toMatchObject({ is_delivered: false, problem: channel?.last_problem });
  expect(mails).toEqual([]);
});

test("keys are in no answer and no table, and what a kind needs is said where it lacks", async () => {
  const made = await make({ kind: "pagerduty", key: KEY });
  expect(createdAlertChannelSchema.parse(made.body)).toMatchObject({ host: "events.pagerduty.com", secret: null });
  expect(createdAlertChannelSchema.parse((await make({ kind: "opsgenie", key: KEY })).body).host).toBe("api.opsgenie.com");
  const { rows } = await database.pool.query("select * from observability.alert_channels");
  expect(JSON.stringify([made.body, await channels(), rows])).not.toContain(KEY);
  for (const [body, path] of [
    [{ kind: "pagerduty" }, "key"],
    [{ kind: "opsgenie", key: "two words" }, "key"],
    [{ kind: "email", email: "nobody" }, "email"],
    [{ kind: "slack" }, "url"],
  ] as const) {
    expect(await make(body), path).toMatchObject({ status: 400, body: { details: [{ path }] } });
  }
});

test("without a mail server no channel of mails is made, and one that is there says why it tells nobody", async () => {
  const { id } = createdAlertChannelSchema.parse((await make({ kind: "email", email: "ada@example.org" })).body);
  const rig = await createRig({});
  try {
    const refused = await rig.post(`${base()}/alert-channels`, { name: "x", kind: "email", email: "ada@example.org" }, ADMIN);
    expect(refused).toMatchObject({ status: 409, body: { error: "mail_not_configured" } });
    const tried = await rig.post(`${base()}/alert-channels/${id}/test`, {}, ADMIN);
    expect(tried.body).toEqual({ is_delivered: false, problem: expect.stringContaining("SMTP_URL") });
  } finally {
    await rig.close();
  }
});

function createRig(more: { readonly mailing?: Mailing }): Promise<ApiRig> {
  const { prefix, url: redisUrl } = redis;
  return createApiRig({ database, redisUrl, stream: `${prefix}events`, heartbeatKey: `${prefix}heartbeat`, ...more });
}

const base = () => `/api/v1/projects/${projectId}`;

const make = (body: object) => api.post(`${base()}/alert-channels`, { name: "On call", ...body }, ADMIN);

async function channels() {
  return alertChannelListSchema.parse((await api.get(`${base()}/alert-channels`, ADMIN)).body).items;
}

async function tellOf(channel: object): Promise<string> {
  const { id } = createdAlertChannelSchema.parse((await make(channel)).body);
  const rule = { name: "Failing", metric: "errors", threshold: 3, window_minutes: 60, channels: [id] };
  return alertRuleSchema.parse((await api.post(`${base()}/alert-rules`, rule, ADMIN)).body).id;
}

async function fireAndResolve(): Promise<void> {
  await endTraces(database, projectId, 4, "failure");
  await look();
  await database.pool.query("delete from observability.trace_entries");
  await look();
  await look();
}

/** A minute later. */
async function look(): Promise<void> {
  const tasks = createAlertTasks({ query: database.query, log: silentLog, access: toChannelAccess(ALERT_CONFIG, mailing) });
  await database.pool.query("update observability.alert_rules set claimed_at = claimed_at - interval '1 minute'");
  await tasks.evaluateDue();
  await tasks.sendDue();
}
