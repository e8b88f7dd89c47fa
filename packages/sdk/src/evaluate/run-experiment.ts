import { unlinkSync } from "node:fs";
import { Api } from "./api.ts";
import { beginExperiment, listTurns, nameOf } from "./begin.ts";
import { EvaluationError, RefusedError } from "./evaluation-error.ts";
import { readEvaluators } from "./evaluators.ts";
import { finishExperiment } from "./finish.ts";
import { shortText } from "./json-value.ts";
import { checkPlan, type EvaluationPlan } from "./plan.ts";
import { Progress } from "./progress.ts";
import { Reporter } from "./reporter.ts";
import { type Comparison, EvaluationResult, type Experiment } from "./result.ts";
import { runItem, type Runner, type Turn } from "./run-item.ts";
import { keepUnreported, readUnreported } from "./unreported.ts";
import { sdkState } from "../client/sdk-state.ts";
import { processEnvironment } from "../settings/settings.ts";

const FIRST_WAIT = 1000;

/**
 * Runs the task with the input of every item of a dataset, scores what it gives, and compares that with a baseline. Ctrl-C cancels
 * it, and `resume` goes on.
 *
 * @example
 * const result = await evaluate({ task: agent, dataset: "refunds", evaluators: [exact], repetitions: 3, baseline: "main" });
 * console.log(String(result));
 * @throws EvaluationError where it can't, or was cancelled
 */
export async function evaluate<Input = unknown>(plan: EvaluationPlan<Input>): Promise<EvaluationResult> {
  checkPlan(plan);
  // Traces go to the publisher's project, so that is the experiment's.
  const api = new Api(plan.apiUrl, plan.apiKey, plan.projectId ?? sdkState.publisher?.settings.projectId);
  const evaluators = readEvaluators(plan.evaluators ?? []);
  const progress = new Progress();
  const { experiment, items } = await beginExperiment(api, plan, evaluators, progress);
  if (sdkState.publisher === undefined) {
    progress.say("runs have no traces, which some checks need, unless initializeRedisPublisher() was called before");
  }
  const path = `/experiments/${experiment.id}`;
  const reporter = new Reporter(api, path, progress, plan.maxCost);
  const cancel = new AbortController();
  const onInterrupt = () => cancel.abort();
  // A second Ctrl-C ends the process, as it would without this.
  process.once("SIGINT", onInterrupt);
  const signal = plan.signal === undefined ? cancel.signal : AbortSignal.any([cancel.signal, plan.signal]);
  try {
    await reportKept(reporter, experiment.id);
    const turns = await listTurns(api, experiment, items);
    const chosen = turns.slice(0, plan.maxRuns ?? turns.length);
    const task = (input: unknown) => plan.task(input as Input);
    const timeout = plan.timeout ?? 300;
    const runner = { task, evaluators, experimentId: experiment.id, name: nameOf(plan.task), timeout, firstWait: FIRST_WAIT };
    const done = await runAll(runner, chosen, plan.concurrency ?? 8, reporter, progress, signal);
    if (signal.aborted) {
      await api.post(`${path}/finish`, { state: "cancelled" });
      throw new EvaluationError("The evaluation was cancelled; what ended is reported.");
    }
    if (done < turns.length) {
      const why = done === chosen.length ? "maxRuns" : `maxCost: $${reporter.cost.toFixed(2)}`;
      progress.say(`ended after ${done} of ${turns.length} runs (${why}), which counts as cancelled`);
    }
    const ended = await finishExperiment(api, path, done === turns.length ? "finished" : "cancelled", progress);
    return await readResult(api, plan, ended);
  } catch (error) {
    const reason = error instanceof EvaluationError ? error.message : shortText(error);
    throw new EvaluationError(`${reason}${keep(reporter, experiment.id)} Go on with resume: "${experiment.id}".`, { cause: error });
  } finally {
    process.off("SIGINT", onInterrupt);
    progress.endLine();
  }
}

/** How many ended. Throws why the platform takes no more. */
async function runAll(
  runner: Runner,
  turns: readonly Turn[],
  concurrency: number,
  reporter: Reporter,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  const counts = { succeeded: 0, failed: 0, missing: 0 };
  const queue = turns.values();
  const total = () => counts.succeeded + counts.failed + counts.missing;
  const cancelled = new Promise<undefined>((resolve) => {
    if (signal.aborted) {
      resolve(undefined);
    }
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const work = async () => {
    while (!reporter.isOver && !signal.aborted) {
      const next = queue.next();
      // What runs when all is cancelled is left to itself.
      const run = next.done === true ? undefined : await Promise.race([runItem(runner, next.value), cancelled]);
      if (run === undefined) {
        return;
      }
      reporter.waiting.push(run);
      counts[run.state] += 1;
      const notes = (["failed", "missing"] as const).flatMap((name) => (counts[name] > 0 ? [`, ${counts[name]} ${name}`] : []));
      progress.count(total(), turns.length, notes.join(""));
    }
  };
  reporter.start();
  await Promise.all(Array.from({ length: Math.min(concurrency, turns.length) }, work));
  reporter.stop();
  await flush(reporter);
  return total();
}

/** Reports what an earlier process could not. */
async function reportKept(reporter: Reporter, experimentId: string): Promise<void> {
  const { runs, paths } = readUnreported(experimentId);
  reporter.waiting = [...runs];
  await flush(reporter);
  paths.forEach((path) => unlinkSync(path));
}

async function flush(reporter: Reporter): Promise<void> {
  await reporter.flush();
  if (reporter.failure !== undefined) {
    throw reporter.failure;
  }
}

/** Keeps what is not reported in a file, and says where. */
function keep(reporter: Reporter, experimentId: string): string {
  const waiting = reporter.waiting.splice(0);
  if (waiting.length === 0) {
    return "";
  }
  try {
    return ` ${waiting.length} runs that were not reported are kept in ${keepUnreported(experimentId, waiting)}.`;
  } catch (error) {
    return ` ${waiting.length} runs that were not reported are lost: ${shortText(error)}.`;
  }
}

async function readResult(api: Api, plan: EvaluationPlan<never>, experiment: Experiment): Promise<EvaluationResult> {
  const path = `/experiments/${experiment.id}`;
  const console = (sdkState.publisher?.settings.consoleUrl || processEnvironment["OBS_CONSOLE_URL"] || "").replace(/\/+$/, "");
  const url = console === "" ? api.address(path) : `${console}/projects/${api.projectId}${path}`;
  const runs = await api.list<unknown>(`${path}/runs`);
  try {
    const comparison = await api.get<Comparison>(`${path}/comparison`, { baseline: plan.baseline, margin: plan.margin });
    return new EvaluationResult(experiment, url, runs, comparison);
  } catch (error) {
    if (!(error instanceof RefusedError)) {
      throw error;
    }
    return new EvaluationResult(experiment, url, runs, undefined, `The platform compared nothing: ${error.message}`);
  }
}
