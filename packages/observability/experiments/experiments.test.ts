import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentSchema, itemPageSchema, runPageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

async function idsOf(datasetId: string): Promise<readonly string[]> {
  return itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items`)).body).items.map(({ id }) => id);
}

async function runsOf(experimentId: string) {
  return runPageSchema.parse((await rig.get(`/experiments/${experimentId}/runs`)).body).items;
}

describe("an experiment", () => {
  test("counts every run once, keeps every attempt, and shows the newest", async () => {
    const datasetId = await rig.makeDataset([{ input: 1 }]);
    const [item] = await idsOf(datasetId);
    const { id } = await rig.begin(datasetId, { repetitions: 2, evaluators: [{ name: "exact" }] });
    const run = { item_id: item, repetition: 0, state: "succeeded", output: "a", scores: [{ name: "exact", value: true }] };
    const report = (runs: readonly object[]) => rig.post(`/experiments/${id}/runs`, { runs });
    expect((await report([run])).body).toEqual({ written: 1, known: 0 });
    expect((await report([{ ...run, output: "b" }])).body).toEqual({ written: 0, known: 1 });
    expect(await runsOf(id)).toMatchObject([{ output: "a", scores: [{ name: "exact", value: 1, source: "application" }] }]);
    await report([{ ...run, attempt: 2, output: "c", scores: [{ name: "exact", value: null, error: "NaN" }] }]);
    expect(await runsOf(id)).toMatchObject([{ attempt: 2, output: "c", scores: [{ value: null, error: "NaN" }] }]);
    const { rows } = await database.pool.query("select attempt from observability.experiment_runs where experiment_id = $1", [id]);
    expect(rows).toHaveLength(2);
    expect(experimentSchema.parse((await rig.get(`/experiments/${id}`)).body)).toMatchObject({ items: 1, runs: { succeeded: 1 } });
  });

  test("scores a failed run 0, and takes no run of another item or repetition", async () => {
    const datasetId = await rig.makeDataset([{ input: 1, checks: [{ type: "succeeds" }] }]);
    const [item] = await idsOf(datasetId);
    const { id } = await rig.begin(datasetId, {
      evaluators: [{ name: "exact" }, { name: "slips", higher_is_better: false }],
    });
    const report = (run: object) =>
      rig.post(`/experiments/${id}/runs`, { runs: [{ item_id: item, repetition: 0, state: "failed", ...run }] });
    expect(await report({ item_id: uuidv7() })).toMatchObject({ status: 400, body: { error: "item_unknown" } });
    expect(await report({ repetition: 1 })).toMatchObject({ status: 400, body: { error: "repetition_unknown" } });
    await report({ error: "ValueError: no order" });
    const [run] = await runsOf(id);
    expect(run?.checks).toEqual([{ name: "ends without an error", passed: false, reason: "ValueError: no order" }]);
    expect(run?.scores.map(({ name, value }) => [name, value])).toEqual([
      ["checks", 0],
      ["exact", 0],
      ["slips", null],
    ]);
  });

  test("awaits the trace for what happened on the way, and says so when it never comes", async () => {
    const checks = [
      { type: "tool", tool: "find_order", at_most: 1 },
      { type: "tool", tool: "find_order", with: { type: "equals", path: "/order", value: 42 } },
      { type: "tool", tool: "refund", at_least: 0, at_most: 0 },
    ];
    const datasetId = await rig.makeDataset([
      { input: 1, checks },
      { input: 2, checks },
    ]);
    const [one, two] = await idsOf(datasetId);
    const { id } = await rig.begin(datasetId);
    const [arrives, never] = [uuidv7(), uuidv7()];
    const run = { repetition: 0, state: "succeeded" };
    await rig.post(`/experiments/${id}/runs`, {
      runs: [
        { ...run, item_id: one, trace_id: arrives },
        { ...run, item_id: two, trace_id: never },
      ],
    });
    const finish = async (wait: boolean) => experimentSchema.parse((await rig.post(`/experiments/${id}/finish`, { wait })).body);
    expect(await finish(true)).toMatchObject({ state: "running", runs: { unchecked: 2 } });
    await writeEvents(database, agentRun(createProducer(rig.projectId), arrives));
    expect(await finish(true)).toMatchObject({ state: "running", runs: { unchecked: 1 } });
    expect(await finish(false)).toMatchObject({ state: "finished", runs: { unchecked: 0 } });
    const [first, second] = await runsOf(id);
    expect(first?.scores).toMatchObject([{ name: "checks", value: 1 }]);
    expect(second?.scores).toMatchObject([{ name: "checks", value: null, error: expect.stringContaining("its trace did not arrive") }]);
  });

  test("is of a version that exists", async () => {
    const empty = await rig.makeDataset();
    expect(await rig.post("/experiments", { dataset_id: empty, name: "x" })).toMatchObject({
      status: 404,
      body: { error: "version_not_found" },
    });
    const one = await rig.makeDataset([{ input: 1 }]);
    expect(await rig.post("/experiments", { dataset_id: one, name: "x", dataset_version: 2 })).toMatchObject({ status: 404 });
    expect(await rig.post("/experiments", { dataset_id: uuidv7(), name: "x" })).toMatchObject({ status: 404 });
    expect(await rig.post("/experiments", { dataset_id: one, name: "x", repetitions: 10_000 })).toMatchObject({ status: 400 });
  });

  test("takes scores of further evaluators once it is finished, and fills those that are missing", async () => {
    const datasetId = await rig.makeDataset([{ input: 1 }, { input: 2 }, { input: 3 }]);
    const [one, two, three] = await idsOf(datasetId);
    const { id } = await rig.begin(datasetId, { evaluators: [{ name: "exact" }] });
    const run = { item_id: one, repetition: 0 };
    const runs = [
      { ...run, state: "succeeded", scores: [{ name: "exact", value: true }] },
      { ...run, item_id: two, state: "failed" },
      { ...run, item_id: three, state: "missing" },
    ];
    await rig.post(`/experiments/${id}/runs`, { runs });
    const add = (scored: readonly object[], evaluators: readonly object[] = [{ name: "close" }]) =>
      rig.post(`/experiments/${id}/scores`, { evaluators, runs: scored });
    const close = (value: number | null) => ({ ...run, scores: [{ name: "close", value }] });
    expect(await add([close(1)])).toMatchObject({ status: 409, body: { error: "experiment_not_finished" } });
    await rig.post(`/experiments/${id}/finish`, {});
    expect(await add([close(null), { ...run, item_id: two }])).toMatchObject({ body: { written: 2, known: 0 } });
    expect(await add([close(0.5)])).toMatchObject({ body: { written: 1, known: 0 } });
    expect(await add([close(0.75)]), "a value stays").toMatchObject({ body: { written: 0, known: 1 } });
    expect((await runsOf(id)).map(({ scores }) => scores.map(({ name, value }) => [name, value]))).toEqual([
      [
        ["close", 0.5],
        ["exact", 1],
      ],
      [
        ["close", 0],
        ["exact", 0],
      ],
      [],
    ]);
    const found = experimentSchema.parse((await rig.get(`/experiments/${id}`)).body);
    expect(found.evaluators.map(({ name }) => name)).toEqual(["exact", "close"]);
    expect(found.means).toContainEqual(expect.objectContaining({ name: "close", source: "application", mean: 0.25 }));
    expect(await add([close(1)], [{ name: "close", version: "2" }])).toMatchObject({ status: 409, body: { error: "evaluator_differs" } });
    for (const unknown of [{ item_id: three }, { item_id: uuidv7() }, { attempt: 2 }]) {
      expect(await add([{ ...run, ...unknown }])).toMatchObject({ status: 400, body: { error: "run_unknown" } });
    }
  });
});
