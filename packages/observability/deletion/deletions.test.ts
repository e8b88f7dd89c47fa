import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deletionPageSchema, deletionSchema, tracePageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { carryOutDeletions } from "./carry-out-deletions.ts";
import { finishDeletions } from "./deletions.store.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;
let producer: Producer;

const LATER = new Date(Date.now() + 3_600_000);
const [OWNER, EDITOR] = ["tenant-1:admin", "tenant-1:member"];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  projectId = uuidv7();
  producer = createProducer(projectId);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("a user's traces", () => {
  test("go however many there are, with scores, once what was on its way is written; others stay", async () => {
    const many = Array.from({ length: 620 }, () => uuidv7());
    await writeEvents(
      database,
      many.map((id) => start(id, "ann")),
    );
    await writeEvents(database, [
      start(uuidv7(), "bob"),
      producer.event("score", { trace_id: many[0] ?? "", name: "good", value: 1, comment: "ann!" }),
    ]);
    const { id } = await ask("ann");
    await carryOut();
    expect(await find(id)).toMatchObject({ state: "deleting", traces: 620, scores: 1 });
    // One was still on the stream.
    await writeEvents(database, [start(uuidv7(), "ann")]);
    await carryOut(LATER);
    expect(await find(id)).toMatchObject({ state: "settling", traces: 621 });
    await finishDeletions(database.query);
    expect(await find(id)).toMatchObject({ state: "done", traces: 621, requested_by: "user-1" });
    expect((await found()).map(({ user_id: user }) => user)).toEqual(["bob"]);
    const { rows } = await database.pool.query("select user_id from observability.deletions where project_id = $1", [projectId]);
    expect(rows).toEqual([{ user_id: null }]);
  });

  test("are found where they went on with somebody else's, of which the rest stays", async () => {
    const [first, second] = [uuidv7(), uuidv7()];
    await writeEvents(database, [
      start(first, "ann", { thread_id: "t" }),
      end(first, { status: "interrupted", paused_at: "c-1" }),
      start(second, "bob", { thread_id: "t" }, 1),
      producer.event("trace.resume", { trace_id: second, resumed_from: "c-1", resumed_at: at(1) }),
      end(second, { status: "success", output: "what bob said" }, 1),
    ]);
    expect(await found()).toMatchObject([{ id: first, user_id: "ann", output: "what bob said" }]);
    await ask("bob");
    await carryOut(LATER);
    expect(await found()).toMatchObject([{ id: first, user_id: "ann", output: null }]);
  });

  test("are deleted once when two ask for it, and only by owners who can see the project", async () => {
    await writeEvents(database, [start(uuidv7(), "ann")]);
    const [one, two] = [await ask("ann"), await ask("ann")];
    expect(two.id).toBe(one.id);
    expect((await send("ann", EDITOR)).statusCode).toBe(403);
    expect((await send("ann", "tenant-2:admin")).statusCode).toBe(404);
    expect((await api.get(`/api/v1/projects/${projectId}/deletions`, EDITOR)).status).toBe(403);
    expect((await api.get(`/api/v1/projects/${projectId}/deletions/${uuidv7()}`, OWNER)).body).toMatchObject({
      error: "deletion_not_found",
    });
    const other = uuidv7();
    await insertProject(database.query, { id: other, tenantId: "tenant-1", name: "other" });
    expect((await api.get(`/api/v1/projects/${other}/deletions/${one.id}`, OWNER)).status).toBe(404);
  });
});

test("each deletion of traces is recorded: by whom, when and how many", async () => {
  const ids = [uuidv7(), uuidv7(), uuidv7()];
  await writeEvents(
    database,
    ids.map((id) => start(id, "ann")),
  );
  for (const some of [ids.slice(0, 2), ids.slice(2)]) {
    await api.post(`/api/v1/projects/${projectId}/traces/delete`, { trace_ids: some }, OWNER);
  }
  const page = async (more: string) =>
    deletionPageSchema.parse((await api.get(`/api/v1/projects/${projectId}/deletions?limit=1${more}`, OWNER)).body);
  const newest = await page("");
  expect(newest.items).toMatchObject([{ kind: "traces", traces: 1, requested_by: "user-1" }]);
  const oldest = await page(`&cursor=${newest.next_cursor}`);
  expect(oldest).toMatchObject({ items: [{ kind: "traces", traces: 2 }], next_cursor: null });
});

test("what comes later of a deleted trace, as of one that still ran, goes too", async () => {
  const id = uuidv7();
  await writeEvents(database, [start(id, "ann")]);
  await api.post(`/api/v1/projects/${projectId}/traces/delete`, { trace_ids: [id] }, OWNER);
  await writeEvents(database, [end(id, { status: "success", output: "late words" })]);
  expect(await found()).toHaveLength(1);
  await carryOut();
  expect(await found()).toEqual([]);
});

test("dead letters that name a deleted trace lose their text, and others of the project none", async () => {
  const [id, other] = [uuidv7(), uuidv7()];
  await writeEvents(database, [start(id, "ann"), start(other, "bob")]);
  for (const trace of [id, other]) {
    await setAside(trace, trace);
  }
  await api.post(`/api/v1/projects/${projectId}/traces/delete`, { trace_ids: [id] }, OWNER);
  await setAside(`${id} later`, id);
  await carryOut(LATER);
  const { rows } = await database.pool.query(
    "select state, entry like '%secret%' or reason = 'secret' as is_told from observability.dead_letters where project_id = $1 order by entry_id",
    [projectId],
  );
  expect(rows).toEqual([
    { state: "deleted", is_told: false },
    { state: "deleted", is_told: false },
    { state: "open", is_told: true },
  ]);
});

/** An entry of the trace that could not be written. */
async function setAside(name: string, traceId: string): Promise<void> {
  const entry = JSON.stringify(["project_id", projectId, "body", JSON.stringify({ trace_id: traceId.toUpperCase(), output: "secret" })]);
  await database.pool.query(
    "insert into observability.dead_letters (id, stream, entry_id, project_id, reason, entry) values (gen_random_uuid(), 's', $1, $2, 'secret', $3)",
    [name, projectId, entry],
  );
}

function start(traceId: string, user: string, more: object = {}, minute = 0) {
  return producer.event("trace.start", { trace_id: traceId, name: "chat", user_id: user, started_at: at(minute), ...more });
}

function end(traceId: string, body: { status: "success" | "interrupted"; output?: string; paused_at?: string }, minute = 0) {
  return producer.event("trace.end", { trace_id: traceId, ended_at: at(minute + 0.5), ...body });
}

function at(minute: number): string {
  return new Date(Date.UTC(2026, 10, 21, 10) + minute * 60_000).toISOString();
}

function send(user: string, token: string) {
  const url = `/api/v1/projects/${projectId}/users/${user}`;
  return api.server.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${token}` } });
}

async function ask(user: string) {
  const answer = await send(user, OWNER);
  expect(answer.statusCode).toBe(202);
  return deletionSchema.parse(answer.json());
}

async function carryOut(settledBefore = new Date(0)): Promise<void> {
  await carryOutDeletions({ each: eachOwnerUnderTest(), query: database.query, settledBefore, signal: new AbortController().signal });
}

async function find(id: string) {
  return (await api.get(`/api/v1/projects/${projectId}/deletions/${id}`, OWNER)).body;
}

async function found() {
  return tracePageSchema.parse((await api.get(`/api/v1/projects/${projectId}/traces`)).body).items;
}
