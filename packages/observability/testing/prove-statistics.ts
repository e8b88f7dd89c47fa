/**
 * `npm run prove:statistics`: how often comparisons of experiments are wrong where the truth is known. `PAIRS=2000` for the whole,
 * `SEED=…` to see the same again.
 *
 * Items are drawn from a population whose rates differ: some always pass, some never, most in between. Where nothing is better, a third
 * of the clusters got another rate of the same population; where the candidate is worse, 15 % of them are broken outright as well.
 */
import { randomInt } from "node:crypto";
import { randomOf } from "@sightline/foundation/seeded-random";
import { wilson } from "#statistics/intervals.ts";
import { judgeGates } from "#statistics/gate-verdict.ts";
import { comparePairs, type Comparison, type Pair } from "#statistics/paired.ts";
import { judge } from "#statistics/verdict.ts";

const PAIRS = Number(process.env["PAIRS"] ?? 200);
const SEED = Number(process.env["SEED"] ?? randomInt(1_000_000));
const RATES = [0, 0.2, 0.5, 0.8, 0.9, 0.9, 1, 1, 1, 1] as const;
const MEAN_RATE = RATES.reduce<number>((sum, rate) => sum + rate, 0) / RATES.length;
const BROKEN = 0.15;
/** By so much the broken candidate is worse: the margin at which a gate must not pass it. */
const MARGIN = BROKEN * MEAN_RATE;
const SCORES = 10;
const random = randomOf(SEED);

type Cell = { readonly items: number; readonly repetitions: number; readonly clusterSize: number };

const rows: Record<string, string | number>[] = [];
for (const clusterSize of [1, 5]) {
  for (const repetitions of [1, 3, 5]) {
    for (const items of [10, 30, 100, 300]) {
      rows.push(measure({ items, repetitions, clusterSize }));
    }
  }
}
console.log(`SEED=${SEED} PAIRS=${PAIRS}: %, with the 95 % interval of what is false`);
console.table(rows);
console.log("10 of 100 items that always passed are broken outright, the others are as they were");
console.table([1, 3, 5].map((repetitions) => measureBroken(repetitions)));

function measure(cell: Cell): Record<string, string | number> {
  const equal = Array.from({ length: PAIRS }, () => compare(cell, 0));
  const worse = Array.from({ length: PAIRS }, () => compare(cell, BROKEN));
  const options = { direction: "higher", margin: MARGIN } as const;
  const verdicts = (comparisons: readonly Comparison[]) => comparisons.map((comparison) => judge(comparison, options).verdict);
  const gates = (scores: readonly Comparison[]) => judgeGates(scores.map((comparison) => ({ comparison, ...options }))).verdict;
  const together = Array.from({ length: Math.floor(PAIRS / SCORES) }, (_, at) => gates(equal.slice(at * SCORES, (at + 1) * SCORES)));
  const among = new Set(equal.map(({ procedure }) => procedure));
  return {
    ...cell,
    procedures: [...among].join(", "),
    "false alarms": share(verdicts(equal).map((verdict) => verdict === "better" || verdict === "worse")),
    "gate: equal is worse": share(equal.map((comparison) => gates([comparison]) === "worse")),
    "gate: any of 10 equal is worse": share(together.map((verdict) => verdict === "worse")),
    "gate: worse by m passes": share(worse.map((comparison) => gates([comparison]) === "passed")),
    "not covered: equal": share(equal.map((comparison) => !covers(comparison, 0))),
    "not covered: worse": share(worse.map((comparison) => !covers(comparison, -MARGIN))),
    "worse found": share(verdicts(worse).map((verdict) => verdict === "worse")),
  };
}

function measureBroken(repetitions: number): Record<string, string | number> {
  const comparisons = Array.from({ length: PAIRS }, () => {
    const rates = [
      ...Array.from({ length: 10 }, () => [1, 0] as const),
      ...Array.from({ length: 90 }, drawRate).map((rate) => [rate, rate] as const),
    ];
    const pairs = rates.map(([baseline, candidate]) => ({
      baseline: mean(baseline, repetitions),
      candidate: mean(candidate, repetitions),
    }));
    return present(comparePairs(pairs, { isSingleBoolean: repetitions === 1, seed: SEED }));
  });
  const options = { direction: "higher", margin: 0.1 } as const;
  const gates = comparisons.map((comparison) => judgeGates([{ comparison, ...options }]).verdict);
  return {
    repetitions,
    "judged worse": share(comparisons.map((comparison) => judge(comparison, options).verdict === "worse")),
    "gate: worse": share(gates.map((verdict) => verdict === "worse")),
    "gate: passed": share(gates.map((verdict) => verdict === "passed")),
  };
}

function covers({ difference }: Comparison, truth: number): boolean {
  return difference.low <= truth + 1e-9 && difference.high >= truth - 1e-9;
}

function share(found: readonly boolean[]): string {
  const { value, low, high } = wilson(found.filter(Boolean).length, found.length);
  const [at, from, to] = [value, low, high].map((part) => (100 * part).toFixed(1));
  return `${at} (${from}–${to})`;
}

function compare({ items, repetitions, clusterSize }: Cell, broken: number): Comparison {
  const pairs: Pair[] = [];
  while (pairs.length < items) {
    const rate = drawRate();
    const changed = random() < broken ? 0 : random() < 1 / 3 ? drawRate() : rate;
    const cluster = clusterSize > 1 ? `${pairs.length}` : undefined;
    for (let item = 0; item < clusterSize; item += 1) {
      pairs.push({ baseline: mean(rate, repetitions), candidate: mean(changed, repetitions), cluster });
    }
  }
  return present(comparePairs(pairs, { isSingleBoolean: repetitions === 1, seed: SEED }));
}

function present(comparison: Comparison | null): Comparison {
  if (comparison === null) {
    throw new Error("There are pairs in every cell.");
  }
  return comparison;
}

function drawRate(): number {
  return RATES[Math.floor(random() * RATES.length)] ?? 0;
}

function mean(rate: number, repetitions: number): number {
  let passed = 0;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    passed += random() < rate ? 1 : 0;
  }
  return passed / repetitions;
}
