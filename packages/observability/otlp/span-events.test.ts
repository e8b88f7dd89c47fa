import { describe, expect, test } from "vitest";
import { createdApiKeySchema, projectSchema } from "#contract.ts";
import { attributes, jsonRequest, jsonSpan, TRACE, type JsonSpan } from "#testing/otlp-request.ts";
import { createApiRig } from "#testing/api-rig.ts";
import { useOtlpRig } from "#testing/use-otlp-rig.ts";

const otlp = useOtlpRig();

const [ROOT, NODE, TOOL, MODEL] = ["a", "b", "c", "d"].map((letter) => letter.repeat(16)) as [string, string, string, string];

const run: readonly JsonSpan[] = [
  jsonSpan(ROOT, 0, { name: "agent", endTimeUnixNano: nanos(9), attributes: attributes({ "session.id": "s-1", "input.value": "where?" }) }),
  jsonSpan(NODE, 1, { parentSpanId: ROOT }),
  jsonSpan(TOOL, 2, { parentSpanId: NODE, status: { code: "STATUS_CODE_ERROR", message: "too slow" } }),
  jsonSpan(MODEL, 3, { parentSpanId: NODE, attributes: attributes({ "openinference.span.kind": "LLM", "llm.model_name": "m-1" }) }),
];

describe("a trace is the same", () => {
  test.each(Array.from({ length: 6 }, (_, seed) => seed))(
    "in whatever order its spans come, one by one, in batches or again (%i)",
    async (seed) => {
      await sendInBatches([run]);
      await otlp.store();
      const expected = await contentOf();
      await otlp.clear();

      const random = randomOf(seed);
      const repeated = shuffle([...run, ...run.filter(() => random() < 0.5)], random);
      const batches: JsonSpan[][] = [[]];
      for (const span of repeated) {
        if (random() < 0.6) {
          batches.push([]);
        }
        batches.at(-1)?.push(span);
      }
      await sendInBatches(batches);
      // The consumer's batches and deliveries are shuffled too.
      await otlp.store((events) => shuffle([...events, ...events.filter(() => random() < 0.3)], random));
      expect(await contentOf()).toEqual(expected);
    },
  );

  test("when two intakes take its spans at once", async () => {
    const other = await createOtlpRigOnSameStream();
    await Promise.all([...run, ...run].map((span, index) => (index % 2 === 0 ? otlp : other).send(jsonRequest([span]))));
    await otlp.store();
    expect((await otlp.traces()).map(({ name, observations, failures }) => ({ name, observations, failures }))).toEqual([
      { name: "agent", observations: 4, failures: 1 },
    ]);
    await other.close();
  });
});

describe("while its root has not come, a trace", () => {
  const [root, ...others] = run as [JsonSpan, ...JsonSpan[]];

  test("bears the name of its earliest span and runs; when the root comes, the root's, whichever is stored first", async () => {
    await sendInBatches([others.slice(1), others]);
    await otlp.store();
    expect(await otlp.traces()).toMatchObject([{ name: `span ${NODE}`, status: "running", started_at: at(1), observations: 3 }]);
    await sendInBatches([[root]]);
    await otlp.store((events) => events.toReversed());
    expect(await otlp.traces()).toMatchObject([{ name: "agent", status: "success", started_at: at(0), ended_at: at(9), input: "where?" }]);
    await sendInBatches([others]);
    await otlp.store();
    expect(await otlp.traces()).toMatchObject([{ name: "agent", status: "success", ended_at: at(9), observations: 4 }]);
  });

  test("is over when the span by which it came in from another process is, and goes on when the root comes after all", async () => {
    await sendInBatches([others.map((span) => (span["spanId"] === NODE ? { ...span, flags: 0x301 } : span))]);
    await otlp.store();
    expect(await otlp.traces()).toMatchObject([{ name: `span ${NODE}`, status: "success", ended_at: at(2), observations: 3 }]);
    await sendInBatches([[{ ...root, status: { code: 2, message: "cancelled" } }]]);
    await otlp.store((events) => events.toReversed());
    expect(await otlp.traces()).toMatchObject([{ name: "agent", status: "failure", ended_at: at(9) }]);
  });

  test("puts observations whose parents are missing at the top, and orders them by their start", async () => {
    await sendInBatches([[run[3] ?? {}], [run[2] ?? {}]]);
    await otlp.store();
    expect((await otlp.traces())[0]?.observation_list.map(({ name }) => name)).toEqual([`span ${TOOL}`, `span ${MODEL}`]);
  });
});

test.each([
  ["one request", (roots: readonly JsonSpan[]) => [roots]],
  ["requests of their own", (roots: readonly JsonSpan[]) => roots.map((root) => [root])],
])("of several roots in %s the earliest is the trace's, whichever comes last", async (_name, batchesOf) => {
  const roots = [
    jsonSpan(ROOT, 0, { name: "agent", attributes: attributes({ "input.value": "where?", "output.value": "there" }) }),
    jsonSpan(NODE, 1, { name: "title of the chat", status: { code: 2, message: "too slow" } }),
    jsonSpan(TOOL, 1, { parentSpanId: ROOT }),
  ];
  for (const order of [roots, roots.toReversed()]) {
    await sendInBatches(batchesOf(order));
    await otlp.store();
    expect(await otlp.traces()).toMatchObject([
      { name: "agent", status: "success", started_at: at(0), ended_at: at(1), input: "where?", output: "there", observations: 3 },
    ]);
    await otlp.clear();
  }
});

test("a root that was interrupted does not end the trace that another root resumes", async () => {
  const interrupt = { status: { code: 2, message: "GraphInterrupt: []" } };
  await sendInBatches([[jsonSpan(NODE, 2, { attributes: attributes({ "output.value": "sent" }) })], [jsonSpan(ROOT, 0, interrupt)]]);
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ started_at: at(0), ended_at: at(3), status: "success", output: "sent" }]);
});

test("the same ids in another project are another trace", async () => {
  const made = projectSchema.parse((await otlp.api.post("/api/v1/projects", { name: "other" })).body);
  const other = await otlp.api.post(`/api/v1/projects/${made.id}/keys`, { name: "k" }, "tenant-1:admin");
  await otlp.send(jsonRequest(run));
  await otlp.send(jsonRequest(run), { "x-api-key": createdApiKeySchema.parse(other.body).key });
  const ids = (await otlp.streamed()).flatMap((event) => (event.type === "trace.start" ? [[event.project_id, event.body.trace_id]] : []));
  expect(new Set(ids.map(([project]) => project))).toEqual(new Set([otlp.rig.projectId, made.id]));
  expect(new Set(ids.map(([, trace]) => trace)).size).toBe(2);
});

test("a span that is sent while it runs is running, and ended by the same span sent again", async () => {
  await sendInBatches([[jsonSpan(ROOT, 0, { endTimeUnixNano: undefined })]]);
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ status: "running", observation_list: [{ status: "running", ended_at: null }] }]);
  await sendInBatches([[jsonSpan(ROOT, 0)]]);
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ status: "success", observation_list: [{ status: "success", ended_at: at(1) }] }]);
});

test("nothing of a span is dropped: what no field takes up is in its attributes", async () => {
  const events = [{ name: "cache miss", timeUnixNano: nanos(0), attributes: attributes({ key: "k1" }) }];
  const links = [{ traceId: TRACE, spanId: TOOL, attributes: attributes({ why: "retry" }) }];
  const values = [
    { key: "small", value: { intValue: "42" } },
    { key: "d", value: { doubleValue: "NaN" } },
    { key: "b", value: { bytesValue: "aGk=" } },
    { key: "l", value: { arrayValue: { values: [{ boolValue: true }, { kvlistValue: { values: attributes({ x: "y" }) } }] } } },
  ];
  await sendInBatches([[jsonSpan(ROOT, 0, { events, links, attributes: values })]]);
  await otlp.store();
  const [step] = (await otlp.traces())[0]?.observation_list ?? [];
  expect(step?.attributes).toMatchObject({
    small: 42,
    d: "NaN",
    b: "aGk=",
    l: [true, { x: "y" }],
    "otel.events": [{ name: "cache miss", attributes: { key: "k1" } }],
    "otel.links": [{ span_id: TOOL, attributes: { why: "retry" } }],
    "service.name": "support",
  });
});

test("a LangGraph interrupt is no failure", async () => {
  const exception = { name: "exception", attributes: attributes({ "exception.message": "[]\n\nGraphInterrupt: []\n    at node" }) };
  await sendInBatches([
    [jsonSpan(ROOT, 0, { status: { code: 2, message: "[]\n\nGraphInterrupt: []\n    at node" }, events: [exception] })],
  ]);
  await otlp.store();
  expect(await otlp.traces()).toMatchObject([{ status: "interrupted", failures: 0 }]);
});

test("whatever attributes hold, what comes of them is an event and can be stored", async () => {
  for (let seed = 100; seed < 110; seed += 1) {
    await storeAnything(randomOf(seed));
    expect(await otlp.traces()).toHaveLength(1);
    await otlp.clear();
  }
});

async function storeAnything(random: () => number): Promise<void> {
  const traceId = Array.from({ length: 32 }, () => Math.trunc(random() * 16).toString(16)).join("");
  const spans = Array.from({ length: 20 }, (_, index) =>
    jsonSpan(String(index + 1).padStart(16, "0"), index, {
      traceId,
      name: pick(TEXTS, random),
      ...(random() < 0.5 ? { parentSpanId: ROOT } : {}),
      attributes: Array.from({ length: 12 }, () => ({ key: pick(KEYS, random), value: anyValue(random, 0) })),
      status: { code: Math.trunc(random() * 4), message: pick(TEXTS, random) },
      events: [{ name: "exception", attributes: [{ key: "exception.type", value: anyValue(random, 0) }] }],
    }),
  );
  await sendInBatches([spans]);
  // Throws where the consumer would set an event aside.
  await otlp.store();
}

const TEXTS = [
  "",
  "a",
  "\0",
  "\ud800",
  "n".repeat(600),
  '{"a":',
  '{"__proto__":{"x":1}}',
  `${"[".repeat(300)}${"]".repeat(300)}`,
  "42",
  "-1",
  "1e999",
];
const KEYS = [
  "gen_ai.usage.input_tokens",
  "llm.token_count.prompt",
  "gen_ai.usage.cache_read.input_tokens",
  "gen_ai.input.messages",
  "metadata",
  "gen_ai.operation.name",
  "openinference.span.kind",
  "ai.operationId",
  "gen_ai.tool.name",
  "gen_ai.tool.call.arguments",
  "session.id",
  "llm.input_messages.0.message.role",
  "llm.input_messages.4294967296.message.content",
  "llm.output_messages.__proto__.polluted",
  "llm.output_messages",
  "llm.output_messages.0",
  "__proto__",
  "constructor",
  "code.filepath",
  "code.lineno",
  "\0",
  "",
];
const NAMES = ["chat", "LLM", "TOOL", "execute_tool", "constructor", "ai.toolCall", "embeddings"];

function anyValue(random: () => number, depth: number): object {
  const kinds = [
    () => ({ stringValue: pick(TEXTS, random) }),
    () => ({ stringValue: pick(NAMES, random) }),
    () => ({ intValue: pick(["0", "42", "-1", "9223372036854775807", "x"], random) }),
    () => ({ doubleValue: pick([0.5, "NaN", "Infinity", -1], random) }),
    () => ({}),
    () => ({ arrayValue: { values: [anyValue(random, depth + 1), anyValue(random, depth + 1)] } }),
    () => ({ kvlistValue: { values: [{ key: pick(KEYS, random), value: anyValue(random, depth + 1) }] } }),
  ];
  return pick(depth > 3 ? kinds.slice(0, 5) : kinds, random)();
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.trunc(random() * items.length)] as Item;
}

async function sendInBatches(batches: readonly (readonly JsonSpan[])[]): Promise<void> {
  for (const batch of batches) {
    const answer = await otlp.send(jsonRequest(batch));
    expect([answer.status, answer.body]).toEqual([200, "{}"]);
  }
}

/** Everything a user sees of the traces, but for the numbers of their events. */
async function contentOf(): Promise<unknown> {
  return (await otlp.traces()).map(({ observation_list: observations, ...trace }) => ({
    ...trace,
    observations: observations.map(({ seq: _seq, ...observation }) => observation),
  }));
}

async function createOtlpRigOnSameStream() {
  const { stream, heartbeatKey, redis } = otlp.rig;
  const api = await createApiRig({ database: otlp.database, redisUrl: redis.url, stream, heartbeatKey });
  const headers = { "content-type": "application/json", "x-api-key": otlp.key };
  return {
    send: (body: object) => api.server.inject({ method: "POST", url: "/v1/traces", headers, payload: body }),
    close: api.close,
  };
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString();
}

function nanos(second: number): string {
  return `${Date.parse(at(second))}000000`;
}

function shuffle<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

/** Mulberry32: the same seed gives the same numbers. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
