import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentComparisonSchema, experimentItemPageSchema, experimentSchema, gateSchema, itemPageSchema } from "#contract.ts";
import { countMarkedTraces } from "#counting/count-traces.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const ITEMS = 40;
const PRICE = { model: "m-1-2026", input: 1, output: 10, valid_from: "2026-01-01T00:00:00.000Z" };

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;
let datasetId: string;
let ids: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
  await rig.api.put(`${rig.base}/prices`, PRICE, "tenant-1:admin");
  datasetId = await rig.makeDataset(Array.from({ length: ITEMS }, (_, at) => ({ input: at, checks: [{ type: "equals", value: "good" }] })));
  ids = itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items?limit=200`)).body).items.map(({ id }) => id);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

/** Runs whose traces are counted before they are reported, or after. */
async function run(
  branch: string,
  { tokens, isCountedFirst }: { readonly tokens: number; readonly isCountedFirst: boolean },
): Promise<string> {
  const { id } = await rig.begin(datasetId, { branch });
  const traces = ids.map(() => uuidv7());
  const producer = createProducer(rig.projectId);
  const trace = async () => {
    for (const traceId of traces) {
      const events = agentRun(producer, traceId).map((event) =>
        event.type === "trace.start"
          ? { ...event, body: { ...event.body, purpose: "experiment" as const } }
          : event.type === "observation.end" && event.body.usage !== undefined
            ? { ...event, body: { ...event.body, usage: { input_tokens: tokens, output_tokens: 0 } } }
            : event,
      );
      await writeEvents(database, events);
    }
    while (await countMarkedTraces(database.query, rig.projectId)) {
      // The traces that are left.
    }
  };
  const report = async () => {
    const runs = ids.map((item, at) => ({
      item_id: item,
      repetition: 0,
      state: "succeeded",
      output: "good",
      trace_id: traces[at],
      duration_ms: tokens,
    }));
    await rig.post(`/experiments/${id}/runs`, { runs });
  };
  await (isCountedFirst ? trace() : report());
  await (isCountedFirst ? report() : trace());
  await rig.post(`/experiments/${id}/finish`, {});
  return id;
}

test("what runs took is compared within a part of the baseline, whichever comes first, and decides no gate unless it is named", async () => {
  const base = await run("main", { tokens: 1_000, isCountedFirst: true });
  const dear = await run("dear", { tokens: 1_500, isCountedFirst: false });
  const alike = await run("alike", { tokens: 1_020, isCountedFirst: false });
  const compare = async (id: string) =>
    experimentComparisonSchema.parse((await rig.get(`/experiments/${id}/comparison?baseline=${base}`)).body);
  const { scores, candidate } = await compare(dear);
  expect(candidate.cost).toBeCloseTo(ITEMS * 0.0015, 9);
  expect(scores.map(({ name, source, difference }) => [name, source, difference?.verdict])).toEqual([
    ["checks", "check", "same"],
    ["cost", "run", "worse"],
    ["duration", "run", "worse"],
    ["tokens", "run", "worse"],
  ]);
  expect(scores[2]).toMatchObject({ candidate: { mean: 1.5, missing: 0 }, difference: { value: 0.5, margin: 0.1, worsened: ITEMS } });
  expect((await compare(alike)).scores.map(({ difference }) => difference?.verdict)).toEqual(["same", "same", "same", "same"]);
  const gate = async (id: string, primary: string) =>
    gateSchema.parse((await rig.get(`/experiments/${id}/gate?baseline=${base}${primary}`)).body).outcome;
  expect([await gate(dear, ""), await gate(dear, "&primary=checks,cost"), await gate(alike, "&primary=cost")]).toEqual([
    "passed",
    "worse",
    "passed",
  ]);
  const listed = experimentSchema.parse((await rig.get(`/experiments/${base}`)).body);
  expect(listed.cost).toBeCloseTo(ITEMS * 0.001, 9);
  expect(listed.means.map(({ name, source, mean }) => [name, source, Number(mean.toPrecision(3))])).toEqual([
    ["checks", "check", 1],
    ["cost", "run", 0.001],
    ["duration", "run", 1],
    ["tokens", "run", 1_000],
  ]);
  const [checks, cost] = listed.means;
  expect(checks).toMatchObject({ low: expect.closeTo(0.912, 3), high: 1, items: ITEMS });
  expect(cost).toMatchObject({ low: expect.closeTo(0.001, 9), high: expect.closeTo(0.001, 9), items: ITEMS });
  expect(listed.gate).toBeNull();
  const asked = `/experiments/${dear}/gate?baseline=${base}&primary=cost`;
  const before = (await rig.get(`/experiments/${dear}`)).body["gate"];
  expect([before, (await rig.post(asked, {})).body["outcome"]]).toEqual([null, "worse"]);
  expect((await rig.get(`/experiments/${dear}`)).body).toMatchObject({ gate: { outcome: "worse", baseline: base } });
});

test.for([true, false])(
  "a failed run says the line at which its trace failed (counted first: %s), and makes no issue",
  async (isCountedFirst) => {
    const id = await rig.makeDataset([{ input: uuidv7() }]);
    const [item] = itemPageSchema.parse((await rig.get(`/datasets/${id}/items`)).body).items;
    const { id: experiment } = await rig.begin(id);
    const traceId = uuidv7();
    const events = agentRun(createProducer(rig.projectId), traceId).map((event) => {
      const failed = { status: "failure" as const, error: "TimeoutError: no answer" };
      if (event.type === "trace.start") {
        return { ...event, body: { ...event.body, purpose: "experiment" as const } };
      }
      if (event.type === "trace.end") {
        return { ...event, body: { ...event.body, ...failed } };
      }
      const isCall = event.type === "observation.end" && event.body.usage !== undefined;
      return event.type === "observation.end" && !isCall ? { ...event, body: { ...event.body, ...failed } } : event;
    });
    const trace = async () => {
      await writeEvents(database, events);
      await countAndFind(database, rig.projectId);
    };
    const report = async () => {
      const failed = { item_id: item?.id, repetition: 0, state: "failed", error: "TimeoutError: no answer", trace_id: traceId };
      await rig.post(`/experiments/${experiment}/runs`, { runs: [failed] });
    };
    await (isCountedFirst ? trace() : report());
    await (isCountedFirst ? report() : trace());
    await rig.post(`/experiments/${experiment}/finish`, {});
    await countAndFind(database, rig.projectId);
    const { items } = experimentItemPageSchema.parse((await rig.get(`/experiments/${experiment}/items`)).body);
    expect(items[0]?.candidate.runs).toMatchObject([{ state: "failed", place: { path: "src/tools.ts", line: 12 } }]);
    expect((await rig.get("/issues", "tenant-1:admin")).body).toMatchObject({ items: [] });
  },
);
