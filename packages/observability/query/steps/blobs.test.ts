import { createHash } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { traceSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let producer: Producer;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  producer = createProducer(await newProject("tenant-1"));
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("a value that refers to contents", () => {
  test("is shown whole, wherever the references stand, and whichever arrived first", async () => {
    const [message, document] = [{ role: "user", content: "where is my order?" }, ["a", { b: 1 }]];
    const input = {
      messages: [refer(message), { role: "system", content: "short" }, refer(message)],
      nested: { document: refer(document) },
    };
    const traceId = await traceWith(input);
    await writeEvents(database, [blob(message), blob(document)]);
    expect(await inputOf(traceId)).toEqual({
      messages: [message, { role: "system", content: "short" }, message],
      nested: { document },
    });
  });

  test("says which content is missing, and is no error", async () => {
    const traceId = await traceWith({ messages: [refer("never sent")] });
    expect(await inputOf(traceId)).toEqual({ messages: [{ $blob: hashOf("never sent"), missing: true }] });
  });

  test("can be a whole value, an attribute, and a tool's parameter or result", async () => {
    const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
    const [at, text] = ["2026-11-21T10:00:00Z", "long text"];
    await writeEvents(database, [
      blob(text),
      producer.event("observation.end", {
        ...ids,
        ended_at: at,
        duration_ms: 1,
        status: "success",
        attributes: { note: refer(text) },
        tool_entry: { tool_name: "t", parameters: { p: refer(text) }, result: refer(text), timestamp: at, status: "success" },
      }),
    ]);
    const trace = traceSchema.parse((await api.get(`/api/v1/traces/${ids.trace_id}`)).body);
    expect(trace.observation_list).toMatchObject([{ input: { p: text }, output: text, attributes: { note: text } }]);
  });

  test("takes nothing from another project, be it of the same tenant", async () => {
    const other = createProducer(await newProject("tenant-1"));
    await writeEvents(database, [other.event("blob", { sha256: hashOf("theirs"), content: "theirs" })]);
    expect(await inputOf(await traceWith(refer("theirs")))).toEqual({ $blob: hashOf("theirs"), missing: true });
  });

  test("keeps what only looks like a reference, an application's own key $blob, and references inside contents", async () => {
    const input = [
      { $blob: "short" },
      { $blob: hashOf("x"), more: 1 },
      { $blob: 1 },
      { $$blob: hashOf("x") },
      refer({ inner: refer("x") }),
    ];
    const traceId = await traceWith(input);
    await writeEvents(database, [blob({ inner: refer("x") }), blob("x")]);
    expect(await inputOf(traceId)).toEqual([...input.slice(0, 3), { $blob: hashOf("x") }, { inner: refer("x") }]);
  });

  test("is bounded however often one content is referred to", async () => {
    const text = "x".repeat(200_000);
    const traceId = await traceWith(Array.from({ length: 200 }, () => refer(text)));
    await writeEvents(database, [blob(text)]);
    const answer = await api.get(`/api/v1/traces/${traceId}`);
    expect(JSON.stringify(answer.body).length).toBeLessThan(20 * 1024 * 1024);
    expect(answer.body["input"]).toMatchObject({ 0: text, 199: { $blob: hashOf(text), truncated: true, characters: 200_002 } });
  });

  test("gives the beginning of a content that is too long to send", async () => {
    const text = "x".repeat(300_000);
    const traceId = await traceWith(refer(text));
    await writeEvents(database, [blob(text)]);
    expect(await inputOf(traceId)).toEqual({ truncated: true, characters: 300_002, preview: `"${"x".repeat(3_999)}` });
  });
});

test("of a trace with more values than an answer holds the first are given, and the rest told", async () => {
  const ids = { trace_id: uuidv7(), observation_id: uuidv7() };
  // Random, so that it is no smaller stored.
  const long = () => Array.from({ length: 3_000 }, () => uuidv7()).join("");
  await writeEvents(
    database,
    Array.from({ length: 200 }, (_, index) => producer.event("observation.update", { ...ids, attributes: { [`key-${index}`]: long() } })),
  );
  const answer = await api.get(`/api/v1/traces/${ids.trace_id}`);
  const attributes = traceSchema.parse(answer.body).observation_list[0]?.attributes;
  expect(JSON.stringify(answer.body).length).toBeLessThan(20 * 1024 * 1024);
  expect(attributes?.["key-0"]).toHaveLength(108_000);
  expect(attributes).toMatchObject({ truncated: true });
});

function hashOf(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

function refer(content: unknown): { readonly $blob: string } {
  return { $blob: hashOf(content) };
}

function blob(content: unknown) {
  return producer.event("blob", { sha256: hashOf(content), content });
}

async function newProject(tenantId: string): Promise<string> {
  const id = uuidv7();
  await insertProject(database.query, { id, tenantId, name: "support" });
  return id;
}

async function traceWith(input: unknown): Promise<string> {
  const traceId = uuidv7();
  await writeEvents(database, [
    producer.event("trace.start", { trace_id: traceId, name: "run", started_at: "2026-11-21T10:00:00Z", input }),
  ]);
  return traceId;
}

async function inputOf(traceId: string): Promise<unknown> {
  return (await api.get(`/api/v1/traces/${traceId}`)).body["input"];
}
