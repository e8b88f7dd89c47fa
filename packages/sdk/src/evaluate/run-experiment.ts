import { unlinkSync } from "node:fs";
import { beginExperiment, listTurns } from "./begin.ts";
import { connect, readResult } from "./connect.ts";
import { EvaluationError } from "./evaluation-error.ts";
import { readEvaluators } from "./evaluators.ts";
import { finishExperiment } from "./finish.ts";
import { shortText } from "./json-value.ts";
import { checkPlan, CONCURRENCY, type EvaluationPlan, taskName, TIMEOUT } from "./plan.ts";
import { Progress } from "./progress.ts";
import { Reporter } from "./reporter.ts";
import type { EndedRun, EvaluationResult } from "./result.ts";
import { type Item, NoOutputError, runItem, type Runner, type Turn } from "./run-item.ts";
import { keepUnreported, readUnreported } from "./unreported.ts";
import { sdkState } from "../client/sdk-state.ts";

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
  return await runEvaluation(plan);
}

/** Runs only the turns that are chosen; where that is not all of them it counts as cancelled. */
export async function runEvaluation<Input>(
  plan: EvaluationPlan<Input>,
  isChosen: (turn: Turn) => boolean = () => true,
): Promise<EvaluationResult> {
  checkPlan(plan);
  const api = connect(plan);
  const evaluators = readEvaluators(plan.evaluators ?? []);
  const progress = new Progress();
  const { experiment, items } = await beginExperiment(api, plan, evaluators, progress);
  const isTraced = plan.task !== undefined;
  if (isTraced && sdkState.publisher === undefined) {
    progress.say("runs have no traces, which some checks need, unless initializeRedisPublisher() was called before");
  }
  const path = `/experiments/${experiment.id}`;
  const reporter = new Reporter(api, path, progress, plan.maxCost, experiment.cost ?? 0);
  const interrupt = listenForInterrupt(() => progress.say(`interrupted.${keep(reporter, experiment.id)}`));
  const signal = plan.signal === undefined ? interrupt.signal : AbortSignal.any([interrupt.signal, plan.signal]);
  try {
    await reportKept(reporter, experiment.id);
    const turns = listTurns(experiment.repetitions, items, await api.list<EndedRun>(`${path}/runs`));
    const chosen = turns.filter(isChosen).slice(0, plan.maxRuns ?? turns.length);
    const about = { isTraced, experimentId: experiment.id, name: taskName(plan) };
    const runner = { task: taskOf(plan), ...about, evaluators, timeout: plan.timeout ?? TIMEOUT, progress };
    const done = await runAll(runner, chosen, plan.concurrency ?? CONCURRENCY, reporter, signal);
    if (done < turns.length && !signal.aborted) {
      const why = done === chosen.length ? "all that were chosen" : `maxCost: $${reporter.cost.toFixed(2)}`;
      progress.say(`ended after ${done} of ${turns.length} runs (${why}), which counts as cancelled`);
    }
    const state = done === turns.length ? "finished" : "cancelled";
    const ended = await finishExperiment({ api, path, state, progress, isTraced: isTraced && sdkState.publisher !== undefined, signal });
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

function taskOf<Input>({ task, outputs = {} }: EvaluationPlan<Input>): (item: Item) => unknown {
  if (task !== undefined) {
    return ({ input }) => task(input as Input);
  }
  return ({ id }) => {
    if (!Object.hasOwn(outputs, id)) {
      throw new NoOutputError("no output was given");
    }
    return outputs[id];
  };
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
