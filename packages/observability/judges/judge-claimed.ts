import type { StreamPublisher } from "#otlp/stream-publisher.ts";
import { outputOf } from "#contract.ts";
import { keepMeans } from "#experiments/keep-means.ts";
import type { ModelFailure } from "#models/describe-failure.ts";
import type { Reader } from "#store/reader.ts";
import type { Judging, PreparedCall } from "./ask-judge.ts";
import { reserve } from "./budget.store.ts";
import { findEvaluator, type EvaluatorRow } from "./evaluators.store.ts";
import { isDone, type Claimed } from "./judgements.store.ts";
import { prepareJudging } from "./prepare-judging.ts";
import { NotJudgeable, type Subject } from "./read-judged.ts";
import { findRule, type RuleRow } from "./rules.store.ts";
import { settleTry, type Outcome } from "./settle-try.ts";
import { toScore } from "./write-prompt.ts";

export type JudgingOptions = Judging & { readonly publisher: Pick<StreamPublisher, "publish">; readonly firstRetryMs: number };

const reader: Reader = { kind: "operator" };
export const MAX_TRIES = 4;
const NO_PRICE = "the model has no price, so it can't be held to a budget; give it one in the project's prices, or the rule no budget";

/** Judges what this process has taken, and writes what came of it. @throws {TraceNotTaken} and what the database does. */
export async function judgeClaimed(options: JudgingOptions, held: Claimed, stopping: AbortSignal): Promise<void> {
  const { query, publisher } = options;
  const projectId = held.project_id;
  const evaluator = await findEvaluator(query, { projectId, reader, id: held.evaluator_id });
  const rule = await findRule(query, { projectId, reader, evaluatorId: held.evaluator_id, ruleId: held.rule_id });
  if (evaluator === undefined || rule === undefined) {
    return;
  }
  const outcome = await judge(options, { held, evaluator, rule }, stopping);
  await settleTry({ query, publisher, evaluator }, held, outcome);
  if (held.experiment_id !== null && outcome.state !== "waiting" && (await isDone(query, held))) {
    await keepMeans(query, { projectId, reader, experimentId: held.experiment_id });
  }
}

type Work = { readonly held: Claimed; readonly evaluator: EvaluatorRow; readonly rule: RuleRow };

async function judge(options: JudgingOptions, work: Work, stopping: AbortSignal): Promise<Outcome> {
  const { held, evaluator } = work;
  if (held.tries > MAX_TRIES) {
    return { state: "failed", reason: `given up: ${MAX_TRIES} tries did not end` };
  }
  try {
    const isPreference = outputOf(evaluator.definition).type === "preference";
    if (isPreference !== (held.baseline_id !== null)) {
      throw new NotJudgeable(
        `the evaluator has a newer version, which tells ${isPreference ? "which of two runs is better" : "no preference"}`,
      );
    }
    const prepared = await prepareJudging(options, subjectOf(held), evaluator.definition);
    return "verdict" in prepared
      ? { state: "judged", reason: null, score: toScore(prepared.verdict) }
      : await ask(options, { ...work, prepared }, stopping);
  } catch (error) {
    if (error instanceof NotJudgeable) {
      return { state: "skipped", reason: error.message };
    }
    throw error;
  }
}

async function ask(
  { query, firstRetryMs }: JudgingOptions,
  { held, evaluator, rule, prepared }: Work & { readonly prepared: PreparedCall },
  stopping: AbortSignal,
): Promise<Outcome> {
  if (rule.budget !== null && prepared.most === undefined) {
    return { state: "failed", reason: NO_PRICE };
  }
  const reservation = prepared.most === undefined ? undefined : await reserve(query, rule, prepared.most);
  if (prepared.most !== undefined && reservation === undefined) {
    const when = rule.kind === "live" ? "of the day " : "";
    return {
      state: "over_budget",
      reason: `the call may cost $${prepared.most.toPrecision(2)}, and less is left ${when}of $${rule.budget}`,
    };
  }
  const { id, name, version } = evaluator;
  const metadata = { judged_trace: held.trace_id ?? held.subject, evaluator_id: id, evaluator_version: version, rule_id: rule.id };
  const { verdict, failure, ...told } = await prepared.ask(stopping, { traceId: held.claim, name, metadata });
  const common = { reservation, ...told };
  if (verdict !== undefined) {
    return { ...common, state: "judged", reason: null, score: toScore(verdict) };
  }
  const problem = failure?.problem ?? null;
  if (failure?.isRetryable !== true || held.tries >= MAX_TRIES) {
    return { ...common, state: "failed", reason: problem };
  }
  const retryInMs = stopping.aborted ? 0 : pauseAfter(failure, held.tries, firstRetryMs);
  return { ...common, state: "waiting", reason: problem, retryInMs };
}

/** Milliseconds until a call is made again; not all at once. */
export function pauseAfter({ retryAfterMs = 0 }: ModelFailure, tries: number, firstRetryMs: number): number {
  return Math.max(firstRetryMs * 2 ** (tries - 1) * (1 + Math.random()), retryAfterMs);
}

function subjectOf({ project_id: projectId, trace_id: traceId, experiment_id, item_id, repetition, attempt, ...pair }: Claimed): Subject {
  const { baseline_id: baselineId, is_swapped: isSwapped } = pair;
  return {
    projectId,
    // A pair is judged by what its runs put out, and not by the trace of one of them.
    traceId: baselineId === null ? traceId : null,
    ...(experiment_id === null || item_id === null
      ? {}
      : {
          run: { experimentId: experiment_id, itemId: item_id, repetition: repetition ?? 0, attempt: attempt ?? 1, baselineId, isSwapped },
        }),
  };
}
