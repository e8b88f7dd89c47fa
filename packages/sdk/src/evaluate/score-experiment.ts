import { listItems } from "./begin.ts";
import { connect, readResult } from "./connect.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { describeEvaluator, type NamedEvaluator, readEvaluators, scoreRun } from "./evaluators.ts";
import { checkNumbers, CONCURRENCY, type ExperimentPlan, TIMEOUT } from "./plan.ts";
import { Progress } from "./progress.ts";
import type { EndedRun, EvaluationResult, Experiment } from "./result.ts";
import type { Item } from "./run-item.ts";
import { traceAddress } from "../capture/first-trace.ts";

const MAX_BATCH_RUNS = 100;

type Work = { readonly run: EndedRun; readonly item: Item; readonly missing: readonly NamedEvaluator[] };

/**
 * Scores the runs of a finished experiment by further evaluators, from the outputs that it kept; nothing is run again. Scores are reported
 * as it goes: called once more, it fills those that are missing.
 *
 * @example
 * const result = await evaluateExperiment({ experiment: "019b…", evaluators: [concise], baseline: "main" });
 * @throws EvaluationError where it can't
 */
export async function evaluateExperiment(plan: ExperimentPlan): Promise<EvaluationResult> {
  checkNumbers(plan);
  const evaluators = readEvaluators(plan.evaluators);
  if (evaluators.length === 0) {
    throw new EvaluationError("evaluateExperiment needs evaluators to score the runs by.");
  }
  const api = connect(plan);
  const timeout = plan.timeout ?? TIMEOUT;
  const progress = new Progress();
  const path = `/experiments/${encodeURIComponent(plan.experiment)}`;
  const experiment = await api.get<Experiment>(path);
  if (experiment.state !== "finished") {
    throw new EvaluationError(`The experiment is ${experiment.state}; scores are added to one that is finished.`);
  }
  const { dataset_id: id, dataset: name, dataset_version: version, split } = experiment;
  const items = new Map((await listItems(api, { id, name, version, split })).map((item) => [item.id, item]));
  const ended = (await api.list<EndedRun>(`${path}/runs`)).filter((run) => run.state !== "missing");
  const work = ended.flatMap((run) => {
    const item = items.get(run.item_id);
    return item === undefined ? [] : [{ run, item, missing: evaluators.filter((each) => !hasScore(run, each)) }];
  });
  progress.say(`${work.length} runs of ${name}, version ${version}, are scored by ${evaluators.map((each) => each.name).join(", ")}`);
  try {
    const size = Math.min(plan.concurrency ?? CONCURRENCY, MAX_BATCH_RUNS);
    for (let done = 0; done < work.length; done += size) {
      const runs = await Promise.all(work.slice(done, done + size).map(async (each) => await scoreAgain(each, timeout)));
      await api.post(`${path}/scores`, { evaluators: evaluators.map(describeEvaluator), runs });
      progress.count(done + runs.length, work.length, "");
    }
  } finally {
    progress.endLine();
  }
  return await readResult(api, plan, await api.get<Experiment>(path));
}

function hasScore(run: EndedRun, { name, version }: NamedEvaluator): boolean {
  return run.scores.some((each) => each.name === name && each.evaluator_version === version && each.value !== null);
}

async function scoreAgain({ run, item, missing }: Work, timeout: number) {
  const { item_id, repetition, attempt, output, trace_id: traceId } = run;
  const trace = traceId === null ? undefined : { traceId, observationId: undefined, url: traceAddress(traceId) };
  const values = { input: item.input, expected: item.expected, metadata: item.metadata, output, trace };
  // One that failed is scored by the platform.
  const scores = run.state === "failed" ? [] : await Promise.all(missing.map((each) => scoreRun(each, values, timeout)));
  return { item_id, repetition, attempt, scores };
}
