import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel, type ScriptedAnswer } from "#testing/answering-model.ts";
import { ASKED_MODELS, createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

/** `JUDGED_TRACES=10000` proves it of many. */
const TRACES = Number(process.env["JUDGED_TRACES"] ?? 150);
const AT_ONCE = 1_000;

const GOOD: ScriptedAnswer = { says: { explanation: "It is polite.", value: true } };
/** What a judge does of a trace: first, and once it is asked again. */
const FATES = {
  right: [GOOD, GOOD],
  slow: [{ ...GOOD, delay_ms: 30 }, GOOD],
  rubbish: [{ says: "As a judge, I…" }, { says: "```json\n{}```" }],
  "wrong shape": [{ says: { explanation: "no", value: "yes" } }, { says: { verdict: true } }],
  "rubbish once": [{ says: "no JSON" }, GOOD],
  "away once": [{ drops: true }, GOOD],
  "busy once": [{ status: 429, says: "slow down", headers: { "retry-after": "0" } }, GOOD],
  broken: [
    { status: 503, says: "down" },
    { status: 500, says: "down" },
  ],
  refused: [{ status: 401, says: "bad key" }, GOOD],
  "without usage": [{ ...GOOD, usage: null }, GOOD],
} as const satisfies Readonly<Record<string, readonly [ScriptedAnswer, ScriptedAnswer]>>;
const NEVER_JUDGED: readonly string[] = ["rubbish", "wrong shape", "broken", "refused"];
type Fate = keyof typeof FATES;
const NAMES = Object.keys(FATES) as Fate[];

describe.each(ASKED_MODELS)("$provider, $model", (asked) => {
  // An answer of Anthropic's always has its usage.
  const neverJudged = asked.provider === "anthropic" ? [...NEVER_JUDGED, "without usage"] : NEVER_JUDGED;
  let database: TestDatabase<ObservabilitySchema>;
  let model: AnsweringModel;
  let rig: JudgeRig;

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    const tries = new Map<string, number>();
    model = await startAnsweringModel((prompt) => {
      const [, number = "", fate = ""] = /answer (\d+) is ([a-z ]+)\./.exec(prompt) ?? [];
      const before = tries.get(number) ?? 0;
      tries.set(number, before + 1);
      const [first, then] = FATES[NAMES.find((name) => name === fate) ?? "right"];
      return before === 0 ? first : then;
    });
    rig = await createJudgeRig(database, model.url, asked);
  });
  afterAll(async () => {
    await rig.close();
    await model.close();
    await database.drop();
  });

  test(
    `every trace that a rule chose is judged, skipped or failed, by a judge that is slow, wrong, away, or answers rubbish (TEST_SEED=${SEED})`,
    { timeout: 60_000 + TRACES * 120 },
    async () => {
      const random = randomOf(SEED);
      const fates = Array.from({ length: TRACES }, () =>
        random() < 0.1 ? "empty" : (NAMES[Math.floor(random() * NAMES.length)] ?? "right"),
      );
      const judge = await rig.makeEvaluator();
      await rig.post(`/evaluators/${judge.id}/rules`, { kind: "live", budget: null });
      const ids: string[] = [];
      for (let first = 0; first < TRACES; first += AT_ONCE) {
        const outputs = fates
          .slice(first, first + AT_ONCE)
          .map((fate, at) => (fate === "empty" ? null : `answer ${first + at} is ${fate}.`));
        ids.push(...(await rig.endTraces(outputs.map((output) => ({ output })))));
      }
      await rig.tasks.chooseDue();
      const all = rig.createTasks({ calls: 32, callsOfProject: 32, firstRetryMs: 0 });
      await all.judgeDue();
      const { counts } = await rig.readEvaluator(judge.id);
      const count = (isMeant: (fate: string) => boolean) => fates.filter(isMeant).length;
      expect(counts).toEqual({
        waiting: 0,
        judged: count((fate) => fate !== "empty" && !neverJudged.includes(fate)),
        skipped: count((fate) => fate === "empty"),
        failed: count((fate) => neverJudged.includes(fate)),
        over_budget: 0,
      });
      const { rows } = await database.pool.query<{ trace_id: string; state: string; reason: string | null; has_score: boolean }>(
        `select judgement.trace_id, judgement.state, judgement.reason, exists (select from observability.scores as score
         where score.project_id = judgement.project_id and score.trace_id = judgement.trace_id and score.source = 'judge') as has_score
       from observability.judgements as judgement where judgement.evaluator_id = $1`,
        [judge.id],
      );
      expect(rows.map((row) => row.trace_id).toSorted()).toEqual(ids.toSorted());
      for (const { state, reason, has_score: hasScore } of rows) {
        expect({ state, hasScore, hasReason: reason !== null }).toEqual({
          state,
          hasScore: state === "judged",
          hasReason: state !== "judged",
        });
      }
    },
  );

  test("what failed, was skipped or had no money is made up for by one request, and cancelled ones are skipped", async () => {
    const judge = await rig.makeEvaluator();
    await rig.endTraces([
      { output: "answer 900001 is refused.", name: "made-up" },
      { output: "answer 900002 is right.", name: "made-up" },
    ]);
    const rule = await rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", q: "name:made-up", size: 10, budget: 1 });
    const path = `/evaluators/${judge.id}/rules/${String(rule.body["id"])}`;
    expect(rule.body["chosen"]).toBe(2);
    await rig.tasks.judgeDue();
    expect((await rig.readEvaluator(judge.id)).counts).toMatchObject({ judged: 1, failed: 1 });
    const [failed] = await rig.readJudgements(judge.id, "?state=failed");
    expect(failed?.reason).toContain("refuses the key");
    expect((await rig.post(`${path}/make-up`)).body).toEqual({ waiting: 1 });
    await rig.patch(path, { is_active: false });
    expect((await rig.readEvaluator(judge.id)).counts).toMatchObject({ judged: 1, skipped: 1 });
    expect((await rig.readEvaluator(judge.id)).rules[0]?.is_active).toBe(false);
    await rig.post(`${path}/make-up`);
    expect((await rig.readEvaluator(judge.id)).rules[0]?.is_active).toBe(true);
    await rig.tasks.judgeDue();
    expect((await rig.readEvaluator(judge.id)).counts).toEqual({ waiting: 0, judged: 2, skipped: 0, failed: 0, over_budget: 0 });
  });
});
