import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { experimentPageSchema, experimentSchema, runPageSchema, runSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { createInterruption, type Interruption } from "#testing/interruption.ts";

const PROGRAM = fileURLToPath(new URL("../../sdk/testing/run-evaluation.ts", import.meta.url));
const SDK = fileURLToPath(new URL("../../sdk", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../../docs/evaluation-typescript.md", import.meta.url));
const VITEST = dirname(createRequire(import.meta.url).resolve("vitest/package.json"));
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
  let way: Interruption;
  let cache: string;

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    consumer = await createConsumerRig(database);
    rig = await createEvaluationRig(database);
    await consumer.start();
    way = await createInterruption(await rig.api.server.listen({ port: 0, host: "127.0.0.1" }));
    cache = await mkdtemp(join(tmpdir(), "sightline-evaluate-"));
  });
  afterAll(async () => {
    await way.close();
    await rig.close();
    await consumer.close();
    await database.drop();
    await rm(cache, { recursive: true });
  });

  const runsOf = async (id: string) => runPageSchema.parse((await rig.get(`/experiments/${id}/runs?limit=200`)).body).items;
  const newestOf = async (datasetId: string) =>
    experimentSchema.parse(experimentPageSchema.parse((await rig.get(`/experiments?dataset_id=${datasetId}`)).body).items[0]);
  const environment = () => ({
    ...process.env,
    XDG_CACHE_HOME: cache,
    OBS_API_URL: way.url,
    OBS_API_KEY: rig.key,
    OBS_PROJECT_ID: rig.projectId,
    OBS_REDIS_URL: consumer.redis.url,
    OBS_STREAM_NAME: consumer.stream,
    OBS_CONSOLE_URL: "http://console.example.org",
  });
  const run = async (kind: string, datasetId: string, rest: readonly string[] = [], variables: NodeJS.ProcessEnv = {}) => {
    const env = { ...environment(), ...variables };
    return await promisify(execFile)(process.execPath, [PROGRAM, kind, datasetId, ...rest], { env, timeout: 60_000 });
  };

  async function evaluate(kind: string, datasetId: string, rest: readonly string[] = [], variables: NodeJS.ProcessEnv = {}) {
    const { stdout, stderr } = await run(kind, datasetId, rest, variables);
    return { told: toldSchema.parse(JSON.parse(stdout)), stderr };
  }

  test("runs every item, scores it, and has its checks evaluated over the traces", { timeout: 60_000 }, async () => {
    const checks = [{ type: "tool", tool: "find_order" }];
    const inputs = [1, "fail", "hang", "away", "large", "hello", "odd", "circle", "nothing", "nul", "fail with nul"];
    const datasetId = await rig.makeDataset(
      inputs.map((input) => ({ input, expected: input, checks: input === 1 ? checks : [], cluster: String(input) })),
    );
    const { told, stderr } = await evaluate("all", datasetId);
    expect(told.error).toBeUndefined();
    expect(told.experiment).toMatchObject({
      state: "finished",
      config: { model: "m-1" },
      runs: { succeeded: 12, failed: 8, missing: 2, unchecked: 0 },
    });
    const outcomes = told.runs?.filter(({ repetition }) => repetition === 0).map(({ state, output, error }) => [state, output, error]);
    expect(outcomes).toEqual([
      ["succeeded", 1, null],
      ["failed", null, "RangeError: no order"],
      ["failed", null, "Error: it took longer than 2 s (timeout)"],
      ["missing", null, "Error: overloaded"],
      ["failed", null, expect.stringContaining("its output is 1,000,003 bytes of JSON; at most 1,000,000 are taken")],
      ["succeeded", "hello", null],
      ["succeeded", { big: "1180591620717411303424", ratio: "NaN", tags: "Set(1) { 'a' }" }, null],
      ["succeeded", "<ref *1> [ [Circular *1] ]", null],
      ["succeeded", null, null],
      ["succeeded", { nul: "\0", half: "\uFFFD" }, null],
      ["failed", null, "RangeError: \uFFFD"],
    ]);
    expect(told.runs?.[0]?.scores).toMatchObject([
      { name: "broken", value: null, error: "TypeError: a bad day" },
      { name: "checks", source: "check", value: 1 },
      { name: "length", value: 1, explanation: "traced" },
      { name: "same", value: 1 },
    ]);
    expect(stderr).toContain("11 items × 2 = 22 runs");
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

  test("is interrupted: what ended is reported, and it goes on later", { timeout: 60_000 }, async () => {
    const datasetId = await rig.makeDataset([2, 3, 4, 5].map((input) => ({ input })));
    const { told } = await evaluate("interrupt", datasetId);
    expect(told.error).toMatch(/cancelled; what ended is reported\. Go on with resume: "/);
    expect(await newestOf(datasetId)).toMatchObject({ state: "cancelled", runs: { succeeded: 2, failed: 0 } });
    const { told: rest } = await evaluate("rest", datasetId, ["newest"]);
    expect(rest.experiment).toMatchObject({ state: "finished", runs: { succeeded: 4 } });
  });

  test("loses nothing and counts nothing twice while the platform is away", { timeout: 60_000 }, async () => {
    const datasetId = await rig.makeDataset([2, 3, 5].map((input) => ({ input })));
    way.interrupt((method, path) => method === "POST" && path.endsWith("/runs"));
    const { told } = await evaluate("rest", datasetId);
    expect(told.error).toMatch(
      /did not answer: .*3 runs that were not reported are kept in .*\.jsonl\. Go on with resume: "[0-9a-f-]+"\./s,
    );
    const { id } = await newestOf(datasetId);
    expect(await runsOf(id)).toEqual([]);
    way.interrupt(() => false);
    const { told: rest, stderr } = await evaluate("rest", datasetId, [id]);
    expect(rest.experiment).toMatchObject({ id, state: "finished", runs: { succeeded: 3, failed: 0, missing: 0 } });
    expect(stderr, "nothing is run again").not.toContain("/3 runs");
  });

  test("keeps what is not reported where it is interrupted twice", { timeout: 60_000 }, async () => {
    const datasetId = await rig.makeDataset([2, 3, 4].map((input) => ({ input })));
    way.interrupt((method, path) => method === "POST" && path.endsWith("/runs"));
    await expect(run("interrupt twice", datasetId)).rejects.toMatchObject({
      signal: "SIGINT",
      stderr: expect.stringMatching(/interrupted\. 2 runs that were not reported are kept in .*\.jsonl/),
    });
    way.interrupt(() => false);
    const { told, stderr } = await evaluate("rest", datasetId, ["newest"]);
    expect(told.experiment).toMatchObject({ state: "finished", runs: { succeeded: 3 } });
    expect(stderr, "only what did not end is run").toContain("1/1 runs");
  });

  test("runs a thousand items, twenty at once", { timeout: 60_000 }, async () => {
    const datasetId = await rig.makeDataset(Array.from({ length: 1000 }, (_, index) => ({ input: `item ${index}` })));
    const { told, stderr } = await evaluate("many", datasetId);
    expect(told.experiment).toMatchObject({ state: "finished", runs: { succeeded: 1000, failed: 0, missing: 0 } });
    expect(stderr).not.toContain("Warning");
  });

  test("scores outputs that exist, and an experiment once more", { timeout: 60_000 }, async () => {
    const checks = [{ type: "equals", value: "b" }];
    const datasetId = await rig.makeDataset(
      ["a", "b", "c"].map((input) => ({ input, expected: input, checks: input === "b" ? checks : [] })),
    );
    const [a = "", b = ""] = (await rig.readItems(datasetId)).map(({ id }) => id);
    const given = (outputs: object) => evaluate("outputs", datasetId, [], { OUTPUTS: JSON.stringify(outputs) });
    expect((await given({ [datasetId]: "x" })).told.error).toContain(`has no item ${datasetId}; outputs are given by items' ids`);
    const { told } = await given({ [a]: "other", [b]: "b" });
    expect(told.experiment).toMatchObject({ name: "outputs", state: "finished", runs: { succeeded: 2, missing: 1, unchecked: 0 } });
    expect(told.runs).toMatchObject([
      { output: "other", trace_id: null, duration_ms: null, scores: [{ name: "same", value: 0 }] },
      {
        output: "b",
        scores: [
          { name: "checks", value: 1 },
          { name: "same", value: 1 },
        ],
      },
      { state: "missing", error: expect.stringContaining("no output was given") },
    ]);
    const id = told.experiment?.id ?? "";
    const { told: broken } = await evaluate("again", id, [], { BROKEN: "1" });
    expect(broken.runs?.[0]?.scores).toMatchObject([
      { name: "concise", value: null, error: expect.stringContaining("a bad day") },
      { name: "same" },
    ]);
    const { told: again } = await evaluate("again", id);
    expect(again.experiment?.evaluators.map(({ name }) => name)).toEqual(["same", "concise"]);
    expect(again.runs?.map(({ scores }) => scores.find(({ name }) => name === "concise")?.value)).toEqual([0.5, 0.1, undefined]);
    expect((await evaluate("again", (await rig.begin(datasetId)).id)).told.error).toContain("The experiment is running");
  });

  test("the programs of the guide run as they stand", { timeout: 60_000 }, async () => {
    const guide = await readFile(GUIDE, "utf8");
    const folder = await mkdtemp(join(cache, "guide-"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    await mkdir(join(folder, "node_modules", "@sightline"), { recursive: true });
    await symlink(SDK, join(folder, "node_modules", "@sightline", "sdk"));
    await symlink(VITEST, join(folder, "node_modules", "vitest"));
    for (const [, name = "", code = ""] of guide.matchAll(/```ts\n\/\/ (evals\S*)\n(.*?)```/gs)) {
      await writeFile(join(folder, name), code);
    }
    const items = [1, 2, 3].map((order) => ({ input: { order }, expected: order === 3 ? "ask again" : "refunded", required: true }));
    await rig.makeDataset(items, { name: "refunds" });
    const runIn = async (...words: readonly string[]) =>
      await promisify(execFile)(process.execPath, words, { cwd: folder, env: { ...environment(), NO_COLOR: "1" }, timeout: 60_000 });
    const { stdout } = await runIn("evals.ts");
    expect(stdout).toContain("refunds, version 1 · 3 items × 3 · 9 succeeded · finished");
    expect(stdout).toMatch(/^exact +1\.000/m);
    const { stdout: tested } = await runIn(join("node_modules", "vitest", "vitest.mjs"), "run");
    expect(tested).toContain("refunds, version 1 · 3 items × 1 · 3 succeeded · finished");
    expect(tested).toContain("3 passed");
  });
});
