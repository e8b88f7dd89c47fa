import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillPlaceholders, judgeDefinitionSchema, listPlaceholders, scorePageSchema } from "#contract.ts";
import { deleteTraces } from "#deletion/delete-traces.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel, type ScriptedAnswer } from "#testing/answering-model.ts";
import { findText } from "#testing/find-text.ts";
import { ASKED_MODELS, createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";

const KEY = "sk-secret-1";
const GOOD = { explanation: "It is polite.", value: true };

describe.each(ASKED_MODELS)("$provider, $model", (asked) => {
  let database: TestDatabase<ObservabilitySchema>;
  let model: AnsweringModel;
  let rig: JudgeRig;
  let answer: ScriptedAnswer | (() => Promise<ScriptedAnswer>) = {};

  beforeAll(async () => {
    database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    model = await startAnsweringModel(async () => (typeof answer === "function" ? answer() : answer));
    rig = await createJudgeRig(database, model.url, asked);
  });
  afterAll(async () => {
    await rig.close();
    await model.close();
    await database.drop();
  });

  async function judgeOne(given: typeof answer, budget: number | null = 1) {
    answer = given;
    const name = `judged ${Math.random()}`;
    const judge = await rig.makeEvaluator({}, name);
    const [traceId = ""] = await rig.endTraces([{ output: "It was shipped.", name }]);
    await rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", q: `name:"${name}"`, size: 1, budget });
    await rig.tasks.judgeDue();
    await rig.store();
    const [judgement] = await rig.readJudgements(judge.id);
    const [score] = scorePageSchema.parse((await rig.get(`/scores?name=${encodeURIComponent(name)}`)).body).items;
    const detail = await rig.readEvaluator(judge.id);
    return { judge, traceId, judgement, score, spent: detail.rules[0]?.spent ?? Number.NaN };
  }

  test.each<[string, ScriptedAnswer, string]>([
    ["of 10 MB", { raw: "x".repeat(10_000_000) }, "too long"],
    ["in HTML", { raw: "<html>Sign in</html>", headers: { "content-type": "text/html" } }, "no answer of this provider's"],
    ["that lead elsewhere", { status: 302, headers: { location: "http://169.254.169.254/latest" } }, "not followed"],
    ["of another type", { says: { explanation: "no", value: 7 } }, "structured output"],
    ["with NUL in an error", { status: 400, says: "bad \0 \ud800 request" }, "It says: bad"],
    ["that tell the key", { status: 401, says: `Wrong key ${KEY}` }, "It says: Wrong key [key]"],
  ])("answers %s are failures with a reason", async (_name, given, reason) => {
    const { judgement } = await judgeOne(given);
    expect(judgement).toMatchObject({ state: "failed" });
    expect(judgement?.reason).toContain(reason);
    expect(judgement?.reason).not.toContain("169.254");
  });

  test("NUL, lone surrogates and whole books in an explanation harm nothing", async () => {
    const { judgement, score, spent } = await judgeOne({ says: { ...GOOD, explanation: `\0 \ud800 ${"x".repeat(3_000_000)} ${KEY}` } });
    expect(judgement).toMatchObject({ state: "judged", reason: null });
    expect(score?.comment).toHaveLength(4_000);
    expect(spent).toBeCloseTo(3e-4, 9);
    const trace = await rig.get(`/traces/${String(judgement?.judge_trace_id)}`);
    expect(trace).toMatchObject({ status: 200, body: { status: "success" } });
  });

  test.each([
    [-1_000_000, -5],
    [1.5, 2.5],
    [1e300, 1e300],
  ])("a server that counts %d and %d tokens gives no money back and breaks no page", async (prompt_tokens, completion_tokens) => {
    const { judgement, spent } = await judgeOne({ says: GOOD, usage: { prompt_tokens, completion_tokens } });
    expect(judgement?.state).toBe("judged");
    expect(spent).toBeGreaterThanOrEqual(0);
    expect((await rig.get("/evaluators")).status).toBe(200);
    expect((await rig.get(`/traces/${String(judgement?.judge_trace_id)}`)).status).toBe(200);
  });

  test("no key is in what is kept, whoever tells it", async () => {
    await judgeOne({ status: 500, says: `Headers: authorization: Bearer ${KEY}` });
    await judgeOne({ says: { ...GOOD, explanation: `The key is ${KEY}.` } });
    await judgeOne({ says: `no JSON, but ${KEY}` });
    expect(await findText(database, rig.rig.redis.client, [KEY])).toEqual([]);
  });

  test("where the database goes away before a call is settled, it is judged once more, and what was reserved stays spent", async () => {
    const judge = await rig.makeEvaluator();
    await rig.endTraces([{ output: "It was shipped.", name: "unsettled" }]);
    await rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", q: "name:unsettled", size: 1, budget: 1 });
    answer = async () => {
      await database.pool.query("alter table observability.scores rename to scores_away");
      return { says: GOOD };
    };
    await rig.tasks.judgeDue();
    const reserved = (await rig.readEvaluator(judge.id)).spent_today;
    await database.pool.query("alter table observability.scores_away rename to scores");
    await database.pool.query("update observability.judgements set due_at = now() where evaluator_id = $1", [judge.id]);
    answer = { says: GOOD };
    await rig.tasks.judgeDue();
    const { counts, spent_today: spent } = await rig.readEvaluator(judge.id);
    expect(counts).toMatchObject({ waiting: 0, judged: 1 });
    expect(reserved).toBeGreaterThan(3e-4);
    expect(spent).toBeCloseTo(reserved + 3e-4, 9);
  });

  test("an evaluator that is deleted while its call runs is over, and what its judge read goes with the trace", async () => {
    const judge = await rig.makeEvaluator();
    const [traceId = ""] = await rig.endTraces([{ output: "It was shipped.", name: "deleted" }]);
    await rig.post(`/evaluators/${judge.id}/rules`, { kind: "past", q: "name:deleted", size: 1, budget: 1 });
    answer = async () => {
      const url = `${rig.base}/evaluators/${judge.id}`;
      await rig.api.server.inject({ method: "DELETE", url, headers: { authorization: "Bearer tenant-1:admin" } });
      return { says: GOOD };
    };
    await rig.tasks.judgeDue();
    const { rows } = await database.pool.query<{ judge_traces: string[]; state: string }>(
      "select judge_traces, state from observability.judgements where evaluator_id = $1",
      [judge.id],
    );
    expect(rows).toMatchObject([{ state: "skipped", judge_traces: [expect.any(String)] }]);
    await deleteTraces(database.query, { projectId: rig.projectId, reader: { kind: "operator" }, ids: [traceId] });
    const { rows: noted } = await database.pool.query("select from observability.deleted_traces where trace_id = any($1)", [
      rows[0]?.judge_traces,
    ]);
    expect(noted).toHaveLength(1);
  });
});

const DEFINITION = {
  connection_id: "0190a0a0-0000-7000-8000-000000000000",
  model: "m",
  rubric: "{{ output }} {{",
  variables: [{ name: "output", of: "trace", path: "/output" }],
  output: { type: "category", categories: ['say "yes",\nor', "}}{{x}}", "no"] },
};

test("rubrics with braces that end nowhere are read in no time, and name a variable so often at the most", () => {
  const endless = `{{${" ".repeat(19_000)}`;
  expect(listPlaceholders(endless)).toEqual([]);
  expect(fillPlaceholders(`${endless} {{ output }} }} {{{output}}}`, () => "x")).toBe(`${endless} x }} {x}`);
  const read = (changes: object) => judgeDefinitionSchema.safeParse({ ...DEFINITION, ...changes });
  expect(read({}).success).toBe(true);
  expect(read({ rubric: "{{output}}".repeat(1_000) }).error?.issues[0]?.message).toContain("at most 20 times");
  expect(read({ output: { type: "category", categories: ["a", "a"] } }).error?.issues[0]?.message).toContain("two categories are the same");
});
