import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeDivergence, itemPageSchema, nodesSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { callTool } from "#testing/call-tool.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

const ITEMS = 40;
const BROKEN = 9;

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;
let datasetId: string;
let ids: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
  datasetId = await rig.makeDataset(Array.from({ length: ITEMS }, (_, at) => ({ input: at, checks: [{ type: "equals", value: "good" }] })));
  ids = itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items?limit=200`)).body).items.map(({ id }) => id);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

type Running = { readonly branch: string; readonly broken?: number; readonly isLate?: boolean };

/** Broken runs call another tool; late traces arrive after the experiment ended. */
async function run({ branch, broken = 0, isLate = false }: Running): Promise<string> {
  const { id } = await rig.begin(datasetId, { branch });
  const producer = createProducer(rig.projectId);
  const runs = ids.map((item, at) => ({
    item_id: item,
    repetition: 0,
    state: "succeeded",
    output: at < broken ? "bad" : "good",
    trace_id: uuidv7(),
  }));
  const trace = async () => {
    for (const [at, { trace_id: traceId }] of runs.entries()) {
      const events = agentRun(producer, traceId).map((event) =>
        event.type === "observation.start" && event.body.kind === "tool" && at < broken
          ? { ...event, body: { ...event.body, name: "refund" } }
          : event,
      );
      await writeEvents(database, events);
    }
  };
  await (isLate ? undefined : trace());
  await rig.post(`/experiments/${id}/runs`, { runs });
  await rig.post(`/experiments/${id}/finish`, {});
  await (isLate ? trace() : undefined);
  return id;
}

const compare = async (id: string, baseline: string) =>
  nodesSchema.parse((await rig.get(`/experiments/${id}/nodes?baseline=${baseline}`)).body);

test("the first divergence of failing items is told with its line, also when their traces came late or are gone", async () => {
  const main = await run({ branch: "main", isLate: true });
  const change = await run({ branch: "change", broken: BROKEN });
  const { first_divergence: first, nodes, runs, unknown } = await compare(change, "main");
  expect({ runs, unknown }).toEqual({ runs: { candidate: ITEMS, baseline: ITEMS }, unknown: { candidate: 0, baseline: 0 } });
  expect(first).toMatchObject({ items: BROKEN, failing: BROKEN, candidate_place: { path: "src/tools.ts", line: 12 } });
  expect(first === null ? "" : describeDivergence(first)).toMatch(/^begins at src\/tools\.ts:12: refund runs instead of find_order /);
  expect(nodes.find(({ path, aspect }) => path === "plan › refund" && aspect === "runs")).toMatchObject({
    baseline: 0,
    candidate: BROKEN / ITEMS,
    items: ITEMS,
    stands_out: true,
  });
  expect(await callTool(database, "get_experiment", { experiment: change, baseline: "main" })).toMatch(
    /^first divergence: begins at src\/tools\.ts:12: refund runs instead of find_order \(.*\) in 9 of 9 failing items$/mu,
  );
  await database.pool.query("delete from observability.traces where project_id = $1", [rig.projectId]);
  expect((await compare(change, main)).first_divergence).toEqual(first);
});

test("an experiment beside one that did the same begins nowhere, and runs without a trace are counted as unknown", async () => {
  const before = await run({ branch: "before" });
  expect((await compare(await run({ branch: "same" }), before)).first_divergence).toBeNull();
  const { id } = await rig.begin(datasetId);
  await rig.post(`/experiments/${id}/runs`, { runs: [{ item_id: ids[0], repetition: 0, state: "failed" }] });
  expect(await compare(id, before)).toMatchObject({ nodes: [], first_divergence: null, unknown: { candidate: 1, baseline: 0 } });
});
