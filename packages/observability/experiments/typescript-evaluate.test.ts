import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { experimentSchema, runSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";

const PROGRAM = fileURLToPath(new URL("../../sdk/testing/run-evaluation.ts", import.meta.url));
const toldSchema = z.object({
  experiment: experimentSchema.optional(),
  runs: z.array(runSchema).optional(),
  table: z.string().optional(),
  error: z.string().optional(),
});

/** `evaluate` of the SDK for TypeScript in processes of their own, against the real API, and traces through a real stream. */
describe("an evaluation in TypeScript", () => {
  let database: TestDatabase<ObservabilitySchema>;
  let consumer: ConsumerRig;
  let rig: EvaluationRig;
  let address: string;
  let cache: string;

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    consumer = await createConsumerRig(database);
    rig = await createEvaluationRig(database);
    await consumer.start();
    address = await rig.api.server.listen({ port: 0, host: "127.0.0.1" });
    cache = await mkdtemp(join(tmpdir(), "sightline-evaluate-"));
  });
  afterAll(async () => {
    await rig.close();
    await consumer.close();
    await database.drop();
    await rm(cache, { recursive: true });
  });

  async function evaluate(kind: string, datasetId: string, rest: readonly string[] = []) {
    const env = {
      ...process.env,
      XDG_CACHE_HOME: cache,
      OBS_API_URL: address,
      OBS_API_KEY: rig.key,
      OBS_PROJECT_ID: rig.projectId,
      OBS_REDIS_URL: consumer.redis.url,
      OBS_STREAM_NAME: consumer.stream,
      OBS_CONSOLE_URL: "http://console.example.org",
    };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, kind, datasetId, ...rest], { env, timeout: 60_000 });
    return { told: toldSchema.parse(JSON.parse(stdout)), stderr };
  }

  test("runs every item, scores it, and has its checks evaluated over the traces", { timeout: 60_000 }, async () => {
    const checks = [{ type: "tool", tool: "find_order" }];
    const inputs = [1, "fail", "hang", "away", "large", "hello"];
    const datasetId = await rig.makeDataset(
      inputs.map((input) => ({ input, expected: input, checks: input === 1 ? checks : [], cluster: String(input) })),
    );
    const { told, stderr } = await evaluate("all", datasetId);
    expect(told.error).toBeUndefined();
    expect(told.experiment).toMatchObject({
      state: "finished",
      config: { model: "m-1" },
      runs: { succeeded: 4, failed: 6, missing: 2, unchecked: 0 },
    });
    const outcomes = told.runs?.filter(({ repetition }) => repetition === 0).map(({ state, output, error }) => [state, output, error]);
    expect(outcomes).toEqual([
      ["succeeded", 1, null],
      ["failed", null, "RangeError: no order"],
      ["failed", null, "Error: it took longer than 2 s (timeout)"],
      ["missing", null, "Error: overloaded"],
      ["failed", null, expect.stringContaining("its output is 1,000,003 bytes of JSON; at most 1,000,000 are taken")],
      ["succeeded", "hello", null],
    ]);
    expect(told.runs?.[0]?.scores).toMatchObject([
      { name: "broken", value: null, error: "TypeError: a bad day" },
      { name: "checks", source: "check", value: 1 },
      { name: "length", value: 1, explanation: "traced" },
      { name: "same", value: 1 },
    ]);
    expect(stderr).toContain("6 items × 2 = 12 runs");
    expect(told.table).toContain(`http://console.example.org/projects/${rig.projectId}/experiments/${told.experiment?.id}`);
  });

  test("ends at the cap or where it is cancelled, and goes on with what is left", { timeout: 60_000 }, async () => {
    const inputs = [2, 3, 4, 5];
    const datasetId = await rig.makeDataset(inputs.map((input) => ({ input, expected: input, cluster: String(input) })));
    const capped = (await evaluate("cap", datasetId)).told.experiment;
    expect(capped).toMatchObject({ state: "cancelled", runs: { succeeded: 2 } });
    const resumed = (await evaluate("rest", datasetId, [capped?.id ?? ""])).told.experiment;
    expect(resumed).toMatchObject({ id: capped?.id, state: "finished", runs: { succeeded: 4 } });
    const { error } = (await evaluate("cancel", datasetId)).told;
    expect(error).toMatch(/cancelled; what ended is reported\. Go on with resume: "/);
  });
});
