import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gateSchema, itemPageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { wilson } from "#statistics/intervals.ts";
import { comparePairs } from "#statistics/paired.ts";
import { judge } from "#statistics/verdict.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";

/** `npm run prove:evaluation` asks for 50 pairs of either kind and 100 gates; each of them over HTTP, as applications report. */
const PAIRS = Number(process.env["EVALUATION_PAIRS"] ?? 3);
const GATES = Math.max(7, PAIRS * 2);
const ITEMS = 100;
const MARGIN = 0.1;
/** So many items of a hundred are broken outright where the candidate is worse. */
const BROKEN = 0.2;
const RATES = [0, 0.2, 0.5, 0.8, 0.9, 0.9, 1, 1, 1, 1] as const;
const TIMEOUT = 600_000;
const random = randomOf(SEED);
const drawRate = () => RATES[Math.floor(random() * RATES.length)] ?? 1;

let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;
let datasetId: string;
let ids: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
  datasetId = await rig.makeDataset(Array.from({ length: ITEMS }, (_, at) => ({ input: at, required: at === 0 })));
  ids = itemPageSchema.parse((await rig.get(`/datasets/${datasetId}/items?limit=200`)).body).items.map(({ id }) => id);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

type Reported = { readonly state?: "succeeded" | "missing"; readonly passes: boolean | null | undefined };

/** Runs whose score is left out are `undefined`, those without a value null. */
async function run(branch: string, runs: readonly Reported[], isFinished = true): Promise<string> {
  const { id } = await rig.begin(datasetId, { branch, evaluators: [{ name: "passes" }] });
  const reported = runs.map(({ state = "succeeded", passes }, at) => ({
    item_id: ids[at],
    repetition: 0,
    state,
    scores: passes === undefined ? [] : [{ name: "passes", value: passes }],
  }));
  expect((await rig.post(`/experiments/${id}/runs`, { runs: reported })).status).toBe(200);
  if (isFinished) {
    await rig.post(`/experiments/${id}/finish`, {});
  }
  return id;
}

async function gate(id: string, baseline: string) {
  return gateSchema.parse((await rig.get(`/experiments/${id}/gate?baseline=${baseline}&margin=${MARGIN}`)).body);
}

/** One pair of experiments: a third of the items has another rate of the same population, and some are broken. The required one always passes. */
async function compare(broken: number) {
  const rates = ids.map((_, at) => {
    const rate = at === 0 ? 1 : drawRate();
    return at === 0 ? ([1, 1] as const) : ([rate, random() < broken ? 0 : random() < 1 / 3 ? drawRate() : rate] as const);
  });
  const drawn = rates.map(([before, after]) => ({ baseline: random() < before, candidate: random() < after }));
  const before = await run(
    "main",
    drawn.map(({ baseline }) => ({ passes: baseline })),
  );
  const after = await run(
    "change",
    drawn.map(({ candidate }) => ({ passes: candidate })),
  );
  const { comparison, outcome } = await gate(after, before);
  const difference = comparison.scores.find(({ name }) => name === "passes")?.difference;
  const pairs = drawn.map(({ baseline, candidate }) => ({ baseline: Number(baseline), candidate: Number(candidate), cluster: undefined }));
  const known = comparePairs(pairs, { isSingleBoolean: true });
  const verdict = known === null ? "" : judge(known, { direction: "higher", margin: MARGIN }).verdict;
  return { shown: difference, expected: { ...known?.difference, verdict }, outcome };
}

test("the product's verdicts are those of the statistics, over HTTP", { timeout: TIMEOUT }, async () => {
  for (const [kind, broken] of [
    ["equal", 0],
    [`${100 * BROKEN} of 100 items broken`, BROKEN],
  ] as const) {
    const judged = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const { shown, expected, outcome } = await compare(broken);
      expect(shown, `TEST_SEED=${SEED}`).toMatchObject(expected);
      judged.push({ verdict: shown?.verdict, outcome });
    }
    const told = (what: string, found: readonly boolean[]) => {
      const { low, high } = wilson(found.filter(Boolean).length, found.length);
      return `${what} ${found.filter(Boolean).length} (${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)} %)`;
    };
    console.log(
      [
        `${PAIRS} pairs of experiments, ${kind}, TEST_SEED=${SEED}`,
        told(
          "better",
          judged.map(({ verdict }) => verdict === "better"),
        ),
        told(
          "worse",
          judged.map(({ verdict }) => verdict === "worse"),
        ),
        told(
          "gate red",
          judged.map(({ outcome }) => outcome === "worse"),
        ),
        told(
          "gate passed",
          judged.map(({ outcome }) => outcome === "passed"),
        ),
      ].join("; "),
    );
  }
});

test("no gate passes an experiment of which anything is missing", { timeout: TIMEOUT }, async () => {
  const good: readonly Reported[] = ids.map(() => ({ passes: true }));
  const base = await run("base", good);
  const at = () => Math.floor(random() * ITEMS);
  const replaced = (by: Reported) => good.with(at(), by);
  const kinds: readonly (readonly [what: string, make: () => Promise<string>, baseline?: string])[] = [
    ["a run", () => run("change", good.slice(0, 1 + Math.floor(random() * (ITEMS - 1))))],
    ["a run whose provider was away", () => run("change", replaced({ state: "missing", passes: undefined }))],
    ["a score", () => run("change", replaced({ passes: undefined }))],
    ["a score's value", () => run("change", replaced({ passes: null }))],
    [
      "all scores",
      () =>
        run(
          "change",
          good.map(() => ({ passes: undefined })),
        ),
    ],
    ["its end", () => run("change", good, false)],
    ["the baseline", () => run("change", good), "nowhere"],
  ];
  const outcomes = [];
  for (let number = 0; number < GATES; number += 1) {
    const [what, make, baseline = base] = kinds[number % kinds.length] ?? kinds[0] ?? [];
    if (make !== undefined) {
      outcomes.push([what, (await gate(await make(), baseline ?? base)).outcome]);
    }
  }
  console.log(`${outcomes.filter(([, outcome]) => outcome === "passed").length} of ${GATES} experiments with something missing passed`);
  expect(
    outcomes.filter(([, outcome]) => outcome !== "broken"),
    `TEST_SEED=${SEED}`,
  ).toEqual([]);
  expect((await gate(await run("whole", good), base)).outcome).toBe("passed");
});
