import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentComparisonSchema, experimentItemPageSchema, gateSchema, itemPageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";

const ITEMS = 100;

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;
let datasetId: string;
let ids: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
  datasetId = await rig.makeDataset(
    Array.from({ length: ITEMS }, (_, at) => ({ input: at, required: at === 0, checks: [{ type: "equals", value: "good" }] })),
  );
  ids = itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items?limit=200`)).body).items.map(({ id }) => id);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

type Running = {
  readonly branch: string;
  readonly isGood: (at: number) => boolean;
  readonly items?: number;
  readonly isFinished?: boolean;
};

/** An experiment whose items put out what passes their check, or not. */
async function run({ branch, isGood, items = ITEMS, isFinished = true }: Running): Promise<string> {
  const { id } = await rig.begin(datasetId, { branch, evaluators: [{ name: "slips", higher_is_better: false }] });
  const runs = ids.slice(0, items).map((item, at) => ({
    item_id: item,
    repetition: 0,
    state: "succeeded",
    output: isGood(at) ? "good" : "bad",
    scores: [{ name: "slips", value: !isGood(at) }],
  }));
  await rig.post(`/experiments/${id}/runs`, { runs });
  if (isFinished) {
    await rig.post(`/experiments/${id}/finish`, {});
  }
  return id;
}

async function gate(id: string, query: string) {
  return gateSchema.parse((await rig.get(`/experiments/${id}/gate${query}`)).body);
}

async function compare(id: string, query: string) {
  return experimentComparisonSchema.parse((await rig.get(`/experiments/${id}/comparison${query}`)).body);
}

describe("an experiment beside its baseline", () => {
  test("is worse where a fifth of its items broke, whichever way its scores count, and those items come first", async () => {
    const main = await run({ branch: "main", isGood: () => true });
    const change = await run({ branch: "change", isGood: (at) => at % 5 !== 1 });
    const { scores, baseline, unpaired } = await compare(change, "?baseline=main");
    expect(baseline.map(({ id }) => id)).toEqual([main]);
    expect(unpaired).toEqual({ changed: 0, only_candidate: 0, only_baseline: 0 });
    expect(scores).toMatchObject([
      {
        name: "checks",
        candidate: { mean: 0.8, items: 100, missing: 0 },
        difference: { value: -0.2, verdict: "worse", worsened: 20, improved: 0 },
      },
      { name: "slips", higher_is_better: false, difference: { value: 0.2, verdict: "worse", worsened: 20, procedure: "tango" } },
    ]);
    const page = experimentItemPageSchema.parse((await rig.get(`/experiments/${change}/items?baseline=${main}&only=worse&limit=8`)).body);
    expect(page.items).toHaveLength(8);
    expect(page.items[0]).toMatchObject({ candidate: { runs: [{ output: '"bad"' }] }, baseline: { runs: [{ output: '"good"' }] } });
    const rest = await rig.get(`/experiments/${change}/items?baseline=${main}&only=worse&limit=50&cursor=${page.next_cursor}`);
    const all = [...page.items, ...experimentItemPageSchema.parse(rest.body).items].map((item) => item.item_id);
    expect(all.toSorted()).toEqual(ids.filter((_, at) => at % 5 === 1).toSorted());
    expect(await gate(change, "?baseline=main")).toMatchObject({ outcome: "worse", required: [] });
  });

  test("pools the last three of a branch, and no experiment of another dataset", async () => {
    const pooled = [];
    for (const broken of [0, 1, 2, 3]) {
      pooled.push(await run({ branch: "pool", isGood: (at) => at !== broken + 1 }));
    }
    const change = await run({ branch: "other", isGood: () => true });
    expect((await compare(change, "?baseline=pool")).baseline.map(({ id }) => id)).toEqual(pooled.slice(1).toReversed());
    const other = await rig.begin(await rig.makeDataset([{ input: 1 }]));
    expect(await rig.get(`/experiments/${change}/comparison?baseline=${other.id}`)).toMatchObject({
      status: 400,
      body: { error: "other_dataset" },
    });
  });

  test("tells of repetitions how often one passes, how often all do, and what was seen to do both", async () => {
    const { id } = await rig.begin(datasetId, { repetitions: 3 });
    const repetitionsOf = (item: string, at: number) =>
      [0, 1, 2].map((repetition) => ({
        item_id: item,
        repetition,
        state: "succeeded",
        output: at === 1 && repetition < 2 ? "bad" : "good",
      }));
    await rig.post(`/experiments/${id}/runs`, { runs: ids.slice(0, 2).flatMap(repetitionsOf) });
    const { scores } = await compare(id, "");
    expect(scores).toMatchObject([
      { candidate: { mean: expect.closeTo(2 / 3), repeated: { any_passes: 1, all_pass: 0.5, seen_flaky: 1 } }, difference: null },
    ]);
  });

  test("shows every run of an item, however many it has, and of long outputs their beginning", async () => {
    const { id } = await rig.begin(datasetId, { repetitions: 100 });
    for (const item of ids.slice(0, 11)) {
      const runs = Array.from({ length: 100 }, (_, repetition) => ({
        item_id: item,
        repetition,
        state: "succeeded",
        output: "x".repeat(3_000),
      }));
      await rig.post(`/experiments/${id}/runs`, { runs });
    }
    const first = experimentItemPageSchema.parse((await rig.get(`/experiments/${id}/items?limit=50`)).body);
    const second = experimentItemPageSchema.parse((await rig.get(`/experiments/${id}/items?limit=50&cursor=${first.next_cursor}`)).body);
    const shown = [...first.items, ...second.items].slice(0, 11);
    expect(shown.map((item) => item.candidate.runs.length)).toEqual(ids.slice(0, 11).map(() => 100));
    expect(shown[10]?.candidate.runs[99]?.output).toBe(`"${"x".repeat(1_999)}`);
  });

  test("pairs only equal revisions of items", async () => {
    const before = await run({ branch: "revisions", isGood: () => true });
    await rig.post(`/datasets/${datasetId}/items`, {
      items: [{ id: ids[7], input: "changed", checks: [{ type: "equals", value: "good" }] }],
    });
    const after = await run({ branch: "later", isGood: (at) => at !== 7 });
    const { unpaired, scores } = await compare(after, `?baseline=${before}`);
    expect(unpaired).toEqual({ changed: 1, only_candidate: 0, only_baseline: 0 });
    expect(scores[0]?.difference).toMatchObject({ items: 99, worsened: 0, verdict: "same" });
  });
});

describe("a gate", () => {
  test("passes what did not change, is worse for one failed required item, and tells nothing of few items", async () => {
    await run({ branch: "base", isGood: () => true });
    const same = await run({ branch: "same", isGood: () => true });
    expect(await gate(same, "?baseline=base")).toMatchObject({ outcome: "passed", required: [] });
    const one = await run({ branch: "one", isGood: (at) => at !== 0 });
    expect(await gate(one, "?baseline=base")).toMatchObject({
      outcome: "worse",
      reasons: ["1 required item failed.", expect.any(String), expect.any(String)],
      required: [{ item_id: ids[0], failed: 1, repetitions: 1, reason: expect.stringContaining('it is "bad"') }],
    });
    expect(await gate(one, "")).toMatchObject({ outcome: "worse" });
    const [before, after] = [
      await run({ branch: "tens", isGood: (at) => at % 10 !== 3 }),
      await run({ branch: "some", isGood: (at) => at % 10 !== 4 }),
    ];
    expect(await gate(after, `?baseline=${before}&margin=0.03`)).toMatchObject({ outcome: "inconclusive" });
  });

  test.each([
    ["a run is missing", { items: ITEMS - 1 }, "?baseline=base", "1 run of 100 is missing."],
    ["it still runs", { isFinished: false }, "?baseline=base", "The experiment is running; finish it first."],
    [
      "there is no such baseline",
      {},
      "?baseline=nowhere",
      "There is no finished experiment of nowhere over this dataset, of committed code, to compare with.",
    ],
    ["nobody scored that", {}, "?baseline=base&primary=checks,tone", "No run has the score tone."],
  ])("is broken, and never green, where %s", async (_what, options, query, reason) => {
    const id = await run({ branch: "broken", isGood: () => true, ...options });
    const { outcome, reasons } = await gate(id, query);
    expect(outcome).toBe("broken");
    expect(reasons).toContain(reason);
  });

  test("is broken where a score that the baseline has is reported no more, or by some runs only", async () => {
    const base = await run({ branch: "scored", isGood: () => true });
    const begun = async (scored: (at: number) => boolean) => {
      const { id } = await rig.begin(datasetId);
      const runs = ids.map((item, at) => ({
        item_id: item,
        repetition: 0,
        state: "succeeded",
        output: "good",
        scores: scored(at) ? [{ name: "slips", value: false }] : [],
      }));
      await rig.post(`/experiments/${id}/runs`, { runs });
      await rig.post(`/experiments/${id}/finish`, {});
      return gate(id, `?baseline=${base}`);
    };
    expect(await begun(() => false)).toMatchObject({ outcome: "broken", reasons: expect.arrayContaining(["No run has the score slips."]) });
    expect(await begun((at) => at < 40)).toMatchObject({
      outcome: "broken",
      reasons: expect.arrayContaining(["60 runs lack the score slips."]),
    });
  });

  test("does not pass a crash that no check forbids, itself as its baseline, or a sliver of the items", async () => {
    const lenient = Array.from({ length: 40 }, (_, at) => ({ input: at, checks: [{ type: "limit", of: "duration_ms", at_most: 5_000 }] }));
    const id = await rig.makeDataset(lenient);
    const items = itemPageSchema.parse((await rig.get(`/datasets/${id}/items`)).body).items.map((item) => item.id);
    const { id: crashed } = await rig.begin(id);
    await rig.post(`/experiments/${crashed}/runs`, {
      runs: items.map((item) => ({ item_id: item, repetition: 0, state: "failed", error: "ImportError" })),
    });
    await rig.post(`/experiments/${crashed}/finish`, {});
    const { scores } = await compare(crashed, "");
    expect(scores).toMatchObject([{ name: "checks", candidate: { mean: 0, missing: 0 } }]);
    expect(await gate(crashed, "")).toMatchObject({
      outcome: "broken",
      reasons: expect.arrayContaining(["No baseline was named and no item is required: nothing was judged."]),
    });
    expect(await rig.get(`/experiments/${crashed}/gate?baseline=${crashed.toUpperCase()}`)).toMatchObject({ status: 400 });
    const part = await run({ branch: "part", isGood: () => true, items: 45 });
    const whole = await run({ branch: "whole", isGood: () => true });
    expect(await gate(whole, `?baseline=${part}`)).toMatchObject({
      outcome: "inconclusive",
      reasons: expect.arrayContaining([expect.stringContaining("over 45 of 100 items")]),
    });
  });

  test("is taken away as CSV and as lines of JSON, in the order of the page", async () => {
    const base = await run({ branch: "whole", isGood: () => true });
    const id = await run({ branch: "part", isGood: (at) => at >= 2 });
    const read = async (query: string) => {
      const answer = await rig.api.server.inject({
        url: `${rig.base}/experiments/${id}/items/export?baseline=${base}&score=checks${query}`,
        headers: { authorization: `Bearer ${rig.key}` },
      });
      return answer.body;
    };
    const [head, first, ...rest] = (await read("&format=csv")).trimEnd().split("\r\n");
    expect(head).toBe(
      "item,split,required,input,expected,baseline output,candidate output,baseline checks,candidate checks,baseline slips,candidate slips",
    );
    expect(first).toMatch(/^[0-9a-f-]{36},,(?:true|false),[01],,good,bad,1,0,0,1$/);
    expect(rest).toHaveLength(ITEMS - 1);
    expect((await read("&only=worse")).trimEnd().split("\n")).toHaveLength(2);
  });

  test("says when its baseline is of another time", async () => {
    const base = await run({ branch: "old", isGood: () => true });
    const id = await run({ branch: "new", isGood: () => true });
    expect((await compare(id, `?baseline=${base}`)).notes).toEqual([]);
    await database.query
      .updateTable("observability.experiments")
      .set({ created_at: new Date(Date.now() - 12.5 * 86_400_000) })
      .where("id", "=", base)
      .execute();
    expect((await compare(id, `?baseline=${base}`)).notes).toEqual([expect.stringMatching(/^The baseline is 12 days older/)]);
  });

  test("counts one of several attempts that are reported at once", async () => {
    const { id } = await rig.begin(datasetId);
    const runs = [1, 2, 3, 4].map((attempt) => ({
      item_id: ids[0]?.toUpperCase(),
      repetition: 0,
      attempt,
      state: "succeeded",
      output: "good",
    }));
    await Promise.all(runs.map((each) => rig.post(`/experiments/${id}/runs`, { runs: [each] })));
    expect((await compare(id, "")).candidate.runs).toMatchObject({ succeeded: 1 });
  });
});
