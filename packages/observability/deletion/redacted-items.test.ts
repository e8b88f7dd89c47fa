import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { itemPageSchema, runPageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { findText } from "#testing/find-text.ts";
import { writeEvents } from "#testing/write-events.ts";
import { carryOutDeletions } from "./carry-out-deletions.ts";

const OWNER = "tenant-1:admin";
const WORD = "PLANTED4711";
const LATER = new Date(Date.now() + 3_600_000);

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let rig: EvaluationRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  rig = await createEvaluationRig(database);
});
afterAll(async () => {
  await rig.close();
  await redis.close();
  await database.drop();
});

test("a deleted user's words are in no item, revision, run or score, and how it scored stays", async () => {
  const kept = { input: "kept-text", checks: [{ type: "succeeds" }], subject: "john", cluster: "c" };
  const hers = {
    input: { said: WORD },
    expected: [WORD],
    checks: [{ type: "equals", value: WORD, name: WORD }],
    metadata: { [WORD]: WORD },
    subject: "erika",
    cluster: `session of erika ${WORD}`,
    source: { path: "src/a.ts", line: 3, incomplete: [`input/${WORD}`] },
  };
  const datasetId = await rig.makeDataset([hers, kept]);
  const [item, other] = await itemsOf(datasetId);
  // What was taken over into another revision is hers too, whatever that says.
  await rig.post(`/datasets/${datasetId}/items`, { items: [{ ...hers, id: item, input: `still ${WORD}`, subject: null }] });
  const experiment = await rig.begin(datasetId, { dataset_version: 1, repetitions: 2, evaluators: [{ name: "exact" }] });
  const run = { item_id: item, repetition: 0, state: "failed", output: WORD, error: `wrong ${WORD}`, duration_ms: 5 };
  const scores = [{ name: "exact", value: null, explanation: WORD, error: WORD }];
  const report = (runs: readonly object[]) => rig.post(`/experiments/${experiment.id}/runs`, { runs });
  await report([
    { ...run, scores },
    { ...run, attempt: 2, scores: [{ ...scores[0], value: 0.25 }] },
    { ...run, item_id: other, output: null, error: "kept-error" },
  ]);
  await report([{ ...run, item_id: other, repetition: 1, output: "kept-output", error: null, state: "succeeded" }]);

  await deleteUser("erika");
  expect(await findText(database, redis.client, ["erika"])).toEqual([]);
  // One that was handed out before is reported now.
  expect((await report([{ ...run, repetition: 1, scores }])).body).toEqual({ written: 1, known: 0 });
  const { body } = await rig.get(`/datasets/${datasetId}/items?version=1`);
  expect(itemPageSchema.parse(body).items).toMatchObject([
    { input: null, expected: null, checks: [], metadata: {}, subject: null, source: { path: "src/a.ts", line: 3 }, redacted: true },
    { ...kept, redacted: false },
  ]);
  expect(await rig.begin(datasetId)).toMatchObject({ items: 1 });
  const runs = runPageSchema.parse((await rig.get(`/experiments/${experiment.id}/runs`)).body).items;
  expect(runs).toMatchObject([
    { attempt: 2, state: "failed", output: null, error: expect.stringContaining("deleted"), checks: [], duration_ms: 5 },
    { repetition: 1, state: "failed", output: null, error: expect.stringContaining("deleted") },
    { error: "kept-error" },
    { output: "kept-output" },
  ]);
  expect(runs[0]?.scores).toMatchObject([
    { name: "checks", value: 0 },
    { name: "exact", value: 0.25, explanation: null },
  ]);
  expect(await findText(database, redis.client, ["4711", "erika"])).toEqual([]);
});

test("items and runs of a deleted user's traces go, whoever they say they are of; of traces that were chosen by hand they stay", async () => {
  const [hers, chosen] = [uuidv7(), uuidv7()];
  const events = [hers, chosen].flatMap((id) => agentRun(createProducer(rig.projectId), id));
  const start = (event: (typeof events)[number]) =>
    event.type === "trace.start" && event.body.trace_id === hers ? { ...event, body: { ...event.body, user_id: "ann" } } : event;
  await writeEvents(database, events.map(start));
  const made = [hers, chosen].map((id) => ({ input: `of ${id} ORIGIN`, source: { trace_id: id } }));
  const datasetId = await rig.makeDataset([...made, { input: "of nobody" }]);
  const items = await itemsOf(datasetId);
  const experiment = await rig.begin(datasetId);
  const run = { item_id: items[2], repetition: 0, state: "succeeded" };
  await rig.post(`/experiments/${experiment.id}/runs`, {
    runs: [
      { ...run, trace_id: hers, output: "RAN as ann" },
      { ...run, attempt: 2, trace_id: chosen, output: "stays" },
    ],
  });
  const { body } = await rig.api.post(`${rig.base}/traces/delete`, { trace_ids: [chosen] }, OWNER);
  expect(body).toEqual({ traces: 1 });
  await deleteUser("ann");
  // One that ran before is reported now.
  const late = { ...run, attempt: 3, trace_id: hers, output: "RAN as ann" };
  await rig.post(`/experiments/${experiment.id}/runs`, { runs: [late, { ...run, attempt: 4, trace_id: chosen, output: "stays" }] });
  const { items: left } = itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items`)).body);
  expect(left.map(({ input }) => input)).toEqual([null, `of ${chosen} ORIGIN`, "of nobody"]);
  expect(await findText(database, redis.client, ["RAN as ann"])).toEqual([]);
  expect(await findText(database, redis.client, ["stays"])).toEqual(["observability.experiment_runs.output"]);
});

test("two processes that carry it out at once redact everything once, and both end", async () => {
  const many = Array.from({ length: 170 }, (_, at) => ({ input: `TWICE ${at}`, subject: "eve-of-both" }));
  const datasetId = await rig.makeDataset(many);
  await Promise.all([deleteUser("eve-of-both"), deleteUser("eve-of-both")]);
  expect(await findText(database, redis.client, ["TWICE", "eve-of-both"])).toEqual([]);
  expect(await itemsOf(datasetId)).toHaveLength(100);
});

test("a run that is reported at the moment its item is emptied is emptied too", async () => {
  const items = Array.from({ length: 60 }, (_, at) => ({ input: at, subject: "mia" }));
  const datasetId = await rig.makeDataset(items);
  const ids = await itemsOf(datasetId);
  const experiment = await rig.begin(datasetId, { repetitions: 10 });
  const report = (repetition: number) =>
    rig.post(`/experiments/${experiment.id}/runs`, {
      runs: ids.map((id) => ({ item_id: id, repetition, state: "succeeded", output: "MEANWHILE" })),
    });
  const answers = await Promise.all([deleteUser("mia"), ...Array.from({ length: 10 }, (_, repetition) => report(repetition))]);
  expect(answers.slice(1)).toEqual(Array.from({ length: 10 }, () => ({ status: 200, body: { written: 60, known: 0 } })));
  expect(await findText(database, redis.client, ["MEANWHILE"])).toEqual([]);
});

async function itemsOf(datasetId: string): Promise<readonly string[]> {
  return itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items?limit=100`)).body).items.map(({ id }) => id);
}

async function deleteUser(user: string): Promise<void> {
  const answer = await rig.api.server.inject({
    method: "DELETE",
    url: `${rig.base}/users/${user}`,
    headers: { authorization: `Bearer ${OWNER}` },
  });
  expect(answer.statusCode).toBe(202);
  await carryOutDeletions({
    each: eachOwnerUnderTest(),
    query: database.query,
    settledBefore: LATER,
    signal: new AbortController().signal,
  });
}
