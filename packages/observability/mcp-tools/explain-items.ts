import type { ExperimentItem } from "#contract.ts";
import { listRuns, type OfExperiment, type RunRow } from "#experiments/runs.store.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import { findFailures } from "#trace-facts/find-failures.ts";
import { growTree } from "#trace-facts/step-tree.ts";
import { scoreText } from "./list-experiments.ts";
import { readSteps } from "./load-trace.ts";
import { codeText, recordedLine } from "./recorded-text.ts";
import { shortStepId } from "./step-ids.ts";
import type { Reading } from "./trace-tool.ts";

const INPUT = 160;
const OUTPUT = 100;
const NAME = 80;
const REASON = 160;
const CHECKS = 3;
const MAX_RUNS = 2_000;

/** Items of an experiment in lines: what was put in and out, scores before and now, and where the run that shows it failed. */
export async function explainItems(reading: Reading, of: OfExperiment, items: readonly ExperimentItem[]): Promise<readonly string[]> {
  if (items.length === 0) {
    return [];
  }
  const ids = items.map(({ item_id: id }) => id);
  const runs = await listRuns(reading.query, { ...of, itemIds: ids, after: undefined, limit: MAX_RUNS });
  const told: string[] = [];
  for (const item of items) {
    const run = showing(runs.filter(({ item_id: id }) => id === item.item_id));
    const ofRun = run === undefined ? ["  it has no run"] : await describeRun(reading, of, run);
    told.push([...describeItem(item), ...ofRun, ...describeSource(item)].join("\n"));
  }
  return told;
}

/** The repetition that failed, or one that a check says failed, or the first. */
function showing(runs: readonly RunRow[]): RunRow | undefined {
  return runs.find(({ state }) => state === "failed") ?? runs.find((run) => failedChecks(run).length > 0) ?? runs[0];
}

function failedChecks({ checks }: RunRow) {
  return (checks ?? []).filter(({ passed }) => passed !== true);
}

function describeItem({ item_id: id, input, expected, required, candidate, baseline }: ExperimentItem): readonly string[] {
  const scores = candidate.scores.map(({ name, source, mean }) => {
    const before = baseline?.scores.find((score) => score.name === name && score.source === source)?.mean;
    const was = before === undefined || before === null ? "" : `${scoreText(before)} → `;
    return `${recordedLine(name, NAME)} ${was}${mean === null ? "missing" : scoreText(mean)}`;
  });
  return [
    `${id}${required ? " (required)" : ""}: ${recordedLine(input, INPUT)}`,
    ...(expected === "null" ? [] : [`  expected ${recordedLine(expected, OUTPUT)}`]),
    ...(scores.length === 0 ? [] : [`  ${scores.join(", ")}`]),
  ];
}

async function describeRun(reading: Reading, of: OfExperiment, run: RunRow): Promise<readonly string[]> {
  const { state, output, error, trace_id: trace } = run;
  return [
    state === "succeeded"
      ? `  put out ${recordedLine(JSON.stringify(output), OUTPUT)}`
      : `  ${state}: ${recordedLine(error ?? "", REASON)}`,
    ...failedChecks(run)
      .slice(0, CHECKS)
      .map(({ name, reason }) => `  check ${recordedLine(name, NAME)}: ${recordedLine(reason, REASON)}`),
    ...(trace === null ? [] : await describeTrace(reading, of, trace)),
  ];
}

async function describeTrace(reading: Reading, { projectId, reader }: OfExperiment, traceId: string): Promise<readonly string[]> {
  const trace = await findTrace(reading.query, { reader, projectId, traceId });
  if (trace === undefined) {
    return [`  trace ${traceId}, which is not here: not yet, or not any more`];
  }
  const steps = trace.status === "failure" ? (await readSteps(reading, trace.run)).steps : [];
  const { reason } = findFailures(growTree(steps), trace);
  return reason === undefined
    ? [`  trace ${traceId}`]
    : [
        `  trace ${traceId}: failed in ${reason.kind} ${recordedLine(reason.name, NAME)}, step ${shortStepId(reason.id)}`,
        ...(reason.code === null ? [] : [`  at ${codeText(reason.code)}`]),
      ];
}

function describeSource({ source }: ExperimentItem): readonly string[] {
  const { path, line, commit } = source ?? {};
  return path === undefined || line === undefined
    ? []
    : [`  made of a trace at ${codeText({ file: path, line, ...(commit === undefined ? {} : { commit }) })}`];
}
