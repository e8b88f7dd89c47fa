import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Accounts } from "#accounts.ts";
import { sharedTraceSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { putMasking } from "#store/masking.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const OWNER = "tenant-1:admin";
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-/;

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let api: ApiRig;
let traceId: string;
let base: string;
const audited: Parameters<Accounts["audit"]>[0][] = [];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  const accounts: Accounts = {
    audit: async (event) => {
      audited.push(event);
    },
    tellMention: async () => undefined,
  };
  api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey, accounts });
  base = `/api/v1/projects/${rig.projectId}`;
});
beforeEach(async () => {
  traceId = uuidv7();
  audited.length = 0;
  await writeEvents(database, agentRun(createProducer(rig.projectId), traceId));
  await setSharing(true);
});
afterAll(async () => {
  await api.close();
  await rig.close();
  await database.drop();
});

let addresses = 0;
const setSharing = (isSharing: boolean) => api.patch(base, { is_sharing: isSharing }, OWNER);
const openFrom = (remoteAddress: string, token: string) =>
  api.server.inject({ method: "POST", url: "/api/v1/shared", payload: { token }, remoteAddress });
const open = (token: string) => openFrom(`192.0.2.${(addresses += 1)}`, token);

async function share(chosen: object = {}) {
  const { status, body } = await api.post(`${base}/traces/${traceId}/share-links`, chosen, OWNER);
  expect(status).toBe(201);
  const [origin, token = ""] = String(body["url"]).split("/shared/");
  expect(origin).toBe("https://sightline.example.org");
  return { id: String(body["id"]), token };
}

async function openShared(token: string) {
  const answer = await open(token);
  expect(answer.statusCode).toBe(200);
  return sharedTraceSchema.parse(answer.json());
}

test("a link shows the trace and its steps, without ids, state or code unless they were chosen", async () => {
  const { token } = await share();
  const answer = await open(token);
  expect(answer.headers).toMatchObject({
    "x-robots-tag": "noindex, nofollow",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  expect(answer.body).not.toMatch(UUID);
  const shared = sharedTraceSchema.parse(answer.json());
  expect(shared).toMatchObject({ name: "support-agent", input: { question: "where?" }, output: { answer: "shipped" } });
  expect(shared.steps.map(({ name, depth }) => [name, depth])).toEqual([
    ["plan", 0],
    ["find_order", 1],
    ["answer", 1],
  ]);
  expect(shared.steps.map(({ code }) => code)).toEqual([null, null, null]);
  expect(shared.steps[1]).toMatchObject({ input: { order: 42 }, error: "TimeoutError" });
  const withCode = await openShared((await share({ shows: ["content", "code"] })).token);
  expect(withCode.steps[1]?.code).toEqual({ file: "src/tools.ts", line: 12 });
  const hidden = await open((await share({ shows: ["code"] })).token);
  expect(hidden.statusCode).toBe(200);
  expect(hidden.body).not.toMatch(/where\?|shipped|TimeoutError|on its way/);
});

test("what nodes took in is the graph's state, and shown where that was chosen", async () => {
  const producer = createProducer(rig.projectId);
  const [node, at] = [uuidv7(), "2026-11-21T10:00:01.000Z"];
  traceId = uuidv7();
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: traceId, name: "graph", started_at: at }),
    producer.event("observation.start", {
      trace_id: traceId,
      observation_id: node,
      parent_id: null,
      kind: "node",
      name: "plan",
      started_at: at,
      input: { cart: ["kept-state"] },
    }),
  ]);
  expect((await openShared((await share()).token)).steps[0]?.input).toBeNull();
  expect((await openShared((await share({ shows: ["state"] })).token)).steps[0]?.input).toEqual({ cart: ["kept-state"] });
});

test("rules that came after the trace was stored mask what a link shows", async () => {
  const { token } = await share();
  const rules = { keys: ["question"], patterns: [{ name: "order", expression: "shipped|Timeout|on its way" }] };
  const reader = { kind: "operator" } as const;
  await putMasking(database.query, { projectId: rig.projectId, reader, rules, by: "test", at: new Date() });
  const { body } = await open(token);
  expect(body).not.toMatch(/where\?|shipped|Timeout|on its way/);
  expect(body).toContain('"question":"[masked]"');
  await putMasking(database.query, { projectId: rig.projectId, reader, rules: { keys: [], patterns: [] }, by: "test", at: new Date() });
});

test("a link that is wrong, has expired, was ended or switched off, or whose trace is gone, is answered alike", async () => {
  const [expired, ended, off, gone] = [await share(), await share(), await share(), await share()];
  const wrong = await open("x".repeat(43));
  await database.pool.query("update observability.share_links set expires_at = now() where id = $1", [expired.id]);
  const deletion = await api.server.inject({
    method: "DELETE",
    url: `${base}/share-links/${ended.id}`,
    headers: { authorization: `Bearer ${OWNER}` },
  });
  expect(deletion.statusCode).toBe(204);
  const answers = [wrong, await open(expired.token), await open(ended.token)];
  await setSharing(false);
  answers.push(await open(off.token));
  await setSharing(true);
  expect((await open(off.token)).statusCode).toBe(200);
  await database.pool.query("delete from observability.traces where id = $1", [traceId]);
  answers.push(await open(gone.token));
  for (const { statusCode, body, headers } of answers) {
    expect([statusCode, body, headers["content-length"]]).toEqual([404, wrong.body, wrong.headers["content-length"]]);
  }
});

test("links are off until an owner switches them on, and who did what is told to the audit before it is done", async () => {
  await setSharing(false);
  expect((await api.post(`${base}/traces/${traceId}/share-links`, {}, OWNER)).body).toMatchObject({ error: "share_link_not_made" });
  expect((await api.patch(base, { is_sharing: true }, "tenant-1:member:ann")).status).toBe(403);
  await setSharing(true);
  await setSharing(true);
  const { id } = await share({ hours: 720 });
  expect((await api.post(`${base}/traces/${traceId}/share-links`, { hours: 721 }, OWNER)).status).toBe(400);
  const link = { project: rig.projectId, trace: traceId, link: id };
  expect(audited).toMatchObject([
    { event: "sharing_changed", details: { sharing: "off" }, by: { userId: "user-1", tenantId: "tenant-1" }, client: { ip: "127.0.0.1" } },
    { event: "sharing_changed", details: { sharing: "on" } },
    { event: "share_link_created", details: link },
  ]);
  const { body } = await api.get(`${base}/share-links`, OWNER);
  expect(body["items"]).toContainEqual(expect.objectContaining({ id, trace_id: traceId, created_by: "user-1" }));
  expect(JSON.stringify([body, audited])).not.toMatch(/token|sha256|\/shared\//);
});

test("no other route opens with a link's token, and it opens nothing but its trace", async () => {
  const { token } = await share({ shows: ["content", "state", "code"] });
  const crawled = api.routes.filter(({ url }) => url !== "/api/v1/shared");
  expect(crawled.length).toBeGreaterThan(100);
  for (const { method, url } of crawled) {
    const address = url
      .replace(":project_id", rig.projectId)
      .replaceAll(/:trace_id|\*/g, traceId)
      .replaceAll(/:\w+/g, uuidv7());
    const credentials = [{ authorization: `Bearer ${token}` }, { "x-api-key": token }, { cookie: `token=${token}` }];
    for (const headers of credentials) {
      const answer = await api.server.inject({ method, url: `${address}?token=${token}`, headers });
      const isOpen = answer.statusCode < 400;
      expect(isOpen && answer.body.includes("support-agent"), `${method} ${url}`).toBe(false);
      expect(isOpen && url.includes("project"), `${method} ${url}`).toBe(false);
    }
  }
  // Whatever looks like an id in what it shows leads nowhere either.
  expect((await open(traceId)).statusCode).toBe(404);
  expect((await open(rig.projectId)).statusCode).toBe(404);
});

test("an address that opens many links is told to wait, and others are not", async () => {
  const { token } = await share();
  const statuses = new Set<number>();
  for (let opened = 0; opened < 61; opened += 1) {
    statuses.add((await openFrom("198.51.100.1", opened === 0 ? token : "wrong")).statusCode);
  }
  expect([...statuses]).toEqual([200, 404, 429]);
  expect((await openFrom("198.51.100.2", token)).statusCode).toBe(200);
});
