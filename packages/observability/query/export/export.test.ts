import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { exportEndSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { findEntry, type EntryRow } from "#query/list/list-traces.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createApiRig, tokensOver, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { requireRole } from "#query/access/project-route.ts";
import { exportTraces, exportPages } from "./export-traces.ts";

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

const operator = { kind: "operator" } as const;

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let address: string;
const projectId = uuidv7();
const [first, second, large] = [uuidv7(), uuidv7(), uuidv7()];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
  address = await api.server.listen({ host: "127.0.0.1", port: 0 });
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support" });
  const producer = createProducer(projectId);
  await writeEvents(database, [...agentRun(producer, first), ...agentRun(producer, second)]);
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

test("every trace, step and score is a line, and the last line says that it is whole", async () => {
  const lines = await exported("");
  expect(countsOf(lines)).toEqual({ trace: 2, observation: 6, score: 2, end: 1 });
  expect(exportEndSchema.parse(lines.at(-1))).toEqual({ type: "end", traces: 2, observations: 6, complete: true });
  const step = lines.find(({ name }) => name === "find_order");
  expect(step).toMatchObject({ kind: "tool", status: "failure", error: "TimeoutError", code: { file: "src/tools.ts", line: 12 } });
  expect(step).not.toHaveProperty("input");
});

test("with values it has inputs, outputs, reasoning and attributes", async () => {
  const lines = await exported("?include=values");
  expect(lines.find(({ id }) => id === first)).toMatchObject({ input: { question: "where?" }, output: { answer: "shipped" } });
  const named = (name: string) => lines.find((line) => line["name"] === name && line["trace_id"] === first);
  expect(named("find_order")).toMatchObject({ input: { order: 42 }, output: null });
  expect(named("answer")).toMatchObject({ output: "It was shipped.", reasoning: "The order is on its way" });
  expect(named("plan")).toMatchObject({ attributes: { a: 2, retries: 1, done: true } });
});

test("as CSV it is a table of the traces, in which no text is a formula", async () => {
  const producer = createProducer(projectId);
  const id = uuidv7();
  const [started, ended] = ["2026-11-20T10:00:00.000Z", "2026-11-20T10:00:01.000Z"];
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: id, name: '=HYPERLINK("x", 1)', started_at: started, tags: ["a", "b"], input: "two\nlines" }),
    producer.event("trace.end", { trace_id: id, ended_at: ended, status: "failure", error: "-boom, twice" }),
  ]);
  const answer = await api.server.inject({ url: `${url()}?format=csv&q=tag:a`, headers: { authorization: "Bearer tenant-1:member" } });
  expect(answer.headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": expect.stringMatching(/\.csv"$/),
  });
  const [head = "", row = "", rest] = answer.body.split("\r\n");
  expect(head).toMatch(/^id,name,status,started_at,ended_at,.*,tags,models,input,output,error,scores$/);
  expect(row.startsWith(`${id},"'=HYPERLINK(""x"", 1)",failure,${started},${ended},`)).toBe(true);
  expect(row.endsWith(`,"a, b",,two lines,,"'-boom, twice",`)).toBe(true);
  expect(rest).toBe("");
  await api.post(`/api/v1/projects/${projectId}/traces/delete`, { trace_ids: [id] }, "tenant-1:admin");
});

test("one trace, or those of a time, can be asked for", async () => {
  for (const query of [`?trace_id=${first}`, `?trace_ids=${first},${uuidv7()}`]) {
    expect(countsOf(await exported(query))).toEqual({ trace: 1, observation: 3, score: 1, end: 1 });
  }
  expect(countsOf(await exported("?from=2026-11-21T10:00:01Z"))).toEqual({ end: 1 });
  expect(countsOf(await exported("?to=2026-11-21T10:00:00Z"))).toEqual({ end: 1 });
  expect(countsOf(await exported("?from=2026-11-21T11:00:00%2B01:00&to=2026-11-21T10:00:01Z"))["trace"]).toBe(2);
});

test("the query of the list chooses traces", async () => {
  expect(countsOf(await exported("?q=status:success+name:support*"))["trace"]).toBe(2);
  expect(countsOf(await exported("?q=model:m-1-2026+-name:support*"))).toEqual({ end: 1 });
});

test.each([
  ["?q=colour:blue", 400, "invalid_query"],
  ["?from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z", 400, "invalid_request"],
  ["?from=yesterday", 400, "invalid_request"],
  [`?trace_id=${uuidv7()}`, 404, "trace_not_found"],
  ["?trace_ids=", 400, "invalid_request"],
])("%s is refused before anything is sent", async (query, status, error) => {
  expect(await api.get(`${url()}${query}`)).toMatchObject({ status, body: { error } });
});

test("nothing of another tenant's project is exported", async () => {
  expect((await api.get(url(), "tenant-2:admin")).status).toBe(404);
});

test("what fails on the way is said in the last line", async () => {
  const errors: unknown[] = [];
  async function* failing(): AsyncGenerator<readonly EntryRow[]> {
    yield [await traceRow(first)];
    throw new Error("the database went away");
  }
  const lines = linesOf(await textOf(exportTraces({ ...exporting(), pages: failing(), onError: (error) => errors.push(error) })));
  expect(lines.at(-1)).toMatchObject({ type: "end", traces: 1, observations: 3, complete: false });
  expect(errors).toHaveLength(1);
});

test("an export whose reader may not read on says that it is not whole, and why", async () => {
  const closed = uuidv7();
  await insertProject(database.query, { id: closed, tenantId: "tenant-1", name: "closed" });
  const producer = createProducer(closed);
  const ids = Array.from({ length: 60 }, () => uuidv7());
  await writeEvents(
    database,
    ids.flatMap((id) => agentRun(producer, id)),
  );
  const reader = { kind: "user", tenantId: "tenant-1", userId: "user-1", isAdmin: false } as const;
  const wanted = { reader, projectId: closed, terms: [], from: undefined, to: undefined, now: new Date() };
  async function* pages(): AsyncGenerator<readonly EntryRow[]> {
    for await (const page of exportPages(database.query, wanted)) {
      await database.query.updateTable("observability.projects").set({ access: "members" }).where("id", "=", closed).execute();
      yield page;
    }
  }
  const check = () => requireRole(database.query, { id: closed, reader, role: "viewer" });
  const lines = linesOf(
    await textOf(exportTraces({ ...exporting(), projectId: closed, reader, pages: pages(), check, onError: () => undefined })),
  );
  expect(lines.at(-1)).toEqual({
    type: "end",
    traces: 50,
    observations: 0,
    complete: false,
    message: "The export ended early. There is no project of that id; GET /api/v1/projects lists yours.",
  });
});

test("who reads slowly holds up the reading from the database, and who goes away ends it", async () => {
  await seedLarge(large, 5_000);
  const pages = [[await traceRow(large)]];
  let batches = 0;
  const query = database.query.withPlugin({
    transformQuery: ({ node }) => {
      batches += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const all = countsOf(linesOf(await textOf(exportTraces({ ...exporting(), query, withValues: true, pages, onError: fail }))));
  expect(all["observation"]).toBe(5_000);
  const needed = batches;
  batches = 0;
  const lines = exportTraces({ ...exporting(), query, withValues: true, pages, onError: fail });
  const stream = Readable.from(lines, { objectMode: true, highWaterMark: 2 });
  await once(stream, "readable");
  stream.read();
  await vi.waitFor(() => expect(stream.readableLength).toBeGreaterThanOrEqual(2));
  expect(batches).toBeLessThan(needed / 4);
  stream.destroy();
  await once(stream, "close");
  expect(await lines.next()).toEqual({ done: true, value: undefined });
});

test("a client that goes away is noticed by the server", async () => {
  const answer = await opened(`${url()}?include=values`, "tenant-1:member");
  await once(answer, "readable");
  answer.read();
  expect(await running()).toBe("1");
  answer.destroy();
  await vi.waitFor(async () => expect(await running()).toBe("0"), { timeout: 10_000 });
});

test("an access token that runs out on the way ends nothing, one that is ended does", { timeout: 180_000 }, async () => {
  const token = "tenant-1:member:leaving";
  const left = async (over: Set<string>) => {
    // So much that the server cannot have sent all of it before it is read.
    const open = await opened(`${url()}?include=values`, token);
    over.add(token);
    const lines = linesOf(await textOf(open.setEncoding("utf8")));
    over.delete(token);
    return lines.at(-1);
  };
  expect(await left(tokensOver.expired)).toMatchObject({ type: "end", traces: 3, complete: true });
  expect(await left(tokensOver.ended)).toMatchObject({ type: "end", complete: false, message: expect.stringContaining("Log in again") });
});

test("a few exports at once are one person's, and their end makes room", async () => {
  const token = "tenant-1:member:many";
  const open = [await opened(`${url()}?include=values`, token), await opened(`${url()}?include=values`, token)];
  open.push(await opened(`${url()}?include=values`, token));
  expect(await api.get(url(), token)).toMatchObject({ status: 429, body: { error: "too_many_exports" } });
  expect((await api.server.inject({ url: url(), headers: { authorization: "Bearer tenant-1:member:other" } })).statusCode).toBe(200);
  open[0]?.destroy();
  await vi.waitFor(
    async () => {
      const again = await api.server.inject({ url: `${url()}?trace_id=${first}`, headers: { authorization: `Bearer ${token}` } });
      expect(again.statusCode).toBe(200);
    },
    { timeout: 20_000 },
  );
  open.forEach((each) => each.destroy());
});

/** The answer with its headers; of its body no more is taken than the network takes by itself. */
async function opened(path: string, token: string): Promise<IncomingMessage> {
  return new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } }, resolve)
      .on("error", reject)
      .end();
  });
}

function url(): string {
  return `/api/v1/projects/${projectId}/export`;
}

function exporting() {
  return { query: database.query, reader: operator, projectId, withValues: false, check: async () => undefined };
}

function fail(error: unknown): never {
  throw error;
}

async function exported(query: string): Promise<readonly Line[]> {
  const answer = await api.server.inject({ url: `${url()}${query}`, headers: { authorization: "Bearer tenant-1:member" } });
  expect(answer.headers["content-type"]).toBe("application/jsonl; charset=utf-8");
  return linesOf(answer.body);
}

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) {
    text += line;
  }
  return text;
}

function linesOf(text: string): readonly Line[] {
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

function countsOf(lines: readonly Line[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(lines, ({ type }) => type)].map(([type, of]) => [type, of.length]));
}

async function running(): Promise<string | undefined> {
  const { body } = await api.server.inject({ url: "/metrics" });
  return /^studio_exports_running\{.*\} (\d+)$/m.exec(body)?.[1];
}

async function traceRow(traceId: string): Promise<EntryRow> {
  const row = await findEntry(database.query, { reader: operator, projectId, id: traceId });
  if (row === undefined) {
    throw new Error(`there is no trace ${traceId}`);
  }
  return row;
}

/** With an output of 4,000 characters each: some twenty megabytes. */
/** More than the network takes by itself, which may be 37 MB where the machine has much memory. */
async function seedLarge(traceId: string, steps: number): Promise<void> {
  await writeEvents(database, [
    createProducer(projectId).event("trace.start", { trace_id: traceId, name: "large", started_at: "2026-11-21T10:00:00Z" }),
  ]);
  const day = "(select day from observability.traces where id = $2::uuid)";
  await database.pool.query(
    `insert into observability.observations (project_id, trace_id, id, seen_at, end_event, end_producer, end_seq, kind, name, end_status, day)
     select $1::uuid, $2::uuid, md5('step' || step)::uuid, now(), md5('event' || step)::uuid, $1::uuid, step, 'span', 'step', 'success', ${day}
     from generate_series(1, $3::int) as step`,
    [projectId, traceId, steps],
  );
  await database.pool.query(
    `insert into observability.payloads (project_id, trace_id, event_id, owner_id, part, seq, value, day)
     select $1::uuid, $2::uuid, md5('event' || step)::uuid, md5('step' || step)::uuid, 'end', step, to_json(repeat('x', 9000)), ${day}
     from generate_series(1, $3::int) as step`,
    [projectId, traceId, steps],
  );
}
