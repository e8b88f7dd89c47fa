import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { openLive, type LiveClient } from "#testing/live-client.ts";
import { LIVE_TUNING, type LiveTuning } from "./live-hub.ts";
import { openLiveStream } from "./live-stream.ts";

/** Machines that run tests are busy. */
const patient = { timeout: 20_000 };
/** Never in the life of a test, so that what is seen came by a message. */
const NEVER = { pollMs: 1e9, pollAloneMs: 1e9 };

let database: TestDatabase<ObservabilitySchema>;
let rig: ConsumerRig;
let redisUser: URL;
const apis: ApiRig[] = [];
const clients: LiveClient[] = [];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createConsumerRig(database);
  redisUser = new URL(rig.redis.url);
  [redisUser.username, redisUser.password] = [`mute-${uuidv7()}`, uuidv7()];
  await rig.redis.client.call("ACL", "SETUSER", redisUser.username, "on", `>${redisUser.password}`, "~*", "resetchannels", "+@all");
});
afterEach(async () => {
  clients.splice(0).forEach((client) => client.close());
  await Promise.all(apis.splice(0).map((api) => api.close()));
});
afterAll(async () => {
  await rig.redis.client.call("ACL", "DELUSER", redisUser.username);
  await rig.close();
  await database.drop();
});

test("what one consumer commits is told on the streams of every replica, to those who watch its project or the trace", async () => {
  const [first, second] = [await replica(NEVER), await replica(NEVER)];
  const [traceId, other, another] = [uuidv7(), uuidv7(), await project("tenant-1")];
  const { consumer } = await rig.start();
  await rig.publish([...agentRun(createProducer(rig.projectId), traceId), ...agentRun(createProducer(rig.projectId), other)]);
  await expect.poll(() => statusOf(first, other), patient).toBe(200);
  const watching = [await watch(first), await watch(second), await watch(second, `?trace_id=${traceId}`)];
  const elsewhere = [await watch(first, `?trace_id=${other}`), await watch(second, "", another)];
  expect(watching[0]?.headers).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  await expect.poll(() => elsewhere[0]?.traces.length, patient).toBe(1);
  await rig.publish([scoreOf(traceId)]);
  for (const client of watching) {
    await expect.poll(() => client.traces.at(-1)?.trace_ids, patient).toEqual([traceId]);
    expect(client.names.slice(0, 2)).toEqual(["retry", "ready"]);
    expect(client.traces.map(({ revision }) => revision)).toEqual(client.traces.map((_, index) => index + 1));
  }
  expect(elsewhere.map(({ traces }) => traces.length)).toEqual([1, 0]);
  await consumer.stop();
});

test("a trace that is resumed by a run of its own is told to those who watch it", async () => {
  const api = await replica(NEVER);
  const { consumer } = await rig.start();
  const [producer, traceId, again, thread] = [createProducer(rig.projectId), uuidv7(), uuidv7(), uuidv7()];
  const at = "2026-11-21T10:00:00.000Z";
  const later = "2026-11-21T10:01:00.000Z";
  await rig.publish([
    producer.event("trace.start", { trace_id: traceId, name: "asks", started_at: at, thread_id: thread }),
    producer.event("trace.end", { trace_id: traceId, ended_at: at, status: "interrupted", paused_at: `at ${thread}` }),
  ]);
  await expect.poll(() => statusOf(api, traceId), patient).toBe(200);
  const client = await watch(api, `?trace_id=${traceId}`);
  await expect.poll(() => client.traces.length, patient).toBe(1);
  // Batches are committed in any order; the part joins with the second of them.
  const start = producer.event("trace.start", { trace_id: again, name: "asks", started_at: later, thread_id: thread });
  await rig.publish([producer.event("trace.resume", { trace_id: again, resumed_at: later, resumed_from: `at ${thread}` })]);
  await expect.poll(() => rig.redis.client.xlen(rig.stream), patient).toBe(0);
  await rig.publish([start]);
  await expect.poll(() => client.traces.length, patient).toBe(2);
  // Now the part is known by its own id.
  await rig.publish([producer.event("trace.end", { trace_id: again, ended_at: later, status: "success" })]);
  await expect.poll(() => client.traces.length, patient).toBe(3);
  expect(client.traces.map(({ trace_ids: ids }) => ids)).toEqual([[traceId], [traceId], [traceId]]);
  await consumer.stop();
});

test("a Redis that lets nobody publish or subscribe stops no event, and changes are found in the database", async () => {
  const [told, alone] = [await replica({ pollMs: 200 }), await replica({ pollAloneMs: 200 }, redisUser.href)];
  const { consumer, metric } = await rig.start({ config: { OBSERVABILITY_REDIS_URL: redisUser.href } });
  const [traceId, untouched] = [uuidv7(), uuidv7()];
  await rig.publish([...agentRun(createProducer(rig.projectId), traceId), ...agentRun(createProducer(rig.projectId), untouched)]);
  await expect.poll(() => metric("studio_events_processed_total"), patient).toBe(20);
  expect(await rig.redis.client.xlen(rig.stream)).toBe(0);
  const byTrace = await watch(alone, `?trace_id=${traceId}`);
  const byOther = await watch(alone, `?trace_id=${untouched}`);
  const byProject = [await watch(told), await watch(alone)];
  for (const client of [byTrace, byOther, ...byProject]) {
    await expect.poll(() => client.traces.length, patient).toBeGreaterThan(0);
  }
  const before = [byTrace, ...byProject].map(({ traces }) => traces.length);
  await rig.publish([
    createProducer(rig.projectId).event("trace.end", { trace_id: traceId, ended_at: new Date().toISOString(), status: "failure" }),
  ]);
  for (const [index, client] of [byTrace, ...byProject].entries()) {
    await expect.poll(() => client.traces.length, patient).toBeGreaterThan(before[index] ?? 0);
  }
  expect(byTrace.traces.at(-1)?.trace_ids).toEqual([traceId]);
  expect(byProject.map(({ traces }) => traces.at(-1))).toMatchObject([
    { trace_ids: [], truncated: true },
    { trace_ids: [], truncated: true },
  ]);
  expect(byOther.traces).toHaveLength(1);
  await consumer.stop();
});

test("a project of others has no stream, nor has a trace that is not in it", async () => {
  const api = await replica();
  const [theirs, closed] = [await project("tenant-2"), await project("tenant-1")];
  for (const [projectId, query, token, code] of [
    [theirs, "", "tenant-1:admin", "project_not_found"],
    [closed, "", "tenant-1:member:ann", "project_not_found"],
    [rig.projectId, `?trace_id=${uuidv7()}`, "tenant-1:admin", "trace_not_found"],
  ] as const) {
    const { status, body } = await api.get(`/api/v1/projects/${projectId}/live${query}`, token);
    expect([status, body["error"]]).toEqual([404, code]);
  }
  expect((await api.get(`/api/v1/projects/${rig.projectId}/live`, "nobody")).status).toBe(401);
});

test("who is a member no more is told so, and the stream ends; others go on, and are kept alive by comments", async () => {
  const api = await replica({ checkMs: 100, beatMs: 100 });
  const projectId = await project("tenant-1");
  const member = "insert into observability.project_members (project_id, user_id, role, added_by) values ($1, $2, 'viewer', 'test')";
  await database.pool.query(member, [projectId, "ann"]);
  await database.pool.query(member, [projectId, "bob"]);
  const [ann, bob] = [await watch(api, "", projectId, "tenant-1:member:ann"), await watch(api, "", projectId, "tenant-1:member:bob")];
  await database.pool.query("delete from observability.project_members where project_id = $1 and user_id = 'ann'", [projectId]);
  await expect.poll(() => ann.isEnded(), patient).toBe(true);
  expect(ann.names.at(-1)).toBe("refused");
  expect(ann.last()).toMatchObject({ error: "project_not_found" });
  await expect.poll(() => bob.names, patient).toContain("comment");
  expect(bob.isEnded()).toBe(false);
});

test("one user has so many streams and no more; those that were closed make room", async () => {
  const api = await replica({ streamsOfOne: 2 });
  const address = await api.server.listen({ host: "127.0.0.1", port: 0 });
  const closing = new AbortController();
  const open = (signal?: AbortSignal) =>
    fetch(`${address}/api/v1/projects/${rig.projectId}/live`, {
      headers: { authorization: "Bearer tenant-1:admin" },
      ...(signal === undefined ? {} : { signal }),
    });
  const first = [await open(closing.signal), await open()];
  expect(first.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await open();
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: "too_many_streams" }]);
  closing.abort();
  await expect.poll(async () => (await open()).status, patient).toBe(200);
});

test("a server that stops ends its streams at once", async () => {
  const api = await replica();
  const client = await watch(api);
  await apis.pop()?.close();
  await expect.poll(() => client.isEnded(), patient).toBe(true);
  expect(client.names).toEqual(["retry", "ready"]);
});

test("a client that does not read is told later, of everything at once", async () => {
  const live = openLiveStream({ ...LIVE_TUNING, everyMs: 1, backlogBytes: 1_000 });
  const ids = Array.from({ length: 600 }, () => uuidv7());
  live.notify(ids.slice(0, 100));
  await expect.poll(() => live.stream.readableLength).toBeGreaterThan(1_000);
  const held = live.stream.readableLength;
  live.notify(ids);
  live.notify(undefined);
  live.beat();
  expect(live.stream.readableLength).toBe(held);
  const chunks: string[] = [];
  live.stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  await expect.poll(() => chunks.join("").match(/event: traces/g) ?? []).toHaveLength(2);
  const [, data = ""] = /data: (\{.*"revision":2\})/.exec(chunks.join("")) ?? [];
  const told = JSON.parse(data) as { trace_ids: string[]; truncated: boolean };
  expect([told.trace_ids.length, told.truncated]).toEqual([500, true]);
  live.end();
});

test("a client that never reads is dropped", async () => {
  const live = openLiveStream({ ...LIVE_TUNING, everyMs: 1, backlogBytes: 1_000, stuckMs: 0 });
  live.notify(Array.from({ length: 100 }, () => uuidv7()));
  await expect.poll(() => live.stream.readableLength).toBeGreaterThan(1_000);
  await expect
    .poll(() => {
      live.beat();
      return live.stream.destroyed;
    })
    .toBe(true);
});

async function replica(live: Partial<LiveTuning> = {}, redisUrl = rig.redis.url): Promise<ApiRig> {
  const api = await createApiRig({ database, redisUrl, stream: rig.stream, heartbeatKey: rig.heartbeatKey, live });
  apis.push(api);
  return api;
}

async function watch(api: ApiRig, query = "", projectId = rig.projectId, token = "tenant-1:admin"): Promise<LiveClient> {
  const client = await openLive(api, `/api/v1/projects/${projectId}/live${query}`, token);
  clients.push(client);
  return client;
}

async function project(tenantId: string): Promise<string> {
  const id = uuidv7();
  await database.pool.query("insert into observability.projects (id, tenant_id, name, access) values ($1, $2, 'p', 'members')", [
    id,
    tenantId,
  ]);
  return id;
}

async function statusOf(api: ApiRig, traceId: string): Promise<number> {
  return (await api.get(`/api/v1/projects/${rig.projectId}/traces/${traceId}/steps`, "tenant-1:admin")).status;
}

function scoreOf(traceId: string) {
  return createProducer(rig.projectId).event("score", { trace_id: traceId, name: "helpful", value: 1 });
}
