import { isByItem, type ComparedScore, type Gate, type GateOutcome } from "#contract.ts";
import { judgeGates } from "#statistics/gate-verdict.ts";
import type { Compared, Judged } from "./compare-experiments.ts";

type Judging = {
  readonly compared: Compared;
  /** What the baseline was asked for by; undefined: none was. */
  readonly baseline: string | undefined;
  /** Names of the scores that decide; undefined: those of the application, and of the items' checks. */
  readonly primary: readonly string[] | undefined;
  /** Whether judges that do not agree with people, as far as is known, may fail it. */
  readonly allowsUncalibrated: boolean;
};

type GateScore = Gate["scores"][number];

/** What a gate says of an experiment: nothing passes that was not measured. */
export function judgeExperiment(judging: Judging): Omit<Gate, "comparison"> {
  const { compared, baseline, primary } = judging;
  const { failed: failedRequired } = compared.measured;
  // A verdict of the server's evaluators fails no gate unless it is named: it is judged afterwards.
  const byItself = ({ shown }: Judged) => shown.source === "application" || isByItem(shown);
  const chosen = compared.scores.filter((score) => (primary === undefined ? byItself(score) : primary.includes(score.shown.name)));
  const scores = baseline === undefined ? [] : judgeScores(chosen, judging);
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
function findBroken({ compared, baseline, primary }: Judging, chosen: readonly Judged[]): readonly string[] {
  const { candidate, measured, lost } = compared;
  const expected = measured.items * candidate.repetitions;
  const missing = expected - measured.ran;
  const absent = (primary ?? lost).filter((name) => chosen.every(({ shown }) => shown.name !== name));
  const hasNothing = chosen.length === 0 && absent.length === 0;
  return [
    ...(candidate.state === "finished" ? [] : [`The experiment is ${candidate.state}; finish it first.`]),
    ...(missing > 0 ? [`${count(missing, "run")} of ${expected} ${missing === 1 ? "is" : "are"} missing.`] : []),
    ...(candidate.unchecked > 0 ? [`The checks of ${count(candidate.unchecked, "run")} await their traces.`] : []),
    ...(measured.unjudged > 0
      ? [`${count(measured.unjudged, "required item")} ${measured.unjudged === 1 ? "was" : "were"} not judged.`]
      : []),
    ...absent.map((name) => `No run has the score ${name}.`),
    ...(hasNothing ? ["No run was scored: the items have no checks, and there is no evaluator."] : []),
    ...chosen.flatMap(({ shown: { name, candidate: own } }) =>
      own.missing > 0 ? [`${count(own.missing, "run")} ${own.missing === 1 ? "lacks" : "lack"} the score ${name}.`] : [],
    ),
    ...(baseline === undefined ? findNothingJudged(compared) : findUnpaired(baseline, compared.baseline, chosen)),
  ];
}

function findNothingJudged({ measured }: Compared): readonly string[] {
  return measured.required > 0 ? [] : ["No baseline was named and no item is required: nothing was judged."];
}

function findUnpaired(named: string, baseline: Compared["baseline"], chosen: readonly Judged[]): readonly string[] {
  if (baseline.length === 0) {
    return [`There is no finished experiment of ${named} over this dataset, of committed code, to compare with.`];
  }
  return [
    ...baseline.flatMap(({ name, state }) => (state === "finished" ? [] : [`The baseline ${name} is ${state}.`])),
    ...chosen.flatMap(({ comparison, shown }) =>
      comparison === null ? [`No item has ${shown.name} in both, of the same revision and the same version of the evaluator.`] : [],
    ),
  ];
}

/** Of how many items at least half have to be compared before a score may pass. */
const PASSING_SHARE = 0.5;

const UNCALIBRATED = " Its judge is not calibrated, so it fails no gate (--allow-uncalibrated).";

function judgeScores(scores: readonly Judged[], { compared: { measured }, allowsUncalibrated }: Judging): readonly GateScore[] {
  const comparable = scores.flatMap(({ comparison, shown: { difference, ...shown }, direction }) =>
    comparison === null || difference === null ? [] : [{ shown, difference, direction, comparison }],
  );
  const { each } = judgeGates(comparable.map(({ difference: { margin }, ...score }) => ({ ...score, margin })));
  return comparable.map(({ shown, difference }, at) => {
    const of = isByItem(shown) ? measured.checked : measured.items;
    const isSliver = difference.items < of * PASSING_SHARE;
    const judged = each[at] ?? "inconclusive";
    const isDoubtful = shown.is_calibrated === false && !allowsUncalibrated;
    const outcome = (judged === "passed" && isSliver) || (judged === "worse" && isDoubtful) ? "inconclusive" : judged;
    const reason = describe(difference, { outcome, of }) + (isDoubtful ? UNCALIBRATED : "");
    return { name: shown.name, source: shown.source, outcome, reason };
  });
}

type Telling = { readonly outcome: GateOutcome; readonly of: number };
type Difference = NonNullable<ComparedScore["difference"]>;

function describe(difference: Difference, { outcome, of }: Telling): string {
  const { value, low, high, margin, items, improved, worsened, items_needed: needed } = difference;
  const told = `${signed(value)} (${signed(low)} to ${signed(high)}) over ${items === of ? count(items, "item") : `${items} of ${count(of, "item")}`}, ${improved} better, ${worsened} worse`;
  return outcome === "inconclusive" && needed !== null && needed > items
    ? `${told}: too little to tell a change of ${Number(margin.toPrecision(3))}; about ${count(needed, "item")} would.`
    : `${told}.`;
}

const signed = (value: number) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);
const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
