import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createdApiKeySchema, itemPageSchema, preferencesSchema, type JudgeDefinitionInput } from "#contract.ts";
import { carryOutDeletions } from "#deletion/carry-out-deletions.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import modelAnswers from "#testing/model-answers.json" with { type: "json" };
import { scriptedAnswersSchema, startAnsweringModel, type AnsweringModel, type ScriptedAnswer } from "#testing/answering-model.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;
let key: string;
let script: readonly ScriptedAnswer[];

const says = (contains: string, value: string): ScriptedAnswer => ({ contains, says: { explanation: `It is ${value}.`, value } });
/** Prefers what is good, wherever it stands. */
const FAIR = [says("first>>\ngood", "first"), says("second>>\ngood", "second"), says("", "tie")];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel((prompt) => script.find(({ contains = "" }) => prompt.includes(contains)) ?? { status: 500 });
  rig = await createJudgeRig(database, model.url);
  const made = await rig.post("/keys", { name: "ci", scopes: ["evaluate"] });
  ({ key } = createdApiKeySchema.parse(made.body));
});
beforeEach(() => {
  script = FAIR;
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

const variables = ["input", "expected", "first", "second"].map((name) => ({ name, of: "run" as const, path: `/${name}` }));
const PREFERENCE: Partial<JudgeDefinitionInput> = {
  rubric: "{{input}} {{expected}} {{first}} {{second}}",
  variables,
  output: { type: "preference" },
};

type Outputs = readonly (string | readonly string[])[];

/** An experiment with these outputs, by item and repetition; `failed` is a run that failed. */
async function runExperiment(dataset: string, outputs: Outputs): Promise<string> {
  const items = itemPageSchema.parse((await rig.get(`/datasets/${dataset}/items?limit=100`, key)).body).items;
  const { body } = await rig.post("/experiments", { dataset_id: dataset, name: "try", repetitions: [outputs[0]].flat().length }, key);
  const runs = items.flatMap(({ id }, at) =>
    [outputs[at] ?? ""].flat().map((output, repetition) => {
      const state = output === "failed" ? "failed" : "succeeded";
      return { item_id: id, repetition, state, output: state === "failed" ? null : output };
    }),
  );
  await rig.post(`/experiments/${String(body["id"])}/runs`, { runs }, key);
  await rig.post(`/experiments/${String(body["id"])}/finish`, {}, key);
  return String(body["id"]);
}

async function makePair(candidate: Outputs, baseline: Outputs) {
  const dataset = String((await rig.post("/datasets", { name: `d ${Math.random()}` }, key)).body["id"]);
  const items = candidate.map((_output, at) => ({ input: `item ${at}`, expected: "it", subject: `user-${at}` }));
  await rig.post(`/datasets/${dataset}/items`, { items }, key);
  return { baseline: await runExperiment(dataset, baseline), candidate: await runExperiment(dataset, candidate) };
}

type Pair = Awaited<ReturnType<typeof makePair>>;

async function judgePair(id: string, { candidate, baseline }: Pair, budget: number | null = null) {
  const made = await rig.post(`/evaluators/${id}/rules`, { kind: "experiment", experiment_id: candidate, baseline_id: baseline, budget });
  await rig.judgeAll();
  return made;
}

const measure = async ({ candidate, baseline }: Pair) =>
  preferencesSchema.parse((await rig.get(`/experiments/${candidate}/preferences?baseline=${baseline}`, key)).body).summaries;

test("a judge is asked twice, sides swapped; what failed loses without being asked about", async () => {
  const judge = await rig.makeEvaluator(PREFERENCE, "fair");
  const pair = await makePair(["good", "bad", "same", "good", "failed", "failed"], ["bad", "good", "same", "failed", "bad", "failed"]);
  const asked = model.asked.length;
  expect((await judgePair(judge.id, pair)).body).toMatchObject({ chosen: 12 });
  expect(model.asked.length).toBe(asked + 6);
  expect(model.asked.slice(asked).join("")).not.toContain(pair.candidate);
  expect((await rig.readEvaluator(judge.id)).counts).toMatchObject({ judged: 12, waiting: 0 });
  expect(await measure(pair)).toMatchObject([
    { judge: { name: "fair", version: 1, is_calibrated: false }, items: 6, won: 2, lost: 2, tied: 2, follows_position: 0, incomplete: 0 },
  ]);
  const judgements = await rig.readJudgements(judge.id);
  const said = judgements.filter(({ cost }) => cost > 0).map(({ score }) => score?.text_value ?? "");
  expect(said.toSorted((one, other) => one.localeCompare(other))).toEqual(["baseline", "baseline", "candidate", "candidate", "tie", "tie"]);
  expect(JSON.stringify((await rig.get("/traces?q=purpose:judge")).body)).toContain("judge fair");
});

test("a judge that goes by the side knows of no difference, and that is counted", async () => {
  // The first one always, as `npm run fake-model` answers.
  script = scriptedAnswersSchema.parse(modelAnswers);
  const judge = await rig.makeEvaluator(PREFERENCE, "positional");
  const pair = await makePair(["good", "good", "good"], ["bad", "bad", "bad"]);
  await judgePair(judge.id, pair);
  expect(await measure(pair)).toMatchObject([
    { judge: { name: "positional" }, items: 3, won: 0, lost: 0, tied: 3, follows_position: 3, rate: { value: 0.5 } },
  ]);
});

test("judged once more the other way about, a pair has two answers still", async () => {
  const pair = await makePair(["good", "poor"], ["poor", "good"]);
  const { id, name } = await rig.makeEvaluator(PREFERENCE);
  await judgePair(id, pair);
  await judgePair(id, { candidate: pair.baseline, baseline: pair.candidate });
  const { rows } = await database.pool.query("select from observability.preferences where author = $1", [name]);
  expect(rows).toHaveLength(4);
  expect(await measure(pair)).toMatchObject([{ judge: { name }, items: 2, won: 1, lost: 1, tied: 0 }]);
  const said = (await rig.readJudgements(id)).map((each) => each.score?.text_value);
  expect(said.filter((value) => value === "candidate")).toHaveLength(4);
  expect(said.filter((value) => value === "baseline")).toHaveLength(4);
});

test("repetitions are averaged in their item, and people stand apart, with how far the judge agrees", async () => {
  const judge = await rig.makeEvaluator(PREFERENCE, "repeated");
  const pair = await makePair(
    [
      ["good", "bad"],
      ["good", "good"],
    ],
    [
      ["bad", "same"],
      ["bad", "bad"],
    ],
  );
  await judgePair(judge.id, pair);
  const next = `/experiments/${pair.candidate}/preferences/next?baseline=${pair.baseline}`;
  for (let at = 0; at < 2; at += 1) {
    const { body } = await rig.get(next, "tenant-1:member:ann");
    const { item_id: id, first } = (body["pair"] ?? {}) as { item_id: string; first: { output: string } };
    const said = { preferred: first.output === '"bad"' || first.output === '"same"' ? "second" : "first" };
    const path = `${rig.base}/experiments/${pair.candidate}/preferences/${id}?baseline=${pair.baseline}`;
    expect((await rig.api.put(path, said, "tenant-1:member:ann")).status).toBe(204);
  }
  const [people, judged] = await measure(pair);
  expect(people).toMatchObject({ judge: null, people: 1, items: 2 });
  expect(judged).toMatchObject({ items: 2, won: 2, tied: 0, rate: { value: 0.875 }, agreement: { items: 2 } });
});

test("a budget is held, what it left out is made up for, and half a question counts nowhere", async () => {
  const judge = await rig.makeEvaluator(PREFERENCE, "poor");
  const pair = await makePair(["good"], ["bad"]);
  const made = await judgePair(judge.id, pair, 0.01);
  expect((await rig.readEvaluator(judge.id)).counts).toMatchObject({ judged: 0, over_budget: 2 });
  expect(await measure(pair)).toEqual([]);
  const rule = `/evaluators/${judge.id}/rules/${String(made.body["id"])}`;
  await rig.patch(rule, { is_active: true, budget: 1 });
  const makeUp = async () => {
    const { body } = await rig.post(`${rule}/make-up`);
    await rig.judgeAll();
    return body["waiting"];
  };
  script = [{ contains: "second>>\ngood", status: 400 }, ...FAIR];
  expect(await makeUp()).toBe(2);
  expect((await rig.readEvaluator(judge.id)).counts).toMatchObject({ judged: 1, failed: 1 });
  expect(await measure(pair)).toMatchObject([{ items: 0, incomplete: 1, rate: null }]);
  script = FAIR;
  expect(await makeUp()).toBe(1);
  expect(await measure(pair)).toMatchObject([{ items: 1, won: 1, incomplete: 0 }]);
});

test("a preference is of two finished experiments of one dataset, and nothing else is", async () => {
  const judge = await rig.makeEvaluator(PREFERENCE, "strict");
  const [pair, elsewhere] = [await makePair(["good"], ["bad"]), await makePair(["good"], ["bad"])];
  const rule = async (id: string, body: object) => (await rig.post(`/evaluators/${id}/rules`, { budget: null, ...body })).body["error"];
  const one = { kind: "experiment", experiment_id: pair.candidate };
  expect(await rule(judge.id, one)).toBe("pair_needed");
  expect(await rule(judge.id, { kind: "live" })).toBe("pair_needed");
  expect(await rule(judge.id, { ...one, baseline_id: pair.candidate })).toBe("own_baseline");
  expect(await rule(judge.id, { ...one, baseline_id: elsewhere.baseline })).toBe("other_dataset");
  const other = await rig.makeEvaluator({}, "boolean");
  expect(await rule(other.id, { ...one, baseline_id: pair.baseline })).toBe("pair_needed");
  const refused = await rig.post("/evaluators", { name: "half", definition: { ...rig.definition, output: { type: "preference" } } });
  expect(refused.status).toBe(400);
  expect((await rig.get(`/evaluators/${judge.id}/calibration`)).body).toMatchObject({ is_calibrated: false });
});

test("what a judge said of a user's item, or of a run of their trace on either side, goes with the user, its traces too", async () => {
  const judge = await rig.makeEvaluator(PREFERENCE, "forgetful");
  const pair = await makePair(["good", "good", "good"], ["bad", "bad", "bad"]);
  await judgePair(judge.id, pair);
  const [trace] = await rig.endTraces([{ output: "bad", user: "user-0" }]);
  const items = await database.pool.query("select item_id from observability.item_revisions where project_id = $1 and subject = 'user-1'", [
    rig.projectId,
  ]);
  const { rows: runs } = await database.pool.query(
    "update observability.experiment_runs set trace_id = $1 where project_id = $2 and experiment_id = $3 and item_id = any($4) returning item_id",
    [trace, rig.projectId, pair.baseline, items.rows.map((row: { item_id: string }) => row.item_id)],
  );
  expect(runs).toHaveLength(1);
  await rig.api.server.inject({ method: "DELETE", url: `${rig.base}/users/user-0`, headers: { authorization: "Bearer tenant-1:admin" } });
  const settledBefore = new Date(Date.now() + 3_600_000);
  await carryOutDeletions({ query: database.query, each: eachOwnerUnderTest(), settledBefore, signal: new AbortController().signal });
  const { rows } = await database.pool.query(
    "select count(reason)::int as told, count(*)::int as all from observability.preferences where newer_id = $1",
    [pair.candidate],
  );
  expect(rows).toEqual([{ told: 2, all: 6 }]);
  expect(await rig.readJudgements(judge.id)).toHaveLength(2);
});
