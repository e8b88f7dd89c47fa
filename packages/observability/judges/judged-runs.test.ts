import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createdApiKeySchema, estimatedJudgingSchema, gateSchema, itemPageSchema, runPageSchema, triedEvaluatorSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";
import { isSampled } from "./choose-traces.store.ts";

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel([
    { contains: "\nno\n", says: { explanation: "No.", value: false } },
    { contains: "\nyes\n", says: { explanation: "Yes.", value: true } },
    { contains: "\ncategory\n", says: { explanation: "Good.", value: "good" } },
    { contains: "wrong", says: { explanation: "It is wrong.", value: 0.25 } },
    { says: { explanation: "It is right.", value: 1 } },
  ]);
  rig = await createJudgeRig(database, model.url);
  const made = await rig.post("/keys", { name: "ci", scopes: ["evaluate"] });
  ({ key } = createdApiKeySchema.parse(made.body));
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

async function makeDataset(size: number): Promise<string> {
  const dataset = await rig.post("/datasets", { name: `d ${Math.random()}` }, key);
  const items = Array.from({ length: size }, (_, index) => ({ input: `item ${index}`, expected: "it", subject: "ann" }));
  await rig.post(`/datasets/${String(dataset.body["id"])}/items`, { items }, key);
  return String(dataset.body["id"]);
}

/** @returns the id of an experiment, of three runs unless outputs are given, the last of which failed. */
async function runExperiment(datasetId?: string, outputs: readonly string[] = ["right", "wrong", "failed"]): Promise<string> {
  const dataset = datasetId ?? (await makeDataset(outputs.length));
  const listed = itemPageSchema.parse((await rig.get(`/datasets/${dataset}/items?limit=100`, key)).body).items;
  const experiment = await rig.post("/experiments", { dataset_id: dataset, name: "try" }, key);
  const path = `/experiments/${String(experiment.body["id"])}`;
  const runs = listed.map(({ id }, index) => {
    const output = outputs[index] ?? "";
    const state = ["failed", "lost"].includes(output) ? "failed" : "succeeded";
    return { item_id: id, repetition: 0, state, output: output === "lost" ? null : output };
  });
  await rig.post(`${path}/runs`, { runs }, key);
  await rig.post(`${path}/finish`, {}, key);
  return String(experiment.body["id"]);
}

test("the runs of an experiment are judged; the scores stand in its comparison, and fail no gate unless they are named", async () => {
  const judge = await rig.makeEvaluator(
    {
      rubric: "{{expected}} {{output}}",
      variables: [
        { name: "expected", of: "run", path: "/expected" },
        { name: "output", of: "run", path: "/output" },
      ],
      output: { type: "number" },
    },
    "correct",
  );
  const id = await runExperiment();
  const asked = model.asked.length;
  expect((await rig.post(`/evaluators/${judge.id}/rules`, { kind: "experiment", experiment_id: id, budget: 1 })).body["chosen"]).toBe(3);
  await rig.judgeAll();
  expect((await rig.readEvaluator(judge.id)).counts).toMatchObject({ judged: 3, waiting: 0 });
  // A run that failed needs no judge.
  expect(model.asked.length).toBe(asked + 2);
  const runs = runPageSchema.parse((await rig.get(`/experiments/${id}/runs`, key)).body).items;
  expect(runs.map(({ scores }) => scores.map(({ source, value, explanation }) => [source, value, explanation]))).toEqual([
    [["judge", 1, "It is right."]],
    [["judge", 0.25, "It is wrong."]],
    [["judge", 0, "the run failed"]],
  ]);
  const judgements = await rig.readJudgements(judge.id);
  expect(new Set(judgements.map(({ score, explanation }) => `${score?.value}: ${explanation}`))).toEqual(
    new Set(["1: It is right.", "0.25: It is wrong.", "0: the run failed"]),
  );
  const compared = await rig.get(`/experiments/${id}/comparison`, key);
  expect(compared.body["scores"]).toEqual([expect.objectContaining({ name: "correct", source: "judge", higher_is_better: true })]);
  const gateOf = async (query: string) => gateSchema.parse((await rig.get(`/experiments/${id}/gate${query}`, key)).body).reasons.join(" ");
  expect(await gateOf("")).toContain("No run was scored");
  expect(await gateOf("?primary=correct")).not.toContain("No run was scored");
  // With the user whose items they were go what was said of them, and the judges' traces.
  const traces = await rig.get("/traces?q=purpose:judge");
  expect(JSON.stringify(traces.body)).toContain('"user_id":"ann"');
});

test("a judge that is not calibrated fails no gate unless it is told to, and where it is known its rate is corrected", async () => {
  const variables = [{ name: "output", of: "run", path: "/output" } as const];
  const judge = await rig.makeEvaluator({ rubric: "Yes or no? {{output}}", variables }, "fine");
  const dataset = await makeDataset(30);
  const baseline = await runExperiment(
    dataset,
    Array.from({ length: 30 }, () => "yes"),
  );
  const candidate = await runExperiment(
    dataset,
    Array.from({ length: 30 }, (_, at) => (at < 20 ? "no" : "yes")),
  );
  for (const experiment_id of [baseline, candidate]) {
    await rig.post(`/evaluators/${judge.id}/rules`, { kind: "experiment", experiment_id, budget: null });
  }
  await rig.judgeAll();
  const gate = async (more = "") => {
    const { body } = await rig.get(`/experiments/${candidate}/gate?baseline=${baseline}&primary=fine${more}`, key);
    const read = gateSchema.parse(body);
    return { outcome: read.outcome, reasons: read.reasons.join(" "), score: read.comparison.scores.find(({ name }) => name === "fine") };
  };
  const doubted = await gate();
  expect(doubted).toMatchObject({ outcome: "inconclusive", score: { is_calibrated: false, candidate: { corrected: null } } });
  expect(doubted.reasons).toContain("not calibrated");
  expect((await gate("&allow_uncalibrated=true")).outcome).toBe("worse");
  const [truePositive, trueNegative] = [
    { value: 0.95, low: 0.9, high: 0.98 },
    { value: 0.75, low: 0.7, high: 0.8 },
  ];
  const keep = async (version: number) =>
    database.pool.query("update observability.evaluators set calibration = $1 where name = 'fine'", [
      JSON.stringify({ version, is_calibrated: true, rates: { truePositive, trueNegative } }),
    ]);
  await keep(2);
  expect((await gate()).outcome).toBe("inconclusive");
  await keep(1);
  const { outcome, score } = await gate();
  expect([outcome, score?.is_calibrated]).toEqual(["worse", true]);
  expect(score?.candidate.mean).toBeCloseTo(1 / 3, 9);
  expect(score?.candidate.corrected?.value).toBeCloseTo((1 / 3 + 0.75 - 1) / 0.7, 9);
  // Differences are of what was said.
  expect(score?.difference?.value).toBeCloseTo(-2 / 3, 9);
});

test("a category is kept with its run, compared with nothing; a run that failed without an output has none, and scores 0 elsewhere", async () => {
  const variables = [{ name: "output", of: "run", path: "/output" } as const];
  const category = await rig.makeEvaluator(
    { rubric: "Which? {{output}}", variables, output: { type: "category", categories: ["good", "bad"] } },
    "kind",
  );
  const boolean = await rig.makeEvaluator({ rubric: "Yes or no? {{output}}", variables }, "agreed");
  const id = await runExperiment(undefined, ["category", "yes", "lost"]);
  for (const judge of [category, boolean]) {
    await rig.post(`/evaluators/${judge.id}/rules`, { kind: "experiment", experiment_id: id, budget: null });
  }
  await rig.judgeAll();
  const runs = runPageSchema.parse((await rig.get(`/experiments/${id}/runs`, key)).body).items;
  const said = runs.flatMap(({ scores }) => scores.filter(({ name }) => name === "kind"));
  expect(said.map(({ value, text_value: text, is_boolean: isBoolean }) => [value, text, isBoolean])).toEqual([[null, "good", false]]);
  const judgements = await rig.readJudgements(category.id);
  expect(judgements.filter(({ state }) => state === "judged").map(({ score }) => score)).toEqual([
    { data_type: "category", value: null, text_value: "good" },
  ]);
  expect(judgements.map(({ reason }) => reason)).toContain("the run failed, and no category is the worst");
  const lost = (await rig.readJudgements(boolean.id)).find(({ explanation }) => explanation === "the run failed");
  expect(lost?.score).toMatchObject({ data_type: "boolean", value: 0 });
  const compared = await rig.get(`/experiments/${id}/comparison`, key);
  expect(JSON.stringify(compared.body["scores"])).not.toContain('"kind"');
});

test("what judging costs is told before, and a try keeps no score", async () => {
  const [first = ""] = await rig.endTraces(Array.from({ length: 30 }, (_, index) => ({ output: `answer ${index}`, name: "tried" })));
  const definition = { ...rig.definition, output: { type: "number" } };
  const asked = model.asked.length;
  const told = estimatedJudgingSchema.parse((await rig.post("/evaluators/estimate", { definition, q: "name:tried", size: 25 })).body);
  expect(told).toMatchObject({ matching: 30, chosen: 25, trace_ids: { length: 20 } });
  expect(told.about ?? 0).toBeGreaterThan(0);
  expect(told.at_most ?? 0).toBeGreaterThan(told.about ?? 0);
  expect(model.asked.length).toBe(asked);
  const tried = triedEvaluatorSchema.parse((await rig.post("/evaluators/try", { definition, trace_id: first })).body);
  expect(tried).toMatchObject({ state: "judged", score: { data_type: "number", value: 1 }, explanation: "It is right." });
  expect(JSON.stringify((await rig.get(`/scores?trace_id=${first}`)).body)).not.toContain("judge");
  const without = { ...definition, variables: [{ name: "answer", of: "trace", path: "/tools" }] };
  expect((await rig.post("/evaluators/try", { definition: without, trace_id: first })).body).toMatchObject({
    state: "skipped",
    reason: "{{answer}} has no value: nothing is at /tools of the trace",
  });
  const judge = await rig.makeEvaluator({ model: "unpriced" });
  expect(await rig.post(`/evaluators/${judge.id}/rules`, { kind: "live", budget: 1 })).toMatchObject({
    status: 400,
    body: { error: "model_without_price" },
  });
  expect((await rig.post(`/evaluators/${judge.id}/rules`, { kind: "live", budget: null })).status).toBe(201);
});

test("a trace is in a sample or not by its id, and in every larger one too", () => {
  const ids = Array.from({ length: 5_000 }, () => crypto.randomUUID());
  const sampled = (share: number) => ids.filter((id) => isSampled(id, share));
  expect(sampled(0.1).length / ids.length).toBeCloseTo(0.1, 1);
  expect(sampled(0.1).every((id) => isSampled(id, 0.5))).toBe(true);
  expect(sampled(1)).toHaveLength(ids.length);
});
