import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel } from "#testing/answering-model.ts";
import { createJudgeRig, type JudgeRig } from "#testing/judge-rig.ts";
import { indexTexts } from "#text/index-texts.ts";

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel(() => ({ says: { explanation: "It is polite.", value: true } }));
  rig = await createJudgeRig(database, model.url);
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

async function makeRule(q: string) {
  const judge = await rig.makeEvaluator();
  const { body } = await rig.post(`/evaluators/${judge.id}/rules`, { kind: "live", q, budget: null });
  return { id: String(body["id"]), judge: judge.id };
}

type Rule = Awaited<ReturnType<typeof makeRule>>;
const read = async ({ judge }: Rule) => (await rig.readEvaluator(judge)).rules[0];
const listChosen = async ({ judge }: Rule) => (await rig.readJudgements(judge)).map(({ trace_id: id }) => id ?? "");

/** Has each rule choose, as if what it looks at later were due. */
async function choose(): Promise<void> {
  await database.pool.query("update observability.judge_marks set due_at = now()");
  await rig.tasks.chooseDue();
}

test("a rule that asks for words waits until they are read: none is missed, none is chosen for lack of them", async () => {
  const word = `quokka${uuidv7().slice(-6)}`;
  const rules = [
    await makeRule(`name:words text:"the ${word} was"`),
    await makeRule(`name:words ${word}`),
    await makeRule(`name:words -${word}`),
  ];
  const all = await makeRule("name:words");
  const [saying = "", silent = ""] = await rig.endTraces([
    { output: { text: `Sadly the ${word} was late.` }, name: "words" },
    { output: { text: "Nothing." }, name: "words" },
  ]);
  await choose();
  await choose();
  expect(await Promise.all(rules.map(async (rule) => [await listChosen(rule), (await read(rule))?.undecided]))).toEqual([
    [[], 2],
    [[], 2],
    [[], 2],
  ]);
  expect((await listChosen(all)).toSorted()).toEqual([saying, silent].toSorted());
  while ((await indexTexts(database.query, rig.projectId)) > 0) {
    // What is left.
  }
  await choose();
  expect(await Promise.all(rules.map(listChosen))).toEqual([[saying], [saying], [silent]]);
  expect(await Promise.all(rules.map(async (rule) => (await read(rule))?.undecided))).toEqual([0, 0, 0]);
});

test("a rule whose query can't be answered stops no other, says why, and looks again", async () => {
  const [refused, slow, good] = [await makeRule("name:bad"), await makeRule("name:bad meow"), await makeRule("name:bad")];
  await database.pool.query("update observability.judge_rules set q = 'cost:>' where id = $1", [refused.id]);
  await database.pool.query(`
    alter function observability.text_keys(uuid, text) rename to text_keys_before;
    create function observability.text_keys(project uuid, words text) returns bigint[] language plpgsql immutable as
      $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$`);
  const ids = await rig.endTraces([
    { output: "a", name: "bad" },
    { output: "b", name: "bad" },
  ]);
  await database.pool.query("delete from observability.text_marks");
  await choose();
  expect((await listChosen(good)).toSorted()).toEqual(ids.toSorted());
  expect(await read(refused)).toMatchObject({ problem: expect.stringContaining("cannot be read"), undecided: 2, is_active: true });
  expect(await read(slow)).toMatchObject({ problem: expect.stringContaining("more than 10 seconds"), undecided: 2, is_active: true });
  // What comes meanwhile waits, too, and nobody asks again yet.
  await rig.endTraces([{ output: "c", name: "bad" }]);
  await choose();
  expect(await read(refused)).toMatchObject({ undecided: 3 });
  await database.pool.query("update observability.judge_rules set q = 'name:bad', retry_at = now() where id = $1", [refused.id]);
  await database.pool.query(
    "update observability.judge_rules set problem_since = now() - interval '25 hours', retry_at = now() where id = $1",
    [slow.id],
  );
  await choose();
  expect(await read(refused)).toMatchObject({ problem: null, undecided: 0, is_active: true, counts: { waiting: 3 } });
  expect(await read(slow)).toMatchObject({ problem: expect.stringContaining("10 seconds"), is_active: false });
});
