import type { ComparedScore, Gate, GateOutcome } from "#contract.ts";
import { judgeGates } from "#statistics/gate-verdict.ts";
import type { Compared, Judged } from "./compare-experiments.ts";
import type { RequiredItem } from "./item-means.store.ts";

type Judging = {
  readonly compared: Compared;
  /** What the baseline was asked for by; undefined: none was. */
  readonly baseline: string | undefined;
  readonly margin: number;
  /** Names of the scores that decide; undefined: all. */
  readonly primary: readonly string[] | undefined;
  readonly failedRequired: readonly RequiredItem[];
};

type GateScore = Gate["scores"][number];

/** What a gate says of an experiment: nothing passes that was not measured. */
export function judgeExperiment(judging: Judging): Omit<Gate, "comparison"> {
  const { compared, baseline, margin, primary, failedRequired } = judging;
  const chosen = compared.scores.filter(({ shown }) => primary === undefined || primary.includes(shown.name));
  const scores = baseline === undefined ? [] : judgeScores(chosen, margin);
  const broken = findBroken(judging, chosen);
  const failed = failedRequired.length === 0 ? [] : [`${count(failedRequired.length, "required item")} failed.`];
  const say = (wanted: boolean) =>
    scores.filter(({ outcome }) => (outcome === "worse") === wanted).map(({ name, reason }) => `${name}: ${reason}`);
  const note = baseline === undefined ? ["No baseline was named: only required items were judged."] : [];
  return {
    outcome: broken.length > 0 ? "broken" : failed.length > 0 ? "worse" : worstOf(scores),
    reasons: [...broken, ...failed, ...say(true), ...say(false), ...note],
    scores: [...scores],
    required: failedRequired.map(({ reason, ...item }) => ({ ...item, reason: reason ?? "it failed" })),
  };
}

function worstOf(scores: readonly GateScore[]): GateOutcome {
  const outcomes = new Set(scores.map(({ outcome }) => outcome));
  return outcomes.has("worse") ? "worse" : outcomes.has("inconclusive") ? "inconclusive" : "passed";
}

/** Sentences which say what is missing to tell anything. */
function findBroken(
  { compared: { candidate, baseline: pooled }, baseline, primary }: Judging,
  chosen: readonly Judged[],
): readonly string[] {
  const { state, items, repetitions, succeeded, failed, unchecked } = candidate;
  const missing = items * repetitions - succeeded - failed;
  const absent = (primary ?? []).filter((name) => chosen.every(({ shown }) => shown.name !== name));
  return [
    ...(state === "finished" ? [] : [`The experiment is ${state}; finish it first.`]),
    ...(missing > 0 ? [`${count(missing, "run")} of ${items * repetitions} ${missing === 1 ? "is" : "are"} missing.`] : []),
    ...(unchecked > 0 ? [`The checks of ${count(unchecked, "run")} await their traces.`] : []),
    ...absent.map((name) => `No run has the score ${name}.`),
    ...(chosen.length === 0 && absent.length === 0 ? ["No run was scored: the items have no checks, and there is no evaluator."] : []),
    ...chosen.flatMap(({ shown }) =>
      shown.candidate.missing > 0
        ? [`${count(shown.candidate.missing, "run")} ${shown.candidate.missing === 1 ? "lacks" : "lack"} the score ${shown.name}.`]
        : [],
    ),
    ...(baseline === undefined ? [] : findUnpaired(baseline, pooled.length, chosen)),
  ];
}

function findUnpaired(baseline: string, pooled: number, chosen: readonly Judged[]): readonly string[] {
  return pooled === 0
    ? [`There is no finished experiment of ${baseline} over this dataset to compare with.`]
    : chosen.flatMap(({ comparison, shown }) => (comparison === null ? [`No item has ${shown.name} in both, in the same revision.`] : []));
}

function judgeScores(scores: readonly Judged[], margin: number): readonly GateScore[] {
  const comparable = scores.flatMap(({ comparison, ...score }) => (comparison === null ? [] : [{ ...score, comparison }]));
  const { each } = judgeGates(comparable.map(({ comparison, direction }) => ({ comparison, direction, margin })));
  return comparable.map(({ shown }, at) => {
    const outcome = each[at] ?? "inconclusive";
    return { name: shown.name, source: shown.source, outcome, reason: describe(shown.difference, outcome, margin) };
  });
}

function describe(difference: ComparedScore["difference"], outcome: GateOutcome, margin: number): string {
  if (difference === null) {
    return "nothing pairs.";
  }
  const { value, low, high, items, improved, worsened, items_needed: needed } = difference;
  const told = `${signed(value)} (${signed(low)} to ${signed(high)}) of ${count(items, "item")}, ${improved} better, ${worsened} worse`;
  return outcome === "inconclusive" && needed !== null
    ? `${told}: too little to tell a fall of ${margin}; about ${count(needed, "item")} would.`
    : `${told}.`;
}

const signed = (value: number) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
