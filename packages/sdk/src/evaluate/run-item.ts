import { setTimeout as sleep } from "node:timers/promises";
import { errorText, toJson } from "./json-value.ts";
import { type NamedEvaluator, type RunScore, scoreRun } from "./evaluators.ts";
import type { Progress } from "./progress.ts";
import { within } from "./within.ts";
import { currentTrace, type TraceReference } from "../capture/score.ts";
import { trace } from "../capture/span.ts";
import { timestamp } from "../event/timestamp.ts";

const MAX_RETRIES = 3;
const FIRST_WAIT = 1000;
const MAX_CAUSES = 5;

export type Item = {
  readonly id: string;
  readonly input: unknown;
  readonly expected?: unknown;
  readonly metadata?: unknown;
  readonly required?: boolean;
  readonly redacted?: boolean;
};

/** One item, one repetition; a higher attempt follows one that was missing. */
export type Turn = { readonly item: Item; readonly repetition: number; readonly attempt: number };

/** As it is reported. */
export type Run = {
  readonly item_id: string;
  readonly repetition: number;
  readonly attempt: number;
  readonly started_at?: string;
  readonly state: "succeeded" | "failed" | "missing";
  readonly output?: unknown;
  readonly error?: string;
  readonly trace_id: string | null;
  readonly duration_ms?: number;
  readonly scores?: readonly RunScore[];
};

/** An item for which no output was given. */
export class NoOutputError extends Error {
  override name = "NoOutputError";
}

export type Runner = {
  readonly task: (item: Item) => unknown;
  /** Outputs that exist have no traces and took no time. */
  readonly isTraced: boolean;
  readonly evaluators: readonly NamedEvaluator[];
  readonly experimentId: string;
  readonly name: string;
  /** Seconds. */
  readonly timeout: number;
  readonly progress: Progress;
};

/** What the task throws is its failure, but a provider that can't now makes the run missing. Never throws. */
export async function runItem(runner: Runner, turn: Turn): Promise<Run> {
  for (let number = 0; ; number += 1) {
    const { run, error } = await tryItem(runner, turn);
    if (run.state === "succeeded" || !(isUnavailable(error) || error instanceof NoOutputError)) {
      return run;
    }
    if (number === MAX_RETRIES || error instanceof NoOutputError) {
      return { ...run, state: "missing" };
    }
    await sleep(FIRST_WAIT * 2 ** number, undefined, { ref: false });
  }
}

async function tryItem(runner: Runner, turn: Turn): Promise<{ readonly run: Run; readonly error?: unknown }> {
  const { item, repetition, attempt } = turn;
  const about = { item_id: item.id, repetition, attempt };
  const metadata = { experiment_id: runner.experimentId, item_id: item.id, repetition };
  const started = { started_at: timestamp() };
  const began = performance.now();
  let reference: TraceReference | undefined;
  const ended = () =>
    runner.isTraced
      ? { ...started, trace_id: reference?.traceId ?? null, duration_ms: Math.round((performance.now() - began) * 1000) / 1000 }
      : { trace_id: null };
  let output: unknown;
  let json: unknown;
  const work = async () => {
    reference = currentTrace();
    output = await within(runner.timeout, () => runner.task(item));
    // Within, so that an output that is too large is the trace's failure, too.
    const read = toJson(output);
    json = read.json;
    if (read.replaced !== undefined) {
      runner.progress.say(`an output holds ${read.replaced}, which is no JSON: a text is reported, evaluators get the object`);
    }
    return output;
  };
  try {
    await (runner.isTraced ? trace({ name: runner.name, input: item.input, metadata, purpose: "experiment" }, work) : work());
  } catch (error) {
    return { run: { ...about, ...ended(), state: "failed", error: errorText(error) }, error };
  }
  const run = { ...about, ...ended(), state: "succeeded", output: json } as const;
  const values = { input: item.input, expected: item.expected, metadata: item.metadata, output, trace: reference };
  const scores = await Promise.all(runner.evaluators.map((each) => scoreRun(each, values, runner.timeout)));
  return { run: { ...run, scores } };
}

/** Whether a provider said 429 or 5xx, by what clients of HTTP call the status, here or in what caused it. */
export function isUnavailable(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === "object" && cause !== null; depth += 1) {
    const held = cause as Readonly<Record<string, unknown>>;
    const response = (held["response"] ?? {}) as Readonly<Record<string, unknown>>;
    const statuses = [held, response].flatMap((each) => [each["status"], each["statusCode"], each["status_code"]]);
    if (statuses.some((each) => typeof each === "number" && (each === 429 || (each >= 500 && each < 600)))) {
      return true;
    }
    cause = held["cause"];
  }
  return false;
}
