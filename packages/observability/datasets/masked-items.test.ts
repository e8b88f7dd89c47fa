import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { itemPageSchema, runPageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { putMasking } from "#store/masking.store.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { findText } from "#testing/find-text.ts";
import { writeEvents } from "#testing/write-events.ts";

const RULES = { keys: ["password"], patterns: [{ name: "the secret", expression: "(?i)hunter\\d" }] };
const SECRETS = ["hunter2", "open sesame"];

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let rig: EvaluationRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  rig = await createEvaluationRig(database);
});
beforeEach(() => setRules(RULES));
afterAll(async () => {
  await rig.close();
  await redis.close();
  await database.drop();
});

test("nothing that is to be masked is in any table, whatever of an item or a run it came in", async () => {
  const secret = { password: "open sesame", said: "it is hunter2", kept: "kept-text" };
  const item = {
    input: secret,
    expected: [secret],
    checks: [{ type: "equals", path: "/said", value: "it is hunter2" }],
    metadata: { ...secret, hunter2: 1 },
  };
  const datasetId = await rig.makeDataset([item]);
  const [stored] = await itemsOf(datasetId);
  const masked = { password: "[masked]", said: "it is [masked]", kept: "kept-text" };
  expect(stored).toMatchObject({ input: masked, expected: [masked], checks: [{ value: "it is [masked]" }], metadata: masked });
  // What was masked before is no other item than what is masked now.
  expect((await rig.post(`/datasets/${datasetId}/items`, { items: [item] })).body).toMatchObject({
    version: 1,
    items: [{ state: "duplicate" }],
  });
  const { id } = await rig.begin(datasetId);
  const score = { name: "s", value: null, explanation: "says hunter2", error: '{"password": "open sesame"}' };
  await rig.post(`/experiments/${id}/runs`, {
    runs: [{ item_id: stored?.id, repetition: 0, state: "succeeded", output: secret, error: "ended with hunter2", scores: [score] }],
  });
  const [run] = runPageSchema.parse((await rig.get(`/experiments/${id}/runs`)).body).items;
  expect(run).toMatchObject({ output: masked, error: "ended with [masked]", checks: [{ passed: true }] });
  expect(run?.scores.find(({ name }) => name === "s")).toMatchObject({ explanation: "says [masked]", error: '{"password":"[masked]"}' });
  expect(await findText(database, redis.client, SECRETS)).toEqual([]);
});

test("an item of a trace that was recorded before the rules is masked by them", async () => {
  const traceId = uuidv7();
  await writeEvents(database, agentRun(createProducer(rig.projectId), traceId));
  await setRules({ keys: ["question"], patterns: [] });
  const datasetId = await rig.makeDataset();
  await rig.post(`/datasets/${datasetId}/items/from-traces`, { traces: [{ trace_id: traceId }] });
  expect(await itemsOf(datasetId)).toMatchObject([{ input: { question: "[masked]" } }]);
});

test("what can't be masked, or checks nothing afterwards, is refused by name and not written", async () => {
  const datasetId = await rig.makeDataset();
  const write = (items: readonly object[]) => rig.post(`/datasets/${datasetId}/items`, { items });
  await setRules({ keys: ["at_most"], patterns: [] });
  const limit = { type: "limit", of: "steps", at_most: 3, name: "short" };
  expect(await write([{ input: 1, checks: [limit] }])).toMatchObject({
    status: 400,
    body: { error: "check_masked", message: expect.stringContaining("(short)") },
  });
  await setRules({ keys: [], patterns: [{ name: "broken", expression: "(" }] });
  expect(await write([{ input: "hunter2" }])).toMatchObject({ status: 400, body: { error: "not_masked" } });
  await setRules({ keys: [], patterns: Array.from({ length: 40 }, (_, at) => ({ name: `p${at}`, expression: `hunter${at}` })) });
  expect(await write([{ input: 1 }, { input: `hunter2 ${" ".repeat(1_000_000)}` }])).toMatchObject({
    status: 400,
    body: { error: "not_masked", message: expect.stringContaining("The item number 2 ") },
  });
  expect(await itemsOf(datasetId)).toEqual([]);
});

async function setRules(rules: typeof RULES): Promise<void> {
  await putMasking(database.query, { projectId: rig.projectId, reader: { kind: "operator" }, rules, by: "test", at: new Date() });
}

async function itemsOf(datasetId: string) {
  return itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items`)).body).items;
}
