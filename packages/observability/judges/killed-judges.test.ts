import { fileURLToPath } from "node:url";
import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { createReplica } from "#testing/consumer-processes.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";
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

test(
  `a budget is never exceeded, and every trace ends, however often replicas are killed (TEST_SEED=${SEED})`,
  { skip: needsRealPostgres.skip, timeout: 120_000 },
  async () => {
    const random = randomOf(SEED);
    const judge = await rig.makeEvaluator({ max_tokens: 50 });
    await rig.endTraces(Array.from({ length: TRACES }, (_, index) => ({ output: `answer ${index}` })));
    const options: JudgingProcessOptions = {
      databaseUrl: database.url,
      redisUrl: rig.rig.redis.url,
      stream: rig.rig.stream,
      leaseSeconds: 1,
    };
    const replicas = Array.from({ length: REPLICAS }, () => createReplica(PROGRAM, options));
    replicas.forEach((replica) => replica.start());
    await rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", size: TRACES, budget: BUDGET });
    for (let kill = 0; kill < KILLS; kill += 1) {
      const seen = model.asked.length + Math.floor(random() * 12);
      const isOver = async () => (await rig.readEvaluator(judge.id)).counts.waiting === 0;
      await vi.waitFor(async () => expect(model.asked.length >= seen || (await isOver())).toBe(true), PATIENCE);
      const chosen = replicas[Math.floor(random() * REPLICAS)];
      await chosen?.kill();
      chosen?.start();
    }
    await vi.waitFor(async () => expect((await rig.readEvaluator(judge.id)).counts.waiting).toBe(0), PATIENCE);
    await Promise.all(replicas.map((replica) => replica.kill()));
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
