import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createdApiKeySchema,
  estimatedJudgingSchema,
  gateSchema,
  itemPageSchema,
  judgeDetailSchema,
  runPageSchema,
  scorePageSchema,
  triedEvaluatorSchema,
} from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

const NO_REFUND = { type: "tool", tool: "refund", at_least: 0, at_most: 0 } as const;
const POLITE = { type: "contains", name: "thanks", value: "thank you" } as const;

let database: TestDatabase<ObservabilitySchema>;
let rig: JudgeRig;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  // No model is there: whoever asked one would fail.
  rig = await createJudgeRig(database, "http://127.0.0.1:9/v1");
  ({ key } = createdApiKeySchema.parse((await rig.post("/keys", { name: "ci", scopes: ["evaluate"] })).body));
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

async function makeChecks(name: string, checks: readonly object[] = [NO_REFUND, POLITE]) {
  const made = await rig.post("/evaluators", { name, definition: { kind: "checks", checks } });
  return judgeDetailSchema.parse(made.body);
}

const scoresOf = async (name: string) => scorePageSchema.parse((await rig.get(`/scores?name=${name}&limit=200`)).body).items;

test("a live trace is checked as it ends: a score with what failed and why, of no model, no money and no judge's trace", async () => {
  const { id, is_calibrated: isCalibrated } = await makeChecks("live");
  expect(isCalibrated).toBeNull();
  const rules = `/evaluators/${id}/rules`;
  expect((await rig.post(rules, { kind: "live", q: "name:shop", budget: null })).status).toBe(201);
  const [fine = "", rude = "", refunded = "", masked = ""] = await rig.endTraces([
    { name: "shop", output: "thank you" },
    { name: "shop", output: "no" },
    { name: "shop", output: "thank you", tool: "refund" },
    { name: "shop", output: "[masked]" },
  ]);
  await rig.endTraces([{ name: "elsewhere", output: "no" }]);
  await rig.judgeAll();
  const scores = await scoresOf("live");
  expect(Object.fromEntries(scores.map((score) => [score.trace_id, [score.value, score.comment]]))).toEqual({
    [fine]: [1, "all hold"],
    [rude]: [0, 'thanks: it is "no"'],
    [refunded]: [0, "refund is called never: it was called 1 times"],
  });
  expect(new Set(scores.map((score) => [score.source, score.data_type, score.judge_trace_id, score.is_calibrated].join(" ")))).toEqual(
    new Set(["check boolean  "]),
  );
  const judgements = await rig.readJudgements(id);
  const { reason, state } = judgements.find((each) => each.trace_id === masked) ?? {};
  expect([state, reason]).toEqual(["skipped", "thanks: the output was cut or masked when it was recorded"]);
  expect(judgements.find((each) => each.trace_id === rude)).toMatchObject({
    score: { value: 0 },
    explanation: 'thanks: it is "no"',
    judge_trace_id: null,
    cost: 0,
    version: 1,
  });
  expect(await rig.readEvaluator(id)).toMatchObject({
    counts: { waiting: 0, judged: 3, skipped: 1, failed: 0, over_budget: 0 },
    spent_today: 0,
  });
  expect(JSON.stringify((await rig.get("/traces?q=purpose:judge")).body)).toContain('"items":[]');
  // What they say is found as any score is.
  expect(JSON.stringify((await rig.get("/traces?q=score.live:<1")).body)).toContain(rude);
});

test("checks have no budget, no name of the items' own, and stay checks; a pattern that is none is told when it is written", async () => {
  const { id } = await makeChecks("refused");
  const rules = `/evaluators/${id}/rules`;
  expect(await rig.post(rules, { kind: "live", budget: 1 })).toMatchObject({ status: 400, body: { error: "checks_cost_nothing" } });
  const rule = await rig.post(rules, { kind: "live", q: "name:nobody", budget: null });
  const change = await rig.patch(`${rules}/${String(rule.body["id"])}`, { is_active: true, budget: 1 });
  expect(change).toMatchObject({ status: 400, body: { error: "checks_cost_nothing" } });
  const judge = await rig.makeEvaluator();
  const checks = { kind: "checks", checks: [POLITE] };
  for (const [path, definition] of [
    [judge.id, checks],
    [id, rig.definition],
  ] as const) {
    const changed = await rig.post(`/evaluators/${path}/versions`, { definition });
    expect(changed).toMatchObject({ status: 400, body: { error: "other_kind_of_evaluator" } });
  }
  expect((await rig.post("/evaluators", { name: "checks", definition: checks })).status).toBe(400);
  expect((await rig.post("/evaluators", { name: "none", definition: { kind: "checks", checks: [] } })).status).toBe(400);
  const broken = { kind: "checks", checks: [{ type: "matches", pattern: "(" }] };
  expect(await rig.post("/evaluators", { name: "broken", definition: broken })).toMatchObject({ body: { error: "invalid_check" } });
  const changed = await rig.post(`/evaluators/${id}/versions`, { definition: checks });
  expect(changed).toMatchObject({ status: 201, body: { version: 2, definition: { checks: [{ name: "thanks" }] } } });
});

test("of many past traces, by two replicas at once, each is judged or skipped once; a draft is tried for nothing", async () => {
  const traces = Array.from({ length: 150 }, (_, at) => ({
    name: "past",
    output: at % 3 === 0 ? "[masked]" : at % 3 === 1 ? "thank you" : "no",
  }));
  await rig.endTraces(traces);
  const definition = { kind: "checks", checks: [POLITE] };
  const told = estimatedJudgingSchema.parse((await rig.post("/evaluators/estimate", { definition, q: "name:past", size: 150 })).body);
  expect(told).toMatchObject({ matching: 150, chosen: 150, about: 0, at_most: 0 });
  const tried = await Promise.all(
    told.trace_ids.map(async (id) => triedEvaluatorSchema.parse((await rig.post("/evaluators/try", { definition, trace_id: id })).body)),
  );
  expect(new Set(tried.map(({ state, score, cost }) => `${state} ${score?.value} ${cost}`))).toEqual(
    new Set(["judged 1 0", "judged 0 0", "skipped undefined null"]),
  );
  const { id } = await makeChecks("past", [POLITE]);
  const rules = `/evaluators/${id}/rules`;
  expect((await rig.post(rules, { kind: "past", q: "name:past", size: 150, budget: null })).body["chosen"]).toBe(150);
  await Promise.all([rig.tasks.judgeDue(), rig.createTasks().judgeDue()]);
  expect((await rig.readEvaluator(id)).counts).toEqual({ waiting: 0, judged: 100, skipped: 50, failed: 0, over_budget: 0 });
  const scores = await scoresOf("past");
  expect(scores.length).toBe(100);
  expect(scores.filter(({ value }) => value === 1).length).toBe(50);
  // One that is cancelled checks nothing any more, and is made up for.
  const more = await rig.post(rules, { kind: "past", q: "name:past", size: 10, budget: null });
  const rule = `${rules}/${String(more.body["id"])}`;
  await rig.patch(rule, { is_active: false });
  expect((await rig.readEvaluator(id)).rules[0]?.counts).toMatchObject({ waiting: 0, skipped: 10 });
  expect((await rig.post(`${rule}/make-up`)).body).toEqual({ waiting: 10 });
  await rig.tasks.judgeDue();
  expect((await rig.readEvaluator(id)).rules[0]?.counts).toMatchObject({ waiting: 0 });
});

async function runExperiment(outputs: readonly (string | null)[], checks: readonly object[] = []): Promise<string> {
  const dataset = await rig.post("/datasets", { name: `d ${Math.random()}` }, key);
  const items = `/datasets/${String(dataset.body["id"])}/items`;
  await rig.post(items, { items: outputs.map((_, index) => ({ input: `item ${index}`, checks, required: true })) }, key);
  const listed = itemPageSchema.parse((await rig.get(`${items}?limit=100`, key)).body).items;
  const experiment = await rig.post("/experiments", { dataset_id: dataset.body["id"], name: "try" }, key);
  const path = `/experiments/${String(experiment.body["id"])}`;
  const runs = listed.map(({ id }, at) => {
    const output = outputs[at] ?? null;
    return { item_id: id, repetition: 0, state: output === null ? "failed" : "succeeded", output };
  });
  await rig.post(`${path}/runs`, { runs }, key);
  await rig.post(`${path}/finish`, {}, key);
  return path;
}

test("the runs of an experiment are checked: beside their items' own checks, and of a gate only where they are named", async () => {
  const path = await runExperiment(["thank you", "no", null], [{ type: "succeeds" }]);
  const { id } = await makeChecks("thankful", [POLITE]);
  const rule = { kind: "experiment", experiment_id: path.split("/").at(-1), budget: null };
  expect((await rig.post(`/evaluators/${id}/rules`, rule)).body["chosen"]).toBe(3);
  const before = gateSchema.parse((await rig.get(`${path}/gate`, key)).body);
  await rig.tasks.judgeDue();
  const runs = runPageSchema.parse((await rig.get(`${path}/runs`, key)).body).items;
  const said = runs.map(({ scores }) => scores.map(({ source, name, value, explanation }) => [source, name, value, explanation]));
  expect(said.toSorted((one, other) => String(other).localeCompare(String(one)))).toEqual(
    expect.arrayContaining([
      [
        ["check", "checks", 1, null],
        ["check", "thankful", 1, "all hold"],
      ],
      [
        ["check", "checks", 1, null],
        ["check", "thankful", 0, 'thanks: it is "no"'],
      ],
      [
        ["check", "checks", 0, expect.any(String)],
        ["check", "thankful", 0, "the run failed"],
      ],
    ]),
  );
  expect(new Set((await rig.readJudgements(id)).map(({ score, explanation }) => `${score?.value} ${explanation}`))).toEqual(
    new Set(["1 all hold", '0 thanks: it is "no"', "0 the run failed"]),
  );
  const gate = gateSchema.parse((await rig.get(`${path}/gate`, key)).body);
  expect([gate.outcome, gate.reasons, gate.required]).toEqual([before.outcome, before.reasons, before.required]);
  const score = gate.comparison.scores.find(({ name }) => name === "thankful");
  expect(score).toMatchObject({ source: "check", higher_is_better: true, is_calibrated: null, candidate: { items: 3, missing: 0 } });
  // What a check of the way needs is not there: nothing passes it.
  const way = await makeChecks("way", [NO_REFUND]);
  await rig.post(`/evaluators/${way.id}/rules`, rule);
  await rig.tasks.judgeDue();
  expect((await rig.readJudgements(way.id)).map(({ state, reason }) => `${state} ${reason}`).toSorted()).toEqual([
    "judged null",
    "skipped refund is called never: its trace did not arrive",
    "skipped refund is called never: its trace did not arrive",
  ]);
});
