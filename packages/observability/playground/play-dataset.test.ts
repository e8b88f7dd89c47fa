import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { experimentSchema, playedDatasetSchema, runPageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { startAnsweringModel, type AnsweringModel, type ScriptedAnswer } from "#testing/answering-model.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { createJudgeRig, MODEL, type JudgeRig } from "#testing/judge-rig.ts";

const OWNER = "tenant-1:admin";
const USAGE = { prompt_tokens: 100, completion_tokens: 20 };

let database: TestDatabase<ObservabilitySchema>;
let model: AnsweringModel;
let rig: JudgeRig;
let answer: (prompt: string) => ScriptedAnswer | Promise<ScriptedAnswer>;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  model = await startAnsweringModel((prompt) => answer(prompt));
  rig = await createJudgeRig(database, model.url);
});
beforeEach(async () => {
  answer = () => ({ says: "Shipped.", usage: USAGE });
  await database.pool.query("delete from observability.judge_spending");
  await rig.patch("", { playground_budget: 5 });
});
afterAll(async () => {
  await rig.close();
  await model.close();
  await database.drop();
});

async function makeDataset(items: readonly object[]): Promise<string> {
  const dataset = await rig.post("/datasets", { name: `d ${Math.random()}` });
  const id = String(dataset.body["id"]);
  expect((await rig.post(`/datasets/${id}/items`, { items })).status).toBe(200);
  return id;
}

const variant = (text: string, changes: object = {}) => ({
  connection_id: rig.connection.id,
  model: MODEL,
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  ...changes,
});
const play = (dataset: string, variants: readonly object[], more: object = {}, token = OWNER) =>
  rig.post("/playground/experiments", { dataset_id: dataset, name: "try", variants, ...more }, token);
async function played(...given: Parameters<typeof play>) {
  const { status, body } = await play(...given);
  expect(status, JSON.stringify(body)).toBe(201);
  return playedDatasetSchema.parse(body);
}
const readExperiment = async (id: string) => experimentSchema.parse((await rig.get(`/experiments/${id}`)).body);
const readRuns = async (id: string) => runPageSchema.parse((await rig.get(`/experiments/${id}/runs`)).body).items;
const spent = async () =>
  Number((await database.pool.query("select coalesce(sum(dollars), 0) as sum from observability.judge_spending")).rows[0].sum);

/** Does all that is due, with the traces stored and the ends that await them made due. */
async function playAll(tasks = rig.tasks): Promise<void> {
  for (const _round of [1, 2, 3]) {
    await tasks.judgeDue();
    await rig.store();
    await countAndFind(database, rig.projectId);
    await database.pool.query("update observability.judgements set due_at = now() where state = 'waiting' and item_id is null");
  }
}

test("each variant becomes an experiment: inputs fill the variables, and what it would take is told before", async () => {
  answer = (prompt) => ({ says: prompt.includes("Ada") ? "Hello Ada" : "Who?", usage: USAGE });
  const before = model.asked.length;
  const checks = [
    { type: "contains", path: "", value: "Hello" },
    { type: "limit", of: "steps", at_most: 5 },
  ];
  const dataset = await makeDataset([{ input: { name: "Ada", age: 36 }, checks, subject: "ann" }, { input: { age: 5 } }]);
  const greets = variant("{{name}} is {{age}}. Greet {{input}}", { prompt: "support/greeting@2" });
  const told = playedDatasetSchema.parse((await play(dataset, [greets, variant("{{input}}")], { is_estimate: true })).body);
  expect(told).toMatchObject({ calls: 4, experiment_ids: [] });
  expect(told.about ?? 0).toBeGreaterThan(0);
  expect(model.asked.length).toBe(before);

  const [first = "", second = ""] = (await played(dataset, [greets, variant("{{input}}")])).experiment_ids;
  expect(await readExperiment(first)).toMatchObject({ state: "running", name: "try, variant 1", items: 2, runs: { succeeded: 0 } });
  await playAll();
  const ended = await readExperiment(first);
  expect(ended).toMatchObject({ state: "finished", runs: { succeeded: 1, failed: 1, missing: 0, unchecked: 0 } });
  expect(ended.config).toMatchObject({
    model: MODEL,
    prompt: "support/greeting@2",
    messages_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  const [good, bad] = await readRuns(first);
  expect(good).toMatchObject({ state: "succeeded", output: "Hello Ada", scores: [{ name: "checks", value: 1 }] });
  expect(good?.cost).toBeCloseTo(300 / 1e6, 9);
  expect(bad).toMatchObject({ state: "failed", error: "{{name}} has no value: the item's input has no such key.", trace_id: null });
  expect(model.asked.join(" ")).toContain('Ada is 36. Greet {\\"name\\":\\"Ada\\",\\"age\\":36}');
  const trace = (await rig.get(`/traces/${good?.trace_id}`)).body;
  expect(trace).toMatchObject({
    purpose: "playground",
    user_id: "ann",
    attributes: { metadata: { author: "user-1", experiment_id: first } },
  });
  const compared = (await rig.get(`/experiments/${second}/comparison?baseline=${first}`)).body;
  expect(compared).toMatchObject({
    candidate: { id: second, state: "finished" },
    scores: expect.arrayContaining([expect.objectContaining({ name: "checks" })]),
  });
});

test("a refused call is a failed run, one that is refused for now is made again, and then missing", async () => {
  const tries = new Map<string, number>();
  answer = (prompt) => {
    const kind = /refused|away|again/.exec(prompt)?.[0] ?? "";
    tries.set(kind, (tries.get(kind) ?? 0) + 1);
    if (kind === "refused") {
      return { status: 400, says: "no" };
    }
    return kind === "away" || tries.get(kind) === 1 ? { status: 503, says: "no" } : { says: "ok", usage: USAGE };
  };
  const dataset = await makeDataset(["refused", "away", "again"].map((input) => ({ input })));
  const [id = ""] = (await played(dataset, [variant("{{input}}")])).experiment_ids;
  await playAll();
  expect((await readRuns(id)).map(({ state }) => state)).toEqual(["failed", "missing", "succeeded"]);
  expect(Object.fromEntries(tries)).toEqual({ refused: 1, away: 4, again: 2 });
  expect((await readExperiment(id)).state).toBe("finished");
});

test("a call that is broken off because its process stops is made again", async () => {
  const stopping = new AbortController();
  answer = () => ({
    says: "one two",
    usage: USAGE,
    pace: async () => {
      if (!stopping.signal.aborted) {
        stopping.abort();
        await new Promise(() => undefined);
      }
    },
  });
  const dataset = await makeDataset([{ input: "one" }]);
  const [id = ""] = (await played(dataset, [variant("{{input}}")])).experiment_ids;
  await rig.tasks.judgeDue(stopping.signal);
  expect(await readRuns(id)).toEqual([]);
  await playAll();
  expect(await readRuns(id)).toMatchObject([{ state: "succeeded", output: "one two" }]);
  const { rows } = await database.pool.query("select call from observability.experiments where id = $1", [id]);
  expect(rows).toEqual([{ call: null }]);
});

test("the playground's budget holds for all of them, and what it has no room for is missing", async () => {
  // Each reserves its bytes and 100 tokens of answer: some 2 thousandths of a dollar.
  await rig.patch("", { playground_budget: 0.01 });
  answer = () => ({ says: "ok", usage: { prompt_tokens: 1_200, completion_tokens: 90 } });
  const dataset = await makeDataset(Array.from({ length: 12 }, (_, at) => ({ input: `item ${at}` })));
  const [id = ""] = (await played(dataset, [variant("{{input}}", { max_tokens: 100 })])).experiment_ids;
  await playAll();
  const { runs, state } = await readExperiment(id);
  expect(state).toBe("finished");
  expect(runs.succeeded).toBeGreaterThan(1);
  expect(runs.succeeded + runs.missing).toBe(12);
  expect(runs.missing).toBeGreaterThan(1);
  expect(await spent()).toBeLessThanOrEqual(0.01);
  expect((await readRuns(id)).find((run) => run.state === "missing")?.error).toContain("more than is left");
  expect((await play(dataset, [variant("{{input}}", { model: "unpriced" })])).body).toMatchObject({ error: "model_unpriced" });
});

test("one that is cancelled asks nothing more, and only sizes that can be played are begun", async () => {
  const dataset = await makeDataset([{ input: "one", split: "a" }, { input: "two" }]);
  const before = model.asked.length;
  const [id = ""] = (await played(dataset, [variant("{{input}}")])).experiment_ids;
  await rig.post(`/experiments/${id}/finish`, { state: "cancelled" });
  await playAll();
  expect(model.asked.length).toBe(before);
  expect((await readExperiment(id)).state).toBe("cancelled");
  expect((await played(dataset, [variant("{{input}}")], { split: "a" })).calls).toBe(1);
  expect((await play(dataset, [variant("{{input}}")], { split: "none" })).body).toMatchObject({ error: "dataset_size" });
  await playAll();
});

test("an item whose user is deleted while it is asked of leaves nothing of him", async () => {
  const dataset = await makeDataset([{ input: "the secret of bob", subject: "bob" }]);
  answer = async () => {
    await database.pool.query("update observability.item_revisions set redacted_at = now(), input = 'null' where subject = 'bob'");
    return { says: "bob again", usage: USAGE };
  };
  const [id = ""] = (await played(dataset, [variant("{{input}}")])).experiment_ids;
  await playAll();
  expect(await readRuns(id)).toMatchObject([{ output: null }]);
  const { rows } = await database.pool.query("select from observability.traces where user_id = 'bob'");
  expect(rows).toEqual([]);
});

test("a try that failed while its item's user was deleted leaves nothing of him either", async () => {
  const dataset = await makeDataset([{ input: "the secret of eve", subject: "eve" }]);
  answer = async () => {
    await database.pool.query("update observability.item_revisions set redacted_at = now(), input = 'null' where subject = 'eve'");
    return { status: 503, says: "not now" };
  };
  await played(dataset, [variant("{{input}}")]);
  await playAll();
  expect((await database.pool.query("select from observability.traces where user_id = 'eve'")).rows).toEqual([]);
});

test("an input that messages repeat beyond 8 MB is a failed run, and nothing is asked", async () => {
  const before = model.asked.length;
  const dataset = await makeDataset([{ input: "x".repeat(1_000) }]);
  const [id = ""] = (await played(dataset, [variant("{{input}}".repeat(9_000))])).experiment_ids;
  await playAll();
  expect(await readRuns(id)).toMatchObject([{ state: "failed", error: expect.stringContaining("8 MB") }]);
  expect(model.asked.length).toBe(before);
});
