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

/** @returns the id of an experiment of three runs, the last of which failed. */
async function runExperiment(): Promise<string> {
  const dataset = await rig.post("/datasets", { name: `d ${Math.random()}` }, key);
  const items = `/datasets/${String(dataset.body["id"])}/items`;
  await rig.post(items, { items: ["one", "two", "three"].map((input) => ({ input, expected: input, subject: "ann" })) }, key);
  const listed = itemPageSchema.parse((await rig.get(`${items}?limit=10`, key)).body).items;
  const experiment = await rig.post("/experiments", { dataset_id: dataset.body["id"], name: "try" }, key);
  const path = `/experiments/${String(experiment.body["id"])}`;
  const runs = listed.map(({ id }, index) => ({
    item_id: id,
    repetition: 0,
    state: index === 2 ? "failed" : "succeeded",
    output: index === 1 ? "wrong" : "right",
  }));
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
