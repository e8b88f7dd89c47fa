import { LangfuseSpanProcessor } from "@langfuse/otel";
import { propagateAttributes, startActiveObservation, startObservation } from "@langfuse/tracing";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scorePageSchema } from "#contract.ts";
import { toObservationId, toTraceId } from "#identifiers.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { createOtlpRig, type OtlpRig } from "#testing/otlp-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let otlp: OtlpRig;
let provider: NodeTracerProvider;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  otlp = await createOtlpRig(database);
  // Nothing but the address and the secret key is another than at Langfuse.
  const processor = new LangfuseSpanProcessor({ baseUrl: otlp.url, publicKey: "pk-lf-1", secretKey: otlp.key, environment: "staging" });
  provider = new NodeTracerProvider({ spanProcessors: [processor] });
  provider.register();
});
afterAll(async () => {
  await provider.shutdown();
  await otlp.close();
  await database.drop();
});

test("Langfuse's own SDK needs another address and key, and arrives whole", async () => {
  await otlp.setPrice("m-1", { input: 2, output: 10, cache_read: 0.5 });
  const labels = { traceName: "refund", userId: "ada", sessionId: "s-1", tags: ["vip"], metadata: { plan: "pro" } };
  await propagateAttributes(labels, () =>
    startActiveObservation(
      "agent-run",
      async (run) => {
        run.update({ input: { order: 42 } });
        const call = startObservation(
          "answer",
          { model: "m-1", input: [{ role: "user", content: "Where is it?" }] },
          { asType: "generation" },
        );
        call.update({
          output: { role: "assistant", content: "Shipped." },
          usageDetails: { input: 56, input_cached_tokens: 64, output: 18, output_reasoning_tokens: 12 },
        });
        call.end();
        const used = startObservation("find_order", { input: { order: 42 } }, { asType: "tool" });
        used.update({ output: { state: "lost" }, level: "ERROR", statusMessage: "no such order" });
        used.end();
        run.update({ output: "It was shipped." });
      },
      { asType: "agent" },
    ),
  );
  await provider.forceFlush();
  const streamed = await otlp.streamed();
  await otlp.store();

  const [trace, ...others] = await otlp.traces();
  expect(others).toEqual([]);
  expect(trace).toMatchObject({
    name: "refund",
    user_id: "ada",
    session_id: "s-1",
    input: { order: 42 },
    output: "It was shipped.",
    input_tokens: 120,
    output_tokens: 30,
  });
  const started = streamed.find(({ type }) => type === "trace.start");
  expect(started?.body).toMatchObject({ environment: "staging", tags: ["vip"], attributes: { metadata: { plan: "pro" } } });
  // 56 tokens at 2 dollars a million, 64 from the cache at 0.5, 30 at 10.
  expect(trace?.cost).toBeCloseTo(0.000_444, 9);
  const of = (kind: string) => trace?.observation_list.find((observation) => observation.kind === kind);
  expect(of("graph")).toMatchObject({ name: "agent-run", status: "success" });
  expect(of("llm")).toMatchObject({ name: "answer", model: "m-1", cache_read_tokens: 64, reasoning_tokens: 12 });
  expect(of("tool")).toMatchObject({ name: "find_order", status: "failure", input: { order: 42 }, output: { state: "lost" } });
  expect(JSON.stringify(of("tool"))).toContain("no such order");
  expect(await otlp.said(trace?.id ?? "")).toContain("user text Where is it?");
});

test("auth_check() of Langfuse's SDKs is told the key's project, and a wrong key that it is wrong", async () => {
  const ask = async (key: string) => {
    const authorization = `Basic ${Buffer.from(`pk-lf-1:${key}`).toString("base64")}`;
    return otlp.api.server.inject({ url: "/api/public/projects", headers: { authorization } });
  };
  const { projectId } = otlp.rig;
  expect((await ask(otlp.key)).json()).toEqual({
    data: [{ id: projectId, name: projectId, organization: { id: "tenant-1", name: "tenant-1" }, metadata: {} }],
  });
  expect((await ask("sk-lf-1")).statusCode).toBe(401);
});

describe("scores of Langfuse's SDKs", () => {
  const [traceId, spanId] = ["c".repeat(32), "d".repeat(16)];
  const post = async (path: string, payload: object) => {
    const authorization = `Basic ${Buffer.from(`pk-lf-1:${otlp.key}`).toString("base64")}`;
    return otlp.api.server.inject({ method: "POST", url: `/api/public/${path}`, headers: { authorization }, payload });
  };
  const kept = async () => {
    await otlp.store();
    const { body } = await otlp.api.get(`/api/v1/projects/${otlp.rig.projectId}/scores`, "tenant-1:admin");
    return scorePageSchema.parse(body).items.toSorted((left, right) => left.name.localeCompare(right.name));
  };

  beforeAll(async () => {
    await otlp.send(jsonRequest([jsonSpan(spanId, 0, { traceId })]));
  });

  test("of Python: numbers, booleans, categories and texts, of traces and observations, once by their id", async () => {
    const scores = [
      { id: "s-1", traceId, name: "accuracy", value: 0.92, dataType: "NUMERIC", comment: "fine", timestamp: "2026-11-29T08:00:00Z" },
      { id: "s-2", traceId, observationId: spanId, name: "helpful", value: 1, dataType: "BOOLEAN", environment: "default" },
      { id: "s-3", traceId, name: "mood", value: "glad", dataType: "CATEGORICAL" },
      { traceId, name: "note", value: "it took long", dataType: "TEXT" },
      { traceId, name: "untyped", value: 3 },
    ];
    const answer = await post("scores", scores);
    expect([answer.statusCode, answer.json()]).toEqual([202, { message: "Accepted" }]);
    expect((await post("scores", scores)).statusCode).toBe(202);
    const trace = toTraceId(otlp.rig.projectId, traceId);
    expect(await kept()).toMatchObject([
      { name: "accuracy", trace_id: trace, observation_id: null, data_type: "number", value: 0.92, comment: "fine", source: "application" },
      { name: "helpful", observation_id: toObservationId(otlp.rig.projectId, traceId, spanId), data_type: "boolean", value: 1 },
      { name: "mood", data_type: "category", text_value: "glad" },
      { name: "note", data_type: "text", text_value: "it took long" },
      { name: "untyped", data_type: "number", value: 3 },
    ]);
  });

  test("that can't be kept are named, each with what to do, and cost no other", async () => {
    const wrong = [
      { sessionId: "s-1", name: "of a session", value: 1 },
      { traceId, name: "corrected", value: "so", dataType: "CORRECTION" },
      { traceId, name: "odd", value: 2, dataType: "BOOLEAN" },
      { traceId: "trace 1", name: "odd", value: 2 },
    ];
    const answer = await post("scores", [...wrong, { traceId, name: "kept", value: 1 }]);
    expect([answer.statusCode, answer.json()]).toEqual([
      207,
      {
        accepted: 1,
        rejected: 4,
        errors: [
          { message: expect.stringContaining("traceId: give") },
          { message: expect.stringContaining("dataType: only NUMERIC") },
          { message: expect.stringContaining("true or false, 1 or 0") },
          { message: expect.stringContaining("traceId: give") },
        ],
      },
    ]);
    expect((await kept()).map(({ name }) => name)).toContain("kept");
  });

  test("of JavaScript come in a batch; whatever else is in it is told where it goes", async () => {
    const body = { id: "s-9", traceId, name: "from-js", value: 1, dataType: "BOOLEAN" };
    const batch = [
      { id: "e-1", type: "score-create", timestamp: "2026-11-29T08:00:00Z", body },
      { id: "e-2", type: "trace-create", timestamp: "2026-11-29T08:00:00Z", body: { id: "t-1" } },
      { id: "e-3", type: "score-create", timestamp: "2026-11-29T08:00:00Z", body: { ...body, value: "yes" } },
    ];
    const answer = await post("ingestion", { batch });
    expect([answer.statusCode, answer.json()]).toEqual([
      207,
      {
        successes: [{ id: "e-1", status: 201 }],
        errors: [
          { id: "e-2", status: 400, message: expect.stringContaining("OpenTelemetry"), error: "BadRequest" },
          { id: "e-3", status: 400, message: expect.stringContaining("a boolean has a value"), error: "BadRequest" },
        ],
      },
    ]);
    expect((await kept()).filter(({ name }) => name === "from-js")).toMatchObject([{ value: 1, data_type: "boolean" }]);
  });
});
