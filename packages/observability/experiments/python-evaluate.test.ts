import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { needsPython } from "@sightline/foundation/testing/find-python";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { experimentPageSchema, experimentSchema, runPageSchema, runSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createConsumerRig, type ConsumerRig } from "#testing/consumer-rig.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { createInterruption, type Interruption } from "#testing/interruption.ts";
import { pythonProgram } from "#testing/python-program.ts";

/** `sightline.evaluate` in processes of their own, against the real API, and traces through a real stream. */
describe("an evaluation in Python", needsPython, () => {
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

  async function run(script: string, rest: readonly string[] = [], variables: NodeJS.ProcessEnv = {}) {
    const { program, options } = pythonProgram(script);
    const env = {
      ...options.env,
      XDG_CACHE_HOME: cache,
      OBS_API_URL: way.url,
      OBS_API_KEY: rig.key,
      OBS_PROJECT_ID: rig.projectId,
      OBS_REDIS_URL: consumer.redis.url,
      OBS_STREAM_NAME: consumer.stream,
      OBS_CONSOLE_URL: "http://console.example.org",
      ...variables,
    };
    const [file, first] = program;
    return await promisify(execFile)(file, [first, ...rest], { ...options, env, timeout: 60_000 });
  }

  async function evaluate(kind: string, datasetId: string, rest: readonly string[] = [], variables: NodeJS.ProcessEnv = {}) {
    const { stdout, stderr } = await run("testing/run_evaluation.py", [kind, datasetId, ...rest], variables);
    return { told: toldSchema.parse(JSON.parse(stdout)), stderr };
  }

  const runsOf = async (id: string) => runPageSchema.parse((await rig.get(`/experiments/${id}/runs?limit=200`)).body).items;
  const newestOf = async (datasetId: string) =>
    experimentSchema.parse(experimentPageSchema.parse((await rig.get(`/experiments?dataset_id=${datasetId}`)).body).items[0]);

  test("runs every item, scores it, and has its checks evaluated over the traces", { timeout: 60_000 }, async () => {
    const checks = [{ type: "tool", tool: "find_order" }];
    const inputs = [1, "fail", "hang", "away", "large", "odd", "hello", "nul", "fail with nul"];
    const datasetId = await rig.makeDataset(
      inputs.map((input) => ({ input, expected: input, checks: input === 1 ? checks : [], cluster: String(input) })),
    );
    const { told, stderr } = await evaluate("all", datasetId);
    expect(told.experiment).toMatchObject({
      state: "finished",
      config: { model: "m-1" },
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      runs: { succeeded: 8, failed: 8, missing: 2, unchecked: 0 },
    });
    const outcomes = told.runs?.filter(({ repetition }) => repetition === 0).map(({ state, output, error }) => [state, output, error]);
    expect(outcomes).toEqual([
      ["succeeded", 1, null],
      ["failed", null, "LookupError: no order"],
      ["failed", null, "RunTimeoutError: it took longer than 2 s (timeout)"],
      ["missing", null, "ProviderError: overloaded"],
      ["failed", null, expect.stringContaining("its output is 1,000,003 bytes of JSON; at most 1,000,000 are taken")],
      ["succeeded", { message: "Message()" }, null],
      ["succeeded", "hello", null],
      ["succeeded", { nul: "\0", half: "?" }, null],
      ["failed", null, "LookupError: \uFFFD"],
    ]);
    const first = told.runs?.[0];
    expect(first?.trace_id).not.toBeNull();
    expect(first?.scores).toMatchObject([
      { name: "broken", value: null, error: "ValueError: a bad day" },
      { name: "checks", source: "check", value: 1 },
      { name: "length", value: 1, explanation: "traced" },
      { name: "same", value: 1 },
    ]);
    expect(told.runs?.[10]?.scores.find(({ name }) => name === "broken")?.error).toBe("it gave nan; a score is a number, or True or False");
    expect(stderr).toContain("9 items × 2 = 18 runs");
    expect(stderr).toContain("an output holds Message");
    expect(told.table).toContain(`http://console.example.org/projects/${rig.projectId}/experiments/${told.experiment?.id}`);
    expect(told.table).toMatch(/^same +0\.250/m);
  });

  test("checks the edges that a traced graph took, and what it changed of its state", async () => {
    const checks = [
      { type: "edge", from: "verify", to: "refund" },
      { type: "state", path: "/answer" },
      { type: "state", path: "/is_paid", changed: false },
    ];
    const datasetId = await rig.makeDataset([true, false].map((isPaid) => ({ input: { is_paid: isPaid }, checks })));
    const { told } = await evaluate("graph", datasetId);
    expect(told.experiment).toMatchObject({ name: "refund-agent", runs: { succeeded: 2, unchecked: 0 } });
    expect(told.runs?.map(({ output, checks: found }) => [output, found?.map((check) => check.passed)])).toEqual([
      [{ is_paid: true, answer: "refunded" }, [true, true, true]],
      [{ is_paid: false, answer: "ask again" }, [false, true, true]],
    ]);
  });

  test("takes coroutine functions, and goes on without traces, which it says", async () => {
    const datasetId = await rig.makeDataset([{ input: "a", expected: "a" }, { input: 2 }]);
    const { told, stderr } = await evaluate("async", datasetId, [], { OBS_REDIS_URL: "" });
    expect(told.runs).toMatchObject([{ output: "a", trace_id: null }, { output: 2 }]);
    expect(stderr).toContain("runs have no traces");
  });

  test("is interrupted: what ended is reported, it is cancelled, and goes on later", async () => {
    const datasetId = await rig.makeDataset([1, 2, 3, 4, 5].map((input) => ({ input })));
    const { told, stderr } = await evaluate("cancel", datasetId);
    expect(told).toEqual({ interrupted: true });
    const experiment = await newestOf(datasetId);
    expect(experiment).toMatchObject({ state: "cancelled", runs: { succeeded: 3, failed: 0 } });
    expect(stderr).toContain(`Go on with resume="${experiment.id}"`);
    const { told: rest, stderr: said } = await evaluate("async", datasetId, [experiment.id]);
    expect(rest.experiment).toMatchObject({ id: experiment.id, state: "finished", runs: { succeeded: 5 } });
    expect(said).toContain("2/2 runs");
  });

  test("keeps what the platform does not take, and reports it later", async () => {
    const datasetId = await rig.makeDataset([{ input: "one" }, { input: "two" }, { input: "fail" }]);
    way.interrupt((method, path) => method === "POST" && path.endsWith("/runs"));
    const { told } = await evaluate("plain", datasetId);
    expect(told.error).toMatch(/did not answer: .*3 runs that were not reported are kept in .*\.jsonl\. Go on with resume="[0-9a-f-]+"\./s);
    const { id } = await newestOf(datasetId);
    expect(await runsOf(id)).toEqual([]);
    way.interrupt(() => false);
    const { told: rest, stderr } = await evaluate("plain", datasetId, [id]);
    expect(rest.experiment).toMatchObject({ id, state: "finished", runs: { succeeded: 2, failed: 1 } });
    expect(stderr, "nothing is run again").not.toContain("/3 runs");
  });

  test("is compared with a baseline, which need not be there", async () => {
    const items = Array.from({ length: 40 }, (_, number) => ({ input: { wanted: number }, expected: number }));
    const datasetId = await rig.makeDataset(items);
    const against = (baseline?: string) => evaluate("plain", datasetId, [], { OBS_REDIS_URL: "", BASELINE: baseline });
    const { told: before } = await against();
    expect(before.table).toMatch(/^score +mean +95 %\nsame +0\.000 +0\.000 to 0\.\d+\nduration \(s\) .+\nThere is no baseline\.$/m);
    const { told: after } = await against(before.experiment?.id);
    expect(after.table).toMatch(/^same +1\.000 +0\.\d+ to 1\.000 +\+1\.000 +0\.\d+ to 1\.000 +better$/m);
    const { told: alone } = await against("no-such-branch");
    expect(alone.table).toContain("There is no baseline.");
    const { told: refused } = await against(datasetId);
    expect(refused.table).toContain("The platform compared nothing: The project has no such experiment");
  });

  test("ends at its cap", async () => {
    const datasetId = await rig.makeDataset([{ input: "one" }, { input: "two" }, { input: "three" }]);
    const { told } = await evaluate("cap", datasetId);
    expect(told.experiment).toMatchObject({ state: "cancelled", runs: { succeeded: 2 } });
  });

  test("says what it lacks", async () => {
    const { told } = await evaluate("plain", "nothing of that name", [], { OBS_API_KEY: "studio_no" });
    expect(told.error).toContain("OBS_API_KEY is to be a key with the scope evaluate");
    expect((await evaluate("plain", "nothing of that name")).told.error).toContain("no dataset nothing of that name");
    expect((await evaluate("plain", "x", [], { OBS_API_KEY: "", OBS_API_URL: "" })).told.error).toMatch(/OBS_API_URL.*OBS_API_KEY/);
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

  test("the example runs as it stands", async () => {
    const items = [1, 2, 3].map((order) => ({ input: { order }, expected: order === 3 ? "ask again" : "refunded" }));
    await rig.makeDataset(items, { name: "refunds" });
    const { stdout } = await run("examples/evaluate_agent.py");
    expect(stdout).toContain("refunds, version 1 · 3 items × 3 · 9 succeeded · finished");
    expect(stdout).toMatch(/^exact_match +1\.000/m);
  });
});

const toldSchema = z.object({
  experiment: experimentSchema.optional(),
  runs: z.array(runSchema).optional(),
  table: z.string().optional(),
  error: z.string().optional(),
  interrupted: z.boolean().optional(),
});
