import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deadLetterPageSchema, deadLetterSchema, detailedHealthSchema, gapPageSchema, type DeadLetter } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { settleGaps } from "#ingest/gaps.store.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, fieldsOf } from "#testing/agent-run.ts";
import { API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { clearTables } from "#testing/consumer-rig.ts";
import { createTcpProxy, type TcpProxy } from "@sightline/foundation/testing/tcp-proxy";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let redisProxy: TcpProxy;
let api: ApiRig;
let stream: string;
let mine: string;
let theirs: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  redisProxy = await createTcpProxy(redis.url);
  stream = `${redis.prefix}events`;
  api = await createApiRig({ database, redisUrl: redisProxy.url, stream, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  await clearTables(database);
  await redis.client.del(stream);
  [mine, theirs] = [uuidv7(), uuidv7()];
  await insertProject(database.query, { id: mine, tenantId: "tenant-1", name: "mine" });
  await insertProject(database.query, { id: theirs, tenantId: "tenant-2", name: "theirs" });
});
afterAll(async () => {
  await api.close();
  await redisProxy.close();
  await redis.client.del(stream);
  await redis.close();
  await database.drop();
});

const ADMIN = "tenant-1:admin";

describe("an admin of the project's tenant", () => {
  test("looks at a dead letter and replays it as it arrived", async () => {
    const { id, fields } = await setAside(mine);
    expect(await call("GET", id)).toMatchObject({
      status: 200,
      letter: { id, state: "open", is_whole: true, entry: JSON.stringify(fields) },
    });
    const replayed = await call("POST", `${id}/replay`);
    expect(replayed).toMatchObject({ status: 200, letter: { state: "replayed", replayed_by: "user-1", replayed_at: expect.any(String) } });
    expect(await published()).toEqual([fields]);
    expect(await stateIds("open")).toEqual([]);
    expect(await stateIds("replayed")).toEqual([id]);
  });

  test("can't replay twice, nor what was deleted", async () => {
    const [first, second] = [await setAside(mine), await setAside(mine)];
    await call("POST", `${first.id}/replay`);
    expect(await call("POST", `${first.id}/replay`)).toMatchObject({ status: 409, body: { error: "dead_letter_not_open" } });
    await call("DELETE", second.id);
    expect(await call("POST", `${second.id}/replay`)).toMatchObject({ status: 409, body: { error: "dead_letter_not_open" } });
    expect(await published()).toHaveLength(1);
  });

  test("deletes what was set aside; that it was, and who deleted it, stays", async () => {
    const { id } = await setAside(mine);
    expect(await call("DELETE", id)).toMatchObject({
      status: 200,
      letter: { state: "deleted", deleted_by: "user-1", entry: "[]", reason: "because" },
    });
    const again = await call("DELETE", id, API_KEY);
    expect(again.letter).toMatchObject({ state: "deleted", deleted_by: "user-1" });
    expect(await stateIds("deleted")).toEqual([id]);
  });

  test("finds neither another tenant's dead letters nor those of no project, whatever is done to them", async () => {
    for (const { id } of [await setAside(theirs), await setAside(uuidv7()), await setAside(null)]) {
      const asked = [call("GET", id), call("POST", `${id}/replay`), call("DELETE", id)];
      for (const answer of await Promise.all(asked)) {
        expect(answer).toMatchObject({ status: 404, body: { error: "dead_letter_not_found" } });
      }
      expect(await call("GET", id, API_KEY)).toMatchObject({ status: 200, letter: { state: "open" } });
    }
    expect(await published()).toEqual([]);
  });

  test("can't replay an entry that names another project than the one by which it is the tenant's", async () => {
    const { id } = await setAside(mine, fieldsOf(createProducer(theirs).event("producer.bye", { last_seq: 1 })));
    expect(await call("POST", `${id}/replay`)).toMatchObject({ status: 404 });
    expect(await published()).toEqual([]);
  });
});

test("who is no owner of its project may do none of it", async () => {
  const { id } = await setAside(mine);
  const asked = [call("GET", id, "tenant-1:member"), call("POST", `${id}/replay`, "tenant-1:member")];
  for (const answer of await Promise.all([...asked, call("DELETE", id, "tenant-1:member")])) {
    expect(answer).toMatchObject({ status: 403, body: { error: "role_missing" } });
  }
});

test("of an entry that was cut nothing is replayed", async () => {
  const { id } = await setAside(mine);
  await database.query.updateTable("observability.dead_letters").set({ is_whole: false }).execute();
  expect(await call("POST", `${id}/replay`)).toMatchObject({ status: 409, body: { error: "dead_letter_cut" } });
  expect(await published()).toEqual([]);
});

test("two admins who replay one dead letter at once put the same event on the stream, and one of them is noted", async () => {
  const { id, fields } = await setAside(mine);
  const answers = await Promise.all([call("POST", `${id}/replay`), call("POST", `${id}/replay`), call("POST", `${id}/replay`)]);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  expect(new Set((await published()).map((entry) => entry.join()))).toEqual(new Set([fields.join()]));
});

test("with Redis away a replay is refused with 503, and the dead letter stays open", async () => {
  const { id } = await setAside(mine);
  await redisProxy.cut();
  expect(await call("POST", `${id}/replay`)).toMatchObject({ status: 503, body: { error: "stream_unavailable" } });
  await redisProxy.mend();
  expect(await call("GET", id)).toMatchObject({ letter: { state: "open" } });
});

describe("gaps", () => {
  test("are listed newest first with the producer that had them, by page, to the tenant they belong to", async () => {
    const producers = [await loseEvents(mine), await loseEvents(theirs), await loseEvents(mine)];
    const page = gapPageSchema.parse((await api.get("/api/v1/gaps?limit=1", ADMIN)).body);
    const rest = gapPageSchema.parse((await api.get(`/api/v1/gaps?limit=5&cursor=${page.next_cursor}`, ADMIN)).body);
    expect([...page.items, ...rest.items].map((gap) => gap.producer_id)).toEqual([producers[2], producers[0]]);
    expect(page.items[0]).toMatchObject({
      project_id: mine,
      first_seq: 2,
      last_seq: 4,
      events: 3,
      producer: { sdk: "test", runtime: "node", host: "h", pid: 1 },
    });
    expect(gapPageSchema.parse((await api.get("/api/v1/gaps", API_KEY)).body).items).toHaveLength(3);
    expect(gapPageSchema.parse((await api.get(`/api/v1/gaps?project_id=${theirs}`, ADMIN)).body).items).toEqual([]);
  });

  test("that were found at one moment follow each other by their numbers, over pages too", async () => {
    await loseEvents(mine, [3, 5, 8, 9, 12, 20, 31]);
    const numbers: number[] = [];
    let cursor = "";
    do {
      const answer = await api.get(`/api/v1/projects/${mine}/gaps?limit=2${cursor}`);
      const { items, next_cursor: next } = gapPageSchema.parse(answer.body);
      numbers.push(...items.map((gap) => gap.first_seq));
      cursor = next === null ? "" : `&cursor=${next}`;
    } while (cursor !== "");
    expect(numbers).toEqual([21, 13, 10, 6, 4, 2]);
  });

  test("of a project are shown to its members, another tenant's project is not found", async () => {
    const producer = await loseEvents(mine);
    const { items } = gapPageSchema.parse((await api.get(`/api/v1/projects/${mine}/gaps`)).body);
    expect(items.map((gap) => gap.producer_id)).toEqual([producer]);
    expect((await api.get(`/api/v1/projects/${theirs}/gaps`)).status).toBe(404);
  });
});

test("GET /health/detailed warns of what was lost or set aside, and is healthy as before", async () => {
  expect(await warnings()).toBeUndefined();
  const { id } = await setAside(mine);
  expect(await warnings()).toEqual([expect.stringContaining("/api/v1/dead-letters")]);
  await call("DELETE", id);
  await loseEvents(mine);
  expect(await warnings()).toEqual([expect.stringContaining("/api/v1/gaps")]);
});

async function warnings(): Promise<readonly string[] | undefined> {
  return detailedHealthSchema.parse((await api.get("/health/detailed", "")).body).components.consumer.warnings;
}

async function setAside(projectId: string | null, given?: readonly string[]): Promise<{ id: string; fields: readonly string[] }> {
  const event = createProducer(projectId ?? uuidv7()).event("trace.start", JSON.parse(bodyOf("set aside")));
  const fields = given ?? fieldsOf(event);
  const id = uuidv7();
  const row = { id, stream, entry_id: `${Date.now()}-${id}`, project_id: projectId, reason: "because", entry: JSON.stringify(fields) };
  await database.query.insertInto("observability.dead_letters").values(row).execute();
  return { id, fields };
}

/** A producer whose numbers 2 to 4 never come. */
/** All up to the last that arrives, but its hello and those. */
async function loseEvents(projectId: string, arrived: readonly number[] = [5]): Promise<string> {
  const producer = createProducer(projectId);
  const hello = producer.event("producer.hello", { sdk: "test", runtime: "node", host: "h", pid: 1 });
  const last = Math.max(...arrived);
  const later = Array.from({ length: last - 1 }, () => producer.event("producer.heartbeat", { last_seq: last }));
  await writeEvents(database, [hello, ...later.filter((_, index) => arrived.includes(index + 2))]);
  await settleGaps(database.query, { each: eachOwnerUnderTest(), windowMs: 0, now: new Date() });
  await settleGaps(database.query, { each: eachOwnerUnderTest(), windowMs: 0, now: new Date() });
  return producer.producerId;
}

function bodyOf(name: string): string {
  return JSON.stringify({ trace_id: uuidv7(), name, started_at: "2026-11-21T10:00:00.000Z" });
}

type Answer = { readonly status: number; readonly body: Record<string, unknown>; readonly letter: DeadLetter | undefined };

async function call(method: "GET" | "POST" | "DELETE", path: string, token = ADMIN): Promise<Answer> {
  const answer = await api.server.inject({
    method,
    url: `/api/v1/dead-letters/${path}`,
    headers: { authorization: `Bearer ${token}` },
  });
  const body = answer.json<Record<string, unknown>>();
  return { status: answer.statusCode, body, letter: deadLetterSchema.safeParse(body).data };
}

async function stateIds(state: string): Promise<readonly string[]> {
  const { body } = await api.get(`/api/v1/dead-letters?state=${state}`, ADMIN);
  return deadLetterPageSchema.parse(body).items.map(({ id }) => id);
}

async function published(): Promise<readonly (readonly string[])[]> {
  return (await redis.client.xrange(stream, "-", "+")).map(([, fields]) => fields);
}
