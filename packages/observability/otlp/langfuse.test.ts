import { LangfuseSpanProcessor } from "@langfuse/otel";
import { propagateAttributes, startActiveObservation, startObservation } from "@langfuse/tracing";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
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
