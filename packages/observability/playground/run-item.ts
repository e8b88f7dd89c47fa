import { AppError } from "@sightline/foundation/errors";
import { fillMessages, listVariables, type Json, type PlaygroundRequest, type ReportedRun } from "#contract.ts";
import { findItems, type ItemRow } from "#datasets/items.store.ts";
import { finishExperiment } from "#experiments/finish-experiment.ts";
import { reportRuns } from "#experiments/report-runs.ts";
import type { OfExperiment } from "#experiments/runs.store.ts";
import { settleSpending, type Reservation } from "#judges/budget.store.ts";
import { MAX_TRIES, pauseAfter, type JudgingOptions } from "#judges/judge-claimed.ts";
import type { JudgeCall } from "#judges/judge-trace.ts";
import { isDone, settleJudgement, type Claimed, type Settling } from "#judges/judgements.store.ts";
import { publishTrace } from "#judges/settle-try.ts";
import { findConnection } from "#models/connections.store.ts";
import type { ModelFailure } from "#models/describe-failure.ts";
import type { CallEnd } from "#models/stream-model.ts";
import type { Query } from "#schema.ts";
import { findRunningCall, insertEnd } from "./played-items.store.ts";
import { openCall } from "./run-call.ts";

/** How often, and after which pause, an experiment is ended that awaits traces; each time some of its checks are evaluated. */
const MAX_WAITS = 60;
const WAIT_MS = 2_000;

/** `run` is missing where it is tried again. */
type Outcome = {
  readonly run?: Pick<ReportedRun, "state"> & Partial<ReportedRun>;
  readonly retryInMs?: number;
  readonly state?: Settling["state"];
  readonly problem: string | null;
  readonly reservation?: Reservation | undefined;
  readonly cost?: number | undefined;
  readonly call?: JudgeCall;
};

/** Asks the model of one item that this process has taken, and reports its run; of no item it ends the experiment. @throws {TraceNotTaken} and what the database does. */
export async function runItem(options: JudgingOptions, held: Claimed, stopping: AbortSignal): Promise<void> {
  const { query, publisher, now } = options;
  const of: OfExperiment = { projectId: held.project_id, reader: { kind: "operator" }, experimentId: held.rule_id };
  const played = await findRunningCall(query, of);
  const settle = async (transaction: Query, { state, retryInMs = 0, problem, cost = 0, ...made }: Outcome, isDeleted: boolean) => {
    const settling = { state: state ?? "judged", reason: problem, version: null, cost, retryInMs };
    const isHeld = await settleJudgement(transaction, held, settling);
    if (made.reservation !== undefined) {
      await settleSpending(transaction, made.reservation, cost);
    }
    if (made.call !== undefined && !isDeleted) {
      await publishTrace(publisher, held.project_id, made.call);
    }
    return isHeld;
  };
  // Without a run of its own.
  const wait = (outcome: Outcome) => query.transaction().execute(async (transaction) => void (await settle(transaction, outcome, false)));
  if (played === undefined) {
    return wait({ state: "skipped", problem: "the experiment has ended" });
  }
  if (held.item_id === null) {
    await finishExperiment(query, { ...of, state: "finished", wait: held.tries < MAX_WAITS, now: now() });
    const isOpen = (await findRunningCall(query, of)) !== undefined;
    return wait(isOpen ? { state: "waiting", retryInMs: WAIT_MS, problem: "its checks await traces" } : { problem: null });
  }
  const { datasetId, version, split, author } = played;
  const [item] = await findItems(query, { ...of, datasetId, version, split, ids: [held.item_id] });
  const outcome = await tryItem(options, { held, asked: played.call, author, item }, stopping);
  if (outcome.run === undefined) {
    return wait({ ...outcome, state: "waiting" });
  }
  const common = { item_id: held.item_id, repetition: 0, attempt: 1, scores: [], output: null, error: outcome.problem };
  const none = { trace_id: null, started_at: null, duration_ms: null };
  const report = (run: Outcome["run"] & object) =>
    reportRuns(query, of, [{ ...common, ...none, ...run }], async (transaction, isDeleted) => {
      const isHeld = await settle(transaction, outcome, isDeleted);
      await ((await isDone(transaction, held)) && insertEnd(transaction, of));
      return isHeld;
    });
  try {
    await report(outcome.run);
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) {
      throw error;
    }
    // An answer that is too long, or can't be masked, costs its run alone.
    await report({ ...outcome.run, state: "failed", output: null, error: error.message });
  }
}

/** `retryInMs`: undefined where it is not made again. */
type Ended = { readonly said: readonly { readonly type: string }[]; readonly retryInMs: number | undefined };
type Work = { readonly held: Claimed; readonly asked: PlaygroundRequest; readonly author: string; readonly item: ItemRow | undefined };

async function tryItem({ query, access, now, firstRetryMs }: JudgingOptions, work: Work, stopping: AbortSignal): Promise<Outcome> {
  const { held, asked, author, item } = work;
  const missing = (problem: string): Outcome => ({ run: { state: "missing" }, problem });
  const connection = await findConnection(query, {
    projectId: held.project_id,
    reader: { kind: "operator" },
    id: asked.connection_id,
  });
  if (held.tries > MAX_TRIES || connection === undefined || item === undefined || item.redacted_at !== null) {
    return missing(
      held.tries > MAX_TRIES ? `given up: ${MAX_TRIES} tries did not end` : "its item, or the connection to the model, was deleted",
    );
  }
  const values = valuesOf(item.input);
  const unknown = listVariables(JSON.stringify(asked.messages)).find((name) => !Object.hasOwn(values, name));
  if (unknown !== undefined) {
    return { run: { state: "failed" }, problem: `{{${unknown}}} has no value: the item's input has no such key` };
  }
  const filled = { ...asked, messages: fillMessages(asked.messages, values) };
  const metadata = { author, experiment_id: held.rule_id, item_id: item.item_id };
  const about = { projectId: held.project_id, traceId: held.claim, userId: item.subject, metadata };
  try {
    const opened = await openCall(query, now, { ...about, asked: filled });
    const { streamModel } = await import("#models/stream-model.ts");
    let ended: CallEnd = {};
    const open = () => access.open(connection, asked.model);
    for await (const part of streamModel({ open, asked: filled, signal: stopping, now })) {
      if (part.type === "end") {
        ended = part;
      } else {
        opened.said.push(part);
      }
    }
    const { cost, call } = opened.end(ended, undefined);
    const made = { reservation: opened.reservation, cost, call, problem: call.problem ?? null };
    const pauseMs = ended.failure && pauseAfter(ended.failure, held.tries, firstRetryMs);
    const retryInMs = stopping.aborted ? 0 : held.tries < MAX_TRIES ? pauseMs : undefined;
    return { ...made, ...becomes(ended.failure, call, { said: opened.said, retryInMs }) };
  } catch (error) {
    // The budget has no room, or nothing counts it any more.
    if (error instanceof AppError) {
      return { ...missing(error.message), state: "over_budget" };
    }
    throw error;
  }
}

/** What came of a call: a run, or a pause until it is made again. */
function becomes(failure: ModelFailure | undefined, { verdict, traceId, startedAt, endedAt }: JudgeCall, { said, retryInMs }: Ended) {
  const told = { trace_id: traceId, started_at: startedAt.toISOString(), duration_ms: endedAt.getTime() - startedAt.getTime() };
  if (failure === undefined) {
    const calls = said.filter(({ type }) => type === "tool-call");
    const output: Json = JSON.parse(JSON.stringify(calls.length === 0 ? verdict : { text: verdict, tool_calls: calls }));
    return { run: { ...told, state: "succeeded" as const, output } };
  }
  if (failure.isRetryable && retryInMs !== undefined) {
    return { retryInMs };
  }
  return { run: { ...told, state: failure.isRetryable ? ("missing" as const) : ("failed" as const) } };
}

/** By name, in words: the keys of an object, and as `input` all of it. */
function valuesOf(input: Json): Readonly<Record<string, string>> {
  const toText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const keys = typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  return Object.fromEntries([["input", toText(input)], ...keys.map(([key, value]) => [key, toText(value)])]);
}
