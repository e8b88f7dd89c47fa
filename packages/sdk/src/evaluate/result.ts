export type Experiment = {
  readonly id: string;
  readonly dataset: string;
  readonly dataset_id: string;
  readonly dataset_version: number;
  readonly split: string | null;
  readonly commit: string | null;
  readonly evaluators: readonly { readonly name: string; readonly version: string; readonly higher_is_better: boolean }[];
  readonly config: unknown;
  readonly items: number;
  readonly repetitions: number;
  readonly state: string;
  readonly cost: number | null;
  readonly runs: { readonly succeeded: number; readonly failed: number; readonly missing: number; readonly unchecked: number };
};

/** A run as the API tells it: its newest attempt. */
export type EndedRun = {
  readonly item_id: string;
  readonly repetition: number;
  readonly attempt: number;
  readonly state: "succeeded" | "failed" | "missing";
  readonly output: unknown;
  readonly error: string | null;
  readonly trace_id: string | null;
  readonly duration_ms: number | null;
  readonly scores: readonly EndedScore[];
};

/** Without a value it is missing, and `error` says why. */
export type EndedScore = {
  readonly name: string;
  readonly source: "application" | "check";
  readonly evaluator_version: string;
  readonly value: number | null;
  readonly is_boolean: boolean;
  readonly explanation: string | null;
  readonly error: string | null;
};

type Interval = { readonly low: number | null; readonly high: number | null };
type Difference = Interval & {
  readonly value: number | null;
  readonly verdict: string;
  readonly items: number;
  readonly items_needed: number | null;
};

export type ComparedScore = {
  readonly name: string;
  readonly source: string;
  readonly candidate: Interval & { readonly mean: number | null; readonly missing: number };
  readonly difference: Difference | null;
};

export type Comparison = {
  readonly baseline: readonly { readonly branch: string | null; readonly name: string }[];
  readonly scores: readonly ComparedScore[];
  readonly notes?: readonly string[];
};

const VERDICTS = new Map([
  ["too_few", "too few to tell"],
  ["same", "the same"],
]);
const UNITS = new Map([
  ["cost", " ($)"],
  ["duration", " (s)"],
]);

/** What an experiment found; as a text it is a table. */
export class EvaluationResult {
  readonly experiment: Experiment;
  readonly url: string;
  /** Every run with its output and its scores, those of the checks included. */
  readonly runs: readonly EndedRun[];
  /** As the API tells it; undefined where nothing was compared. */
  readonly comparison: Comparison | undefined;
  /** Why there is no comparison. */
  readonly note: string | undefined;

  constructor(experiment: Experiment, url: string, runs: readonly EndedRun[], comparison?: Comparison, note?: string) {
    this.experiment = experiment;
    this.url = url;
    this.runs = runs;
    this.comparison = comparison;
    this.note = note;
  }

  toString(): string {
    const { experiment, comparison, note } = this;
    const counts = (["succeeded", "failed", "missing"] as const).flatMap((name) =>
      experiment.runs[name] > 0 ? [`${experiment.runs[name]} ${name}`] : [],
    );
    const shape = `version ${experiment.dataset_version} · ${experiment.items} items × ${experiment.repetitions}`;
    const head = `${experiment.dataset}, ${shape} · ${counts.join(", ") || "no runs"} · ${experiment.state}`;
    const notes = note === undefined ? (comparison?.notes ?? []) : [note];
    return [head, ...(comparison === undefined ? [] : tableOf(comparison)), ...notes, this.url].join("\n");
  }
}

function tableOf({ baseline, scores }: Comparison): readonly string[] {
  if (scores.length === 0) {
    return [];
  }
  const [first] = baseline;
  const head = ["score", "mean", "95 %", `Δ ${first?.branch ?? first?.name ?? ""}`, "95 %", "verdict"];
  const rows = [head, ...scores.map(rowOf)].map((row) => (first === undefined ? row.slice(0, 3) : row));
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return first === undefined ? [...lines, "There is no baseline."] : lines;
}

function rowOf({ name, source, candidate, difference }: ComparedScore): readonly string[] {
  const missing = candidate.missing > 0 ? ` (${candidate.missing} missing)` : "";
  const unit = source === "run" ? (UNITS.get(name) ?? "") : "";
  const row = [`${name}${unit}`, `${numberText(candidate.mean)}${missing}`, intervalText(candidate)];
  return difference === null
    ? [...row, "–", "", "no item that both have"]
    : [...row, numberText(difference.value, "+"), intervalText(difference), verdictText(difference)];
}

function verdictText({ verdict, items, items_needed: needed }: Difference): string {
  const isTold = verdict !== "too_few" && verdict !== "unclear";
  const more = isTold || needed === null ? "" : ` (${items} items; about ${needed} would tell)`;
  return `${VERDICTS.get(verdict) ?? verdict}${more}`;
}

function intervalText({ low, high }: Interval): string {
  return low === null ? "" : `${numberText(low)} to ${numberText(high)}`;
}

function numberText(value: number | null, plus = ""): string {
  if (value === null) {
    return "–";
  }
  const size = Math.abs(value);
  // The cost of a run is small.
  const small = size > 0 && size < 0.001 ? String(Number(value.toPrecision(3))) : value.toFixed(3);
  const text = size < 1000 ? small : Math.round(value).toLocaleString("en-US");
  return value < 0 ? text : `${plus}${text}`;
}
