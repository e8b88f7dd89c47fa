import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { calibrationSchema, createdApiKeySchema, type JudgeOutput, type ScoreValue } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";
import { compareWithPeople, isHeldBack } from "./calibrate.ts";
import type { Labelled } from "./calibration.store.ts";

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel((prompt) => ({ says: { explanation: "So it seems.", value: prompt.includes("seems polite") } }));
  rig = await createJudgeRig(database, model.url);
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

test("a judge that agrees with people is calibrated, which lapses with its version; what is held back is not shown", async () => {
  const judge = await rig.makeEvaluator({}, "polite");
  const calibration = async () => calibrationSchema.parse((await rig.get(`/evaluators/${judge.id}/calibration`)).body);
  const isCalibrated = async () => (await rig.readEvaluator(judge.id)).is_calibrated;
  const TRACES = 200;
  // Every 20th is judged wrongly.
  const truth = (at: number) => at % 2 === 0;
  const ids = await rig.endTraces(
    Array.from({ length: TRACES }, (_, at) => ({ output: truth(at) === at % 20 > 1 ? "seems polite" : "seems rude", name: "labelled" })),
  );
  await rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", q: "name:labelled", size: TRACES, budget: null });
  await rig.judgeAll();
  // What comes with a key is an application's, or a model's, and no label of people's.
  const { key } = createdApiKeySchema.parse((await rig.post("/keys", { name: "app", scopes: ["scores"] })).body);
  expect((await rig.post("/scores", { trace_id: ids[0], name: "polite", value: true }, key)).status).toBe(201);
  expect(await calibration()).toMatchObject({ is_calibrated: false, labels: { open: 0, held_back: 0 }, differing: [], rates: null });
  const label = async (value: boolean | number, chosen: readonly string[]) => {
    const { status } = await rig.post("/traces/score", { name: "polite", value, trace_ids: chosen });
    expect(status).toBe(200);
  };
  await label(
    true,
    ids.filter((_, at) => truth(at) && at < 50),
  );
  await label(
    false,
    ids.filter((_, at) => !truth(at) && at < 50),
  );
  expect((await calibration()).missing).toEqual([
    "There are 25 labels on what people call true; it takes 30.",
    "There are 25 labels on what people call false; it takes 30.",
  ]);
  expect(await isCalibrated()).toBe(false);
  await label(
    true,
    ids.filter((_, at) => truth(at)),
  );
  await label(
    false,
    ids.filter((_, at) => !truth(at)),
  );
  await rig.tasks.calibrateDue();
  const found = await calibration();
  expect(found).toMatchObject({ version: 1, is_calibrated: true, missing: [], left_out: { other_type: 0, tied: 0 } });
  expect(await isCalibrated()).toBe(true);
  expect(found.labels.open + found.labels.held_back).toBe(TRACES);
  expect(found.labels.held_back).toBe(ids.filter(isHeldBack).length);
  expect(found.confusion.reduce((sum, { items }) => sum + items, 0)).toBe(found.labels.held_back);
  expect(found.agreement[0]?.measure).toBe("kappa");
  expect(found.differing.map(({ trace_id: id }) => id).toSorted((one, other) => one.localeCompare(other))).toEqual(
    ids.filter((id, at) => at % 20 < 2 && !isHeldBack(id)),
  );
  expect(found.rates?.judge.value).toBeCloseTo(0.5, 9);
  expect(found.rates?.corrected?.low).toBeLessThan(0.5);
  expect(found.rates?.corrected?.high).toBeGreaterThan(0.5);
  await rig.post(`/evaluators/${judge.id}/versions`, { definition: { ...judge.definition, rubric: "Is it? {{answer}}" } });
  expect(await isCalibrated()).toBe(false);
  expect(await calibration()).toMatchObject({ version: 2, is_calibrated: false, labels: { open: 0, held_back: 0 } });
});

type LabelType = Exclude<JudgeOutput["type"], "preference">;

const said = (value: number | string, type: LabelType): ScoreValue =>
  typeof value === "string" ? { data_type: type, value: null, text_value: value } : { data_type: type, value, text_value: null };

function labels<Value extends number | string>(type: LabelType, items: readonly (readonly [people: readonly Value[], judge: Value])[]) {
  return items.flatMap(([people, judge]): Labelled[] => {
    const id = uuidv7();
    return people.map((value) => ({ trace_id: id, item_id: null, people: said(value, type), judge: said(judge, type) }));
  });
}

test("several people are one label: of categories the most, of numbers the mean; even votes and other types are left out", () => {
  const categories = ["good", "fair", "bad"];
  const items = categories.flatMap((value) => Array.from({ length: 200 }, () => [[value, value, "bad"], value] as const));
  const found = compareWithPeople(
    [
      ...labels("category", items),
      ...labels("category", [[["good", "fair"], "good"]]),
      ...labels("boolean", [[[1], 1]]),
      // A value that it does not have any more.
      ...labels("category", [[["gone"], "good"]]),
    ],
    { output: { type: "category", categories }, judged: [200, 200, 200] },
  );
  expect(found).toMatchObject({ is_calibrated: true, left_out: { other_type: 2, tied: 1 }, rates: null });
  expect(found.classes.map(({ value, labels: count }) => [value, count])).toEqual(categories.map((value) => [value, 200]));
  const numbers = Array.from({ length: 100 }, (_, at) => [[at % 5, (at % 5) + 1], (at % 5) + 0.5] as const);
  const output = { type: "number", minimum: 0, maximum: 6 } as const;
  expect(compareWithPeople(labels("number", numbers), { output, judged: [] })).toMatchObject({
    is_calibrated: true,
    agreement: [
      { measure: "weighted_kappa", value: 1 },
      { measure: "icc", value: 1 },
    ],
  });
  const apart = numbers.map(([people], at) => [people, (at * 7) % 5] as const);
  expect(compareWithPeople(labels("number", apart), { output, judged: [] }).missing[0]).toContain("The lower limit of the agreement is");
});

test("of labels that differed the one that settles them counts alone", async () => {
  const judge = await rig.makeEvaluator({}, "settled");
  const [id = ""] = await rig.endTraces([{ output: "seems polite", name: "settled" }]);
  await rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", q: "name:settled", size: 1, budget: null });
  await rig.judgeAll();
  expect((await rig.post("/traces/score", { name: "settled", value: false, trace_ids: [id] })).status).toBe(200);
  await database.pool.query(
    `insert into observability.scores (project_id, trace_id, event_id, name, data_type, value, source, author, is_resolution, scored_at)
     select project_id, trace_id, gen_random_uuid(), name, data_type, 1, source, 'resolver', true, now() from observability.scores
     where trace_id = $1 and source = 'person'`,
    [id],
  );
  const { classes, left_out } = calibrationSchema.parse((await rig.get(`/evaluators/${judge.id}/calibration`)).body);
  expect(classes.map((each) => [each.value, each.labels])).toEqual([
    ["true", 1],
    ["false", 0],
  ]);
  expect(left_out).toEqual({ other_type: 0, tied: 0 });
});
