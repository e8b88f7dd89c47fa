import { fileURLToPath } from "node:url";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { experimentSchema, playedDatasetSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { createReplica } from "#testing/consumer-processes.ts";
import { createJudgeRig, MODEL, type JudgeRig } from "#testing/judge-rig.ts";
import type { JudgingProcessOptions } from "#testing/judging-process.ts";

const TRACES = 200;
const KILLS = Number(process.env["JUDGE_KILLS"] ?? 4);
const REPLICAS = 2;
const PATIENCE = { timeout: 100_000, interval: 20 };
const PROGRAM = fileURLToPath(new URL("../testing/judging-process.ts", import.meta.url));

/** Of each answer, at the prices of the rig. */
const USAGE = { prompt_tokens: 1_000, completion_tokens: 50 };
const COST = (USAGE.prompt_tokens * 1 + USAGE.completion_tokens * 10) / 1e6;
/** Of which a hundred answers would take all. */
const BUDGET = 100 * COST;

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel(() => ({ says: { explanation: "It is polite.", value: true }, usage: USAGE, delay_ms: 20 }));
  rig = await createJudgeRig(database, model.url);
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

const random = randomOf(SEED);

/** Two replicas, which are killed and started again until all is done. */
async function whileKilled(begin: () => Promise<unknown>, isOver: () => Promise<boolean>): Promise<void> {
  const options: JudgingProcessOptions = {
    databaseUrl: database.url,
    redisUrl: rig.rig.redis.url,
    stream: rig.rig.stream,
    leaseSeconds: 1,
  };
  const replicas = Array.from({ length: REPLICAS }, () => createReplica(PROGRAM, options));
  replicas.forEach((replica) => replica.start());
  await begin();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const seen = model.asked.length + Math.floor(random() * 12);
    await vi.waitFor(async () => expect(model.asked.length >= seen || (await isOver())).toBe(true), PATIENCE);
    const chosen = replicas[Math.floor(random() * REPLICAS)];
    await chosen?.kill();
    chosen?.start();
  }
  await vi.waitFor(async () => expect(await isOver()).toBe(true), PATIENCE);
  await Promise.all(replicas.map((replica) => replica.kill()));
}

test(
  `a budget is never exceeded, and every trace ends, however often replicas are killed (TEST_SEED=${SEED})`,
  { skip: needsRealPostgres.skip, timeout: 120_000 },
  async () => {
    const judge = await rig.makeEvaluator({ max_tokens: 50 });
    await rig.endTraces(Array.from({ length: TRACES }, (_, index) => ({ output: `answer ${index}` })));
    await whileKilled(
      () => rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", size: TRACES, budget: BUDGET }),
      async () => (await rig.readEvaluator(judge.id)).counts.waiting === 0,
    );
    const { counts, rules } = await rig.readEvaluator(judge.id);
    // As the provider would bill it, whoever was there to hear the answer.
    const billed = model.asked.length * COST;
    expect({
      sum: counts.judged + counts.skipped + counts.failed + counts.over_budget,
      skipped: counts.skipped,
      failed: counts.failed,
    }).toEqual({
      sum: TRACES,
      skipped: 0,
      failed: 0,
    });
    expect(counts.judged).toBeGreaterThan(0);
    expect(counts.over_budget).toBeGreaterThan(0);
    expect(billed).toBeLessThanOrEqual(BUDGET + 1e-9);
    expect(rules[0]?.spent).toBeGreaterThanOrEqual(billed - 1e-9);
    expect(rules[0]?.spent).toBeLessThanOrEqual(BUDGET + 1e-9);
  },
);

test(
  `a dataset is played to its end within the budget, however often replicas are killed (TEST_SEED=${SEED})`,
  { skip: needsRealPostgres.skip, timeout: 120_000 },
  async () => {
    await rig.patch("", { playground_budget: BUDGET });
    const before = model.asked.length;
    const dataset = String((await rig.post("/datasets", { name: "played" })).body["id"]);
    await rig.post(`/datasets/${dataset}/items`, { items: Array.from({ length: TRACES }, (_, at) => ({ input: `item ${at}` })) });
    const message = { role: "user", content: [{ type: "text", text: "{{input}}" }] };
    const variants = [{ connection_id: rig.connection.id, model: MODEL, messages: [message], max_tokens: 50 }];
    let id = "";
    const read = async () => experimentSchema.parse((await rig.get(`/experiments/${id}`)).body);
    await whileKilled(
      async () => {
        const { body } = await rig.post("/playground/experiments", { dataset_id: dataset, name: "killed", variants });
        [id = ""] = playedDatasetSchema.parse(body).experiment_ids;
      },
      async () => (await read()).state === "finished",
    );
    const { runs } = await read();
    expect(runs).toMatchObject({ failed: 0, unchecked: 0 });
    expect(runs.succeeded + runs.missing).toBe(TRACES);
    expect(runs.succeeded).toBeGreaterThan(0);
    expect(runs.missing).toBeGreaterThan(0);
    expect((model.asked.length - before) * COST).toBeLessThanOrEqual(BUDGET + 1e-9);
  },
);
