import type { ComparedScore, Experiment, ExperimentComparison, ExperimentItem } from "@sightline/observability/contract";

const id = (last: number) => `0190a1b2-0000-7000-8000-${String(last).padStart(12, "0")}`;

export function experiment(last: number, of: Partial<Experiment> = {}): Experiment {
  return {
    id: id(last),
    dataset_id: id(1),
    dataset: "refunds",
    dataset_version: 3,
    split: null,
    name: `experiment ${last}`,
    branch: "main",
    commit: "4f2a9c1d00",
    is_dirty: false,
    config: {},
    repetitions: 1,
    evaluators: [],
    author: "operator",
    state: "finished",
    created_at: `2026-11-28T10:${String(last).padStart(2, "0")}:00.000Z`,
    ended_at: "2026-11-28T10:05:00.000Z",
    items: 40,
    runs: { succeeded: 38, failed: 2, missing: 0, unchecked: 0 },
    cost: null,
    means: [],
    gate: null,
    ...of,
  };
}

const summary = { mean: 0.9, low: 0.8, high: 0.95, items: 40, corrected: null, missing: 0, repeated: null };

export function comparedScore(of: {
  readonly name?: string;
  readonly difference?: Partial<NonNullable<ComparedScore["difference"]>>;
}): ComparedScore {
  return {
    name: of.name ?? "exact_match",
    source: "application",
    higher_is_better: true,
    is_calibrated: null,
    candidate: summary,
    baseline: { ...summary, mean: 0.7 },
    difference: {
      value: 0.2,
      low: 0.1,
      high: 0.3,
      verdict: "better",
      margin: 0.1,
      items: 40,
      improved: 9,
      worsened: 1,
      procedure: "tango",
      stands_out: true,
      detectable: 0.12,
      items_needed: null,
      ...of.difference,
    },
  };
}

export function comparison(of: Partial<ExperimentComparison> = {}): ExperimentComparison {
  return {
    candidate: experiment(11, { branch: "fix-refunds" }),
    baseline: [experiment(10)],
    margin: 0.1,
    notes: [],
    scores: [comparedScore({})],
    unpaired: { changed: 0, only_candidate: 0, only_baseline: 0 },
    ...of,
  };
}

export function comparedItem(last: number): ExperimentItem {
  const cell = (output: string, mean: number, trace: number): ExperimentItem["candidate"] => ({
    runs: [{ repetition: 0, state: "succeeded", output: JSON.stringify(output), error: null, trace_id: id(trace), place: null }],
    scores: [{ name: "exact_match", source: "application", mean, text_value: null, explanation: null }],
  });
  return {
    item_id: id(last),
    input: JSON.stringify(`Question ${last}`),
    expected: JSON.stringify("Monday"),
    required: true,
    split: "test",
    source: { trace_id: id(900), path: "src/policy.ts", line: 88 },
    candidate: cell("On Friday", 0, 901),
    baseline: cell("On Monday", 1, 902),
  };
}
