import { createTestDatabase, needsRealPostgres, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { nextPairSchema, preferencesSchema, type Preferred } from "#contract.ts";
import { carryOutDeletions } from "#deletion/carry-out-deletions.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;
const as = (person: string) => `tenant-1:member:${person}`;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

type Outputs = (item: number) => { readonly output?: string; readonly state?: string };

async function run(dataset: string, outputs: Outputs, fields: object = {}): Promise<string> {
  const { id } = await rig.begin(dataset, fields);
  const runs = (await rig.readItems(dataset)).map((item, at) => ({ item_id: item.id, repetition: 0, state: "succeeded", ...outputs(at) }));
  expect((await rig.post(`/experiments/${id}/runs`, { runs })).status).toBe(200);
  await rig.post(`/experiments/${id}/finish`, {});
  return id;
}

async function makePair(size: number, fields: (item: number) => object = () => ({})) {
  const dataset = await rig.makeDataset(
    Array.from({ length: size }, (_, at) => ({ input: `item ${at}`, expected: `answer ${at}`, ...fields(at) })),
  );
  const baseline = await run(dataset, () => ({ output: "old" }));
  const candidate = await run(dataset, () => ({ output: "new" }));
  return { dataset, baseline, candidate };
}

type Pair = { readonly candidate: string; readonly baseline: string };

const next = async ({ candidate, baseline }: Pair, person: string) =>
  nextPairSchema.parse((await rig.get(`/experiments/${candidate}/preferences/next?baseline=${baseline}`, as(person))).body);
const prefer = async ({ candidate, baseline }: Pair, itemId: string, person: string, body: object) =>
  rig.api.put(`${rig.base}/experiments/${candidate}/preferences/${itemId}?baseline=${baseline}`, body, as(person));
const remove = async (path: string) =>
  rig.api.server.inject({ method: "DELETE", url: rig.base + path, headers: { authorization: "Bearer tenant-1:admin" } });
const measure = async ({ candidate, baseline }: Pair, query = "") =>
  preferencesSchema.parse((await rig.get(`/experiments/${candidate}/preferences?baseline=${baseline}${query}`)).body);

/** Answers for all items as `choose` says, who sees the outputs alone. @returns how often the candidate stood first. */
async function compareAll(
  pair: Pair,
  person: string,
  choose: (first: string, second: string, input: string) => Preferred,
): Promise<number> {
  let isFirst = 0;
  for (let asked = await next(pair, person); asked.pair !== null; asked = await next(pair, person)) {
    const { item_id: id, first, second, input } = asked.pair;
    isFirst += Number(first.output === '"new"');
    expect((await prefer(pair, id, person, { preferred: choose(first.output, second.output, input) })).status).toBe(204);
  }
  return isFirst;
}

test("two experiments are compared by hand: sides are hidden and mixed, and the candidate's win rate is told", async () => {
  const pair = await makePair(40);
  expect(await next(pair, "ann")).toMatchObject({ items: 40, answered: 0, pair: { input: expect.stringMatching(/^"item/) } });
  const isFirst = await compareAll(pair, "ann", (first, _second, input) =>
    input === '"item 0"' || input === '"item 1"' ? "tie" : (first === '"new"') === Number(input.slice(6, -1)) % 10 < 8 ? "first" : "second",
  );
  expect(isFirst).toBeGreaterThan(8);
  expect(isFirst).toBeLessThan(32);
  expect(await next(pair, "ann")).toEqual({ items: 40, answered: 40, pair: null });
  const { items, summaries } = await measure(pair);
  expect(items).toBe(40);
  expect(summaries).toMatchObject([
    {
      judge: null,
      people: 1,
      items: 40,
      won: 30,
      lost: 8,
      tied: 2,
      skipped: 0,
      rate: { value: 0.775, verdict: "better", procedure: "tango" },
    },
  ]);
  const reversed = await measure({ candidate: pair.baseline, baseline: pair.candidate });
  expect(reversed.summaries).toMatchObject([{ won: 8, lost: 30, tied: 2, rate: { value: expect.closeTo(0.225, 12), verdict: "worse" } }]);
  // Sides are the item's and the person's, not the question's.
  const other = await makePair(1);
  const [one, same] = [await next(other, "ann"), await next({ candidate: other.baseline, baseline: other.candidate }, "ann")];
  expect(same).toEqual(one);
});

test("ids in capitals are the same ids", async () => {
  const { candidate, baseline } = await makePair(20);
  const pair = { candidate: candidate.toUpperCase(), baseline: baseline.toUpperCase() };
  for (let asked = await next(pair, "ann"); asked.pair !== null; asked = await next(pair, "ann")) {
    const preferred = asked.pair.first.output === '"new"' ? "first" : "second";
    expect((await prefer(pair, asked.pair.item_id.toUpperCase(), "ann", { preferred })).status).toBe(204);
  }
  expect((await measure(pair)).summaries).toMatchObject([{ won: 20, lost: 0, tied: 0 }]);
});

test("several people have their own answers, which are averaged in the item; whoever skips says why", async () => {
  const pair = await makePair(8, (at) => ({ cluster: `issue ${Math.floor(at / 2)}` }));
  await compareAll(pair, "ann", (first) => (first === '"new"' ? "first" : "second"));
  await compareAll(pair, "bob", () => "tie");
  const { pair: third } = await next(pair, "cid");
  expect((await prefer(pair, third?.item_id ?? "", "cid", { skip: " " })).status).toBe(400);
  expect((await prefer(pair, third?.item_id ?? "", "cid", { skip: "both are in Danish" })).status).toBe(204);
  expect((await next(pair, "cid")).answered).toBe(1);
  const [people] = (await measure(pair)).summaries;
  expect(people).toMatchObject({ people: 3, items: 8, won: 8, lost: 0, tied: 0, skipped: 1, rate: { value: 0.75, verdict: "too_few" } });
});

test("items of another revision, missing runs and other datasets are not paired; a failed run is shown as one", async () => {
  const dataset = await rig.makeDataset([{ input: "a" }, { input: "b" }, { input: "c" }]);
  const baseline = await run(dataset, (at) => (at === 0 ? { state: "failed" } : { output: "old" }));
  const [first, second] = await rig.readItems(dataset);
  await rig.post(`/datasets/${dataset}/items`, { items: [{ id: second?.id, input: "changed" }] });
  const candidate = await run(dataset, (at) => (at === 2 ? { state: "missing" } : { output: "new" }));
  const pair = { candidate, baseline };
  const asked = await next(pair, "ann");
  expect([asked.items, asked.pair?.item_id]).toEqual([(await measure(pair)).items, first?.id]);
  expect(new Set([asked.pair?.first.state, asked.pair?.second.state])).toEqual(new Set(["failed", "succeeded"]));
  expect((await prefer(pair, crypto.randomUUID(), "ann", { preferred: "tie" })).body).toMatchObject({ error: "item_not_paired" });
  const elsewhere = await makePair(1);
  const mixed = `/experiments/${candidate}/preferences?baseline=`;
  expect((await rig.get(mixed + elsewhere.baseline)).body).toMatchObject({ error: "other_dataset" });
  expect((await rig.get(mixed + candidate)).body).toMatchObject({ error: "own_baseline" });
  expect((await rig.get(mixed + crypto.randomUUID())).status).toBe(404);
});

test("two tabs of one person answer at once: one counts, the other is told", { skip: needsRealPostgres.skip }, async () => {
  const pair = await makePair(1);
  const id = (await next(pair, "ann")).pair?.item_id ?? "";
  const barrier = await database.pool.connect();
  await barrier.query("begin; lock table observability.preferences in access exclusive mode");
  const tabs = (["first", "second"] as const).map((preferred) => prefer(pair, id, "ann", { preferred }));
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      "select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database() and relation = 'observability.preferences'::regclass",
    );
    expect(rows).toHaveLength(2);
  });
  await barrier.query("commit");
  barrier.release();
  const answers = await Promise.all(tabs);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 409]));
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error: "preference_given" });
  expect((await measure(pair)).summaries).toMatchObject([{ people: 1, items: 1 }]);
});

test("what was written goes with the user whose item it was; with the dataset all of it goes", async () => {
  const pair = await makePair(2, (at) => ({ subject: `user ${at}` }));
  for (const item of await rig.readItems(pair.dataset)) {
    await prefer(pair, item.id, "ann", { skip: `names ${String(item.subject)}` });
  }
  await remove("/users/user%200");
  const settledBefore = new Date(Date.now() + 3_600_000);
  await carryOutDeletions({ query: database.query, each: eachOwnerUnderTest(), settledBefore, signal: new AbortController().signal });
  const rows = async () =>
    (await database.pool.query("select reason from observability.preferences where newer_id = $1", [pair.candidate])).rows;
  expect(await rows()).toEqual(expect.arrayContaining([{ reason: null }, { reason: "names user 1" }]));
  expect((await measure(pair)).items).toBe(1);
  await remove(`/datasets/${pair.dataset}`);
  expect(await rows()).toEqual([]);
});
