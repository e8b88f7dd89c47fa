import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { transcriptPageSchema, type TranscriptPage } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import type { StreamEvent } from "#events/event.ts";
import { createProducer, type Producer } from "#testing/agent-run.ts";
import { createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let projectId: string;
let producer: Producer;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  projectId = uuidv7();
  producer = createProducer(projectId);
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "support", access: "members" });
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

const SYSTEM = { role: "system", content: "Be brief. ".repeat(40) };

test("a conversation of several calls is said once, with its tools, models, tokens and reasoning", async () => {
  const traceId = uuidv7();
  const asked = { role: "user", content: "Where is order 42?" };
  const calling = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", function: { name: "find_order", arguments: '{"order":42}' } }],
  };
  const told = { role: "tool", tool_call_id: "c", content: '{"state":"shipped"}' };
  await writeEvents(database, [
    ...trace(traceId),
    ...model(traceId, { input: [SYSTEM, asked], output: calling }),
    ...tool(traceId, { order: 42 }, { state: "shipped" }),
    ...model(traceId, {
      input: [SYSTEM, asked, calling, told],
      output: { role: "assistant", content: "It was shipped." },
      reasoning: "Easy.",
    }),
  ]);
  const { items, next_cursor: next } = await read(traceId);
  expect(next).toBeNull();
  expect(items).toMatchObject([
    {
      kind: "llm",
      model: "m-1-2026",
      input_tokens: 120,
      output_tokens: 8,
      duration_ms: 900,
      repeated: 0,
      messages: [
        { side: "input", role: "system" },
        { side: "input", role: "user", parts: [{ type: "text", text: "Where is order 42?", characters: 18 }] },
        {
          side: "output",
          role: "assistant",
          parts: [{ type: "tool_call", name: "find_order", call_id: "c", text: '{\n  "order": 42\n}' }],
        },
      ],
    },
    { kind: "tool", name: "find_order", messages: [{ role: "assistant" }, { role: "tool", parts: [{ type: "tool_result" }] }] },
    {
      kind: "llm",
      repeated: 4,
      messages: [
        {
          side: "output",
          role: "assistant",
          parts: [
            { type: "reasoning", text: "Easy." },
            { type: "text", text: "It was shipped." },
          ],
        },
      ],
    },
  ]);
});

test("pages are in order, each step once, and the history of the page before is none of the next one's news", async () => {
  const traceId = uuidv7();
  const messages: object[] = [SYSTEM];
  const events: StreamEvent[] = [...trace(traceId)];
  for (let round = 0; round < 7; round += 1) {
    messages.push({ role: "user", content: `question ${round}` });
    events.push(...model(traceId, { input: [...messages], output: { role: "assistant", content: `answer ${round}` } }));
    messages.push({ role: "assistant", content: `answer ${round}` });
  }
  await writeEvents(database, events);
  const said: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: TranscriptPage = await read(traceId, `limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(page.items.length).toBeLessThanOrEqual(3);
    said.push(...page.items.flatMap((item) => item.messages.flatMap(({ parts }) => parts.map(({ text }) => text))));
    cursor = page.next_cursor;
  }
  expect(said.slice(1)).toEqual(Array.from({ length: 7 }, (_, round) => [`question ${round}`, `answer ${round}`]).flat());
});

test("messages that travel by their hash are words again, and those that never came are told as missing", async () => {
  const traceId = uuidv7();
  const content = { role: "user", content: "a long question ".repeat(30) };
  const sha256 = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  await writeEvents(database, [
    ...trace(traceId),
    producer.event("blob", { sha256, content }),
    ...model(traceId, { input: [{ $blob: sha256 }, { $blob: "a".repeat(64) }], output: "Cats." }),
  ]);
  const { items } = await read(traceId);
  expect(items[0]?.messages).toMatchObject([
    { role: "user", parts: [{ text: content.content }] },
    { parts: [{ type: "other", text: expect.stringContaining("missing") }] },
    { role: "assistant", parts: [{ text: "Cats." }] },
  ]);
});

test("what is too long is cut and says how long it was; no answer is long", async () => {
  const traceId = uuidv7();
  const long = "😀".repeat(450_000);
  const calls = Array.from({ length: 20 }, (_, call) =>
    model(traceId, {
      input: Array.from({ length: 400 }, (_unused, index) => ({ role: "user", content: `${call} ${index} ${"x".repeat(2_000)}` })),
      output: { role: "assistant", content: call === 0 ? long : `${call}` },
    }),
  );
  const huge = model(traceId, { input: [{ role: "user", content: "y".repeat(3_000_000) }], output: "Done." });
  await writeEvents(database, [...trace(traceId), ...calls.flat(), ...huge]);
  const answer = await api.server.inject({ url: address(traceId, "limit=50"), headers: { authorization: "Bearer tenant-1:admin" } });
  expect(answer.statusCode).toBe(200);
  expect(answer.body.length).toBeLessThan(4_000_000);
  const { items } = transcriptPageSchema.parse(answer.json());
  expect(items).toHaveLength(21);
  const [cut] = items[0]?.messages.at(-1)?.parts ?? [];
  expect(cut).toMatchObject({ text: "😀".repeat(10_000), characters: long.length });
  expect(items[0]?.left_out).toBe(201);
  const [beginning] = items[20]?.messages[0]?.parts ?? [];
  expect(beginning?.characters).toBeGreaterThan(3_000_000);
});

test("a call whose prompt was not captured, that failed or still runs, is an entry without words", async () => {
  const traceId = uuidv7();
  const [failed, running] = [uuidv7(), uuidv7()];
  const start = { trace_id: traceId, parent_id: null, kind: "llm" as const, name: "chat", started_at: "2026-11-21T10:00:01Z" };
  await writeEvents(database, [
    ...trace(traceId),
    producer.event("observation.start", { ...start, observation_id: failed }),
    producer.event("observation.end", {
      trace_id: traceId,
      observation_id: failed,
      ended_at: "2026-11-21T10:00:02Z",
      duration_ms: 5,
      status: "failure",
      error: "overloaded",
    }),
    producer.event("observation.start", { ...start, observation_id: running }),
  ]);
  expect((await read(traceId)).items).toMatchObject([
    { observation_id: failed, status: "failure", error: "overloaded", messages: [], repeated: 0 },
    { observation_id: running, status: "running", messages: [] },
  ]);
});

test("a tool's answer is read out of the message of LangChain that an instrumentation wraps once more", async () => {
  const traceId = uuidv7();
  const kwargs = { content: "rain in Vienna", name: "find_order", tool_call_id: "c", status: "success" };
  const message = { lc: 1, type: "constructor", id: ["langchain", "schema", "messages", "ToolMessage"], kwargs };
  await writeEvents(database, [...trace(traceId), ...tool(traceId, { order: 42 }, { output: message })]);
  const { items } = await read(traceId);
  expect(items[0]?.messages[1]?.parts).toMatchObject([{ type: "tool_result", text: "rain in Vienna", call_id: "c" }]);
});

test("a trace that does not exist, or is somebody else's, and a cursor of another list are refused", async () => {
  const traceId = uuidv7();
  await writeEvents(database, [...trace(traceId), ...model(traceId, { input: "secret", output: "words" })]);
  expect(await api.get(address(uuidv7()), "tenant-1:admin")).toMatchObject({ status: 404, body: { error: "trace_not_found" } });
  // The project is open to its members alone.
  expect(await api.get(address(traceId), "tenant-1:member")).toMatchObject({ status: 404, body: { error: "trace_not_found" } });
  expect(await api.get(address(traceId), "tenant-2:admin")).toMatchObject({ status: 404, body: { error: "trace_not_found" } });
  expect(await api.get(address(traceId, "cursor=W10"), "tenant-1:admin")).toMatchObject({ status: 400, body: { error: "invalid_cursor" } });
  expect(await api.get(address(traceId, "limit=51"))).toMatchObject({ status: 400, body: { error: "invalid_request" } });
});

function trace(traceId: string): readonly StreamEvent[] {
  return [producer.event("trace.start", { trace_id: traceId, name: "agent", started_at: "2026-11-21T10:00:00Z" })];
}

function model(
  traceId: string,
  said: { readonly input: unknown; readonly output: unknown; readonly reasoning?: string },
): readonly StreamEvent[] {
  const ids = { trace_id: traceId, observation_id: uuidv7() };
  const { input, output, reasoning: text } = said;
  return [
    producer.event("observation.start", { ...ids, parent_id: null, kind: "llm", name: "chat", started_at: "2026-11-21T10:00:01Z", input }),
    producer.event("observation.end", {
      ...ids,
      ended_at: "2026-11-21T10:00:02Z",
      duration_ms: 900,
      status: "success",
      output,
      model: "m-1-2026",
      usage: { input_tokens: 120, output_tokens: 8 },
      ...(text === undefined ? {} : { reasoning: { text, truncated: false, original_chars: text.length } }),
    }),
  ];
}

function tool(traceId: string, parameters: Record<string, unknown>, result: unknown): readonly StreamEvent[] {
  const ids = { trace_id: traceId, observation_id: uuidv7() };
  const at = "2026-11-21T10:00:01Z";
  return [
    producer.event("observation.start", { ...ids, parent_id: null, kind: "tool", name: "find_order", started_at: at, input: parameters }),
    producer.event("observation.end", {
      ...ids,
      ended_at: at,
      duration_ms: 1,
      status: "success",
      tool_entry: { tool_name: "find_order", parameters, result, timestamp: at, status: "success" },
    }),
  ];
}

async function read(traceId: string, search = ""): Promise<TranscriptPage> {
  const { status, body } = await api.get(address(traceId, search), "tenant-1:admin");
  expect(status).toBe(200);
  return transcriptPageSchema.parse(body);
}

function address(traceId: string, search = ""): string {
  return `/api/v1/projects/${projectId}/traces/${traceId}/transcript?${search}`;
}
