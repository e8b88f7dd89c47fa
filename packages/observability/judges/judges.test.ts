import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scorePageSchema, traceSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { callTool } from "#testing/call-tool.ts";
import { ASKED_MODELS, createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

describe.each(ASKED_MODELS)("$provider, $model", (asked) => {
  let database: TestDatabase<ObservabilitySchema>;
  let model: AnsweringModel;
  let rig: JudgeRig;

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    model = await startAnsweringModel([
      { contains: "you fool", says: { explanation: "It calls the user a fool.", value: false } },
      { contains: "rubbish", says: "no JSON at all" },
      { says: { explanation: "It is polite.", value: true } },
    ]);
    rig = await createJudgeRig(database, model.url, asked);
  });
  afterAll(async () => {
    await rig.close();
    await model.close();
    await database.drop();
  });

  test("a live trace that ended is judged: a score with its explanation, and a trace of the judge, linked both ways", async () => {
    const judge = await rig.makeEvaluator({}, "polite");
    expect((await rig.post(`/evaluators/${judge.id}/rules`, { kind: "live", q: "name:agent", budget: 1 })).status).toBe(201);
    const [rude = "", kind = ""] = await rig.endTraces([
      { output: "It was shipped, you fool.", user: "ann" },
      { output: "It was shipped." },
    ]);
    await rig.judgeAll();
    const scores = scorePageSchema.parse((await rig.get("/scores?name=polite")).body).items;
    expect(
      Object.fromEntries(scores.map((score) => [score.trace_id, [score.value, score.source, score.comment, score.evaluator_version]])),
    ).toEqual({
      [rude]: [0, "judge", "It calls the user a fool.", 1],
      [kind]: [1, "judge", "It is polite.", 1],
    });
    const judgements = await rig.readJudgements(judge.id);
    expect(Object.fromEntries(judgements.map((each) => [each.trace_id, [each.score?.value, each.explanation]]))).toEqual({
      [rude]: [0, "It calls the user a fool."],
      [kind]: [1, "It is polite."],
    });
    const judgeTrace = scores.find((score) => score.trace_id === rude)?.judge_trace_id ?? "";
    const read = traceSchema.parse((await rig.get(`/traces/${judgeTrace}`)).body);
    expect(read).toMatchObject({
      name: "judge polite",
      user_id: "ann",
      status: "success",
      output: { explanation: "It calls the user a fool.", value: false },
      attributes: { metadata: { judged_trace: rude, evaluator_id: judge.id, evaluator_version: 1 } },
      observation_list: [{ kind: "llm", model: asked.model, input_tokens: 100, output_tokens: 20 }],
    });
    expect(read.observation_list[0]?.cost).toBeCloseTo((100 * 1 + 20 * 10) / 1e6, 9);
    // Assistants read it with the trace.
    expect(await callTool(database, "get_trace", { trace: rude })).toContain("polite 0 (judge, not calibrated): It calls the user a fool.");
    // Nothing judges a judge, and no list of live traces shows it.
    await rig.judgeAll();
    const detail = await rig.readEvaluator(judge.id);
    expect(detail.counts).toEqual({ waiting: 0, judged: 2, skipped: 0, failed: 0, over_budget: 0 });
    expect(detail.spent_today).toBeCloseTo(2 * 3e-4, 9);
    const listed = await rig.get("/traces");
    expect(JSON.stringify(listed.body)).not.toContain(judgeTrace);
    expect(JSON.stringify((await rig.get("/traces?q=purpose:judge")).body)).toContain(judgeTrace);
  });
});
