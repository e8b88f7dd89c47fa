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
import { type Run, runItem, type Runner, type Turn } from "./run-item.ts";
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
  const reporter = new Reporter(api, path, progress, plan.maxCost, experiment.cost ?? 0);
  const interrupt = listenForInterrupt(() => progress.say(`interrupted.${keep(reporter, experiment.id)}`));
  const signal = plan.signal === undefined ? interrupt.signal : AbortSignal.any([interrupt.signal, plan.signal]);
  try {
    await reportKept(reporter, experiment.id);
    const turns = await listTurns(experiment.repetitions, items, api.pages<Run>(`${path}/runs`));
    const chosen = turns.slice(0, plan.maxRuns ?? turns.length);
    const task = (input: unknown) => plan.task(input as Input);
    const timeout = plan.timeout ?? 300;
    const named = { experimentId: experiment.id, name: nameOf(plan.task) };
    const runner = { task, evaluators, ...named, timeout, firstWait: FIRST_WAIT, progress };
    const done = await runAll(runner, chosen, plan.concurrency ?? 8, reporter, signal);
    if (done < turns.length && !signal.aborted) {
      const why = done === chosen.length ? "maxRuns" : `maxCost: $${reporter.cost.toFixed(2)}`;
      progress.say(`ended after ${done} of ${turns.length} runs (${why}), which counts as cancelled`);
    }
    const state = done === turns.length ? "finished" : "cancelled";
    const ended = await finishExperiment({ api, path, state, progress, signal });
    if (signal.aborted && ended.state !== "finished") {
      throw new EvaluationError("The evaluation was cancelled; what ended is reported.");
    }
    return await readResult(api, plan, ended);
  } catch (error) {
    const reason = error instanceof EvaluationError ? error.message : shortText(error);
    throw new EvaluationError(`${reason}${keep(reporter, experiment.id)} Go on with resume: "${experiment.id}".`, { cause: error });
  } finally {
    interrupt.close();
    progress.endLine();
  }
}

/** Aborts at Ctrl-C; a second one waits for nothing, and ends the process as it would without this. */
function listenForInterrupt(atSecond: () => void) {
  const cancel = new AbortController();
  const close = () => process.off("SIGINT", onInterrupt);
  function onInterrupt(): void {
    if (!cancel.signal.aborted) {
      cancel.abort();
      return;
    }
    atSecond();
    close();
    process.kill(process.pid, "SIGINT");
  }
  process.on("SIGINT", onInterrupt);
  return { signal: cancel.signal, close };
}

/** How many ended; what runs when all is cancelled is left to itself. Throws why the platform takes no more. */
async function runAll(
  runner: Runner,
  turns: readonly Turn[],
  concurrency: number,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<number> {
  const counts = { succeeded: 0, failed: 0, missing: 0 };
  const queue = turns.values();
  const total = () => counts.succeeded + counts.failed + counts.missing;
  const cancelled = new Promise<void>((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const work = async () => {
    for (let next = queue.next(); next.done !== true && !signal.aborted && !reporter.isOver; next = queue.next()) {
      const run = await runItem(runner, next.value);
      if (signal.aborted) {
        return;
      }
      reporter.waiting.push(run);
      counts[run.state] += 1;
      const notes = (["failed", "missing"] as const).flatMap((name) => (counts[name] > 0 ? [`, ${counts[name]} ${name}`] : []));
      runner.progress.count(total(), turns.length, notes.join(""));
    }
  };
  reporter.start();
  try {
    await Promise.race([Promise.all(Array.from({ length: Math.min(concurrency, turns.length) }, work)), cancelled]);
  } finally {
    reporter.stop();
  }
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
