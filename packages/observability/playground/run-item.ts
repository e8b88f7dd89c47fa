import { AppError, orRefuse, refusal } from "@sightline/foundation/errors";
import { fillMessages, listVariables, type Json, type PlaygroundRequest, type ReportedRun } from "#contract.ts";
import { findItems } from "#datasets/items.store.ts";
import { finishExperiment } from "#experiments/finish-experiment.ts";
import { reportRuns } from "#experiments/report-runs.ts";
import type { OfExperiment } from "#experiments/runs.store.ts";
import { settleSpending } from "#judges/budget.store.ts";
import { MAX_TRIES, pauseAfter, type JudgingOptions } from "#judges/judge-claimed.ts";
import { isDone, settleJudgement, type Claimed } from "#judges/judgements.store.ts";
import { publishTrace, type Outcome } from "#judges/settle-try.ts";
import { connectionNotFound } from "#models/connections.errors.ts";
import { findConnection } from "#models/connections.store.ts";
import type { Query } from "#schema.ts";
import { findRunningCall, holdItem, insertEnd, type RunningCall } from "./played-items.store.ts";
import { openCall } from "./run-call.ts";

/** How often, and after which pause, an experiment is ended that awaits traces; each time some of its checks are evaluated. */
const MAX_WAITS = 60;
const WAIT_MS = 2_000;

/** Characters that an item's values put into messages: as many as a request by hand may have. */
const MAX_FILLED = 8 * 1024 * 1024;

type Run = Pick<ReportedRun, "state"> & Partial<ReportedRun>;
/** Without a run it is tried again, or nothing comes of it. */
type Tried = Omit<Outcome, "score"> & { readonly run?: Run };

/** Asks the model of one item that this process has taken, and reports its run; of no item it ends the experiment. @throws {TraceNotTaken} and what the database does. */
export async function runItem(options: JudgingOptions, held: Claimed, stopping: AbortSignal): Promise<void> {
  const { query, publisher } = options;
  const of: OfExperiment = { projectId: held.project_id, reader: { kind: "operator" }, experimentId: held.rule_id };
  const { run, reservation, call, cost = 0, retryInMs = 0, ...settling } = await work(options, { held, of }, stopping);

  async function settle(transaction: Query, isDeleted: boolean): Promise<boolean> {
    const isHeld = await settleJudgement(transaction, held, { ...settling, version: null, cost, retryInMs, hasTraces: true });
    await (reservation && settleSpending(transaction, reservation, cost));
    await (call !== undefined && !isDeleted && publishTrace(publisher, held.project_id, call));
    await (run !== undefined && (await isDone(transaction, held)) && insertEnd(transaction, of));
    return isHeld;
  }
  if (run === undefined || held.item_id === null) {
    const { item_id: itemId } = held;
    await query.transaction().execute(async (transaction) => {
      const isDeleted = call !== undefined && itemId !== null && !(await holdItem(transaction, of, itemId));
      return settle(transaction, isDeleted);
    });
    return;
  }
  const none = { scores: [], output: null, error: settling.reason, trace_id: null, started_at: null, duration_ms: null };
  const report = { item_id: held.item_id, repetition: 0, attempt: 1, ...none, ...run };
  try {
    await reportRuns(query, of, [report], settle);
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) {
      throw error;
    }
    // An answer that is too long, or can't be masked, costs its run alone.
    await reportRuns(query, of, [{ ...report, state: "failed", output: null, error: error.message }], settle);
  }
}

type Work = { readonly held: Claimed; readonly of: OfExperiment };

async function work(options: JudgingOptions, { held, of }: Work, stopping: AbortSignal): Promise<Tried> {
  const { query, now } = options;
  const played = await findRunningCall(query, of);
  if (played === undefined) {
    return { state: "skipped", reason: "the experiment has ended" };
  }
  if (held.item_id === null) {
    await finishExperiment(query, { ...of, state: "finished", wait: held.tries < MAX_WAITS, now: now() });
    const isOpen = (await findRunningCall(query, of)) !== undefined;
    return { state: isOpen ? "waiting" : "judged", reason: null, retryInMs: WAIT_MS };
  }
  try {
    return await ask(options, { held, of, itemId: held.item_id, played }, stopping);
  } catch (error) {
    if (error instanceof AppError) {
      return { state: "failed", reason: error.message, run: { state: error.status === 400 ? "failed" : "missing" } };
    }
    throw error;
  }
}

/** @throws {AppError} 400 where the item has no value for a variable, others where it can't be asked of. */
async function ask(
  { query, access, now, firstRetryMs }: JudgingOptions,
  { held, of, itemId, played }: Work & { readonly itemId: string; readonly played: RunningCall },
  stopping: AbortSignal,
): Promise<Tried> {
  const { author, call: asked, ...version } = played;
  if (held.tries > MAX_TRIES) {
    throw refusal(409, "given_up", `Given up: ${MAX_TRIES} tries did not end.`);
  }
  const connection = orRefuse(await findConnection(query, { ...of, id: asked.connection_id }), connectionNotFound);
  const [found] = await findItems(query, { ...of, ...version, ids: [itemId] });
  const item = orRefuse(found?.redacted_at === null ? found : undefined, () => refusal(404, "item_gone", "The item's data were deleted."));
  const opened = await openCall(query, now, {
    ...of,
    asked: fillFrom(item.input, asked),
    open: () => access.open(connection, asked.model),
    signal: stopping,
    traceId: held.claim,
    userId: item.subject,
    metadata: { author, experiment_id: held.rule_id, item_id: itemId },
  });
  for await (const _part of opened.answer) {
    // It is read to its end.
  }
  const { failure, calls, ...paid } = opened.end();
  const { startedAt, endedAt, verdict, problem } = paid.call;
  const made = { ...paid, reason: problem ?? null };
  const ran = { trace_id: held.claim, started_at: startedAt.toISOString(), duration_ms: endedAt.getTime() - startedAt.getTime() };
  if (problem === undefined) {
    const output: Json = JSON.parse(JSON.stringify(calls.length === 0 ? verdict : { text: verdict, tool_calls: calls }));
    return { ...made, state: "judged", run: { ...ran, state: "succeeded", output } };
  }
  // Without a failure it was broken off in the midst.
  if (failure === undefined || (failure.isRetryable && (stopping.aborted || held.tries < MAX_TRIES))) {
    const isLater = failure !== undefined && !stopping.aborted;
    return { ...made, state: "waiting", retryInMs: isLater ? pauseAfter(failure, held.tries, firstRetryMs) : 0 };
  }
  return { ...made, state: "failed", run: { ...ran, state: failure.isRetryable ? "missing" : "failed" } };
}

/** Gives the variables their values: by the keys of an object, and `input` is all of it. */
function fillFrom(input: Json, asked: PlaygroundRequest): PlaygroundRequest {
  const keys = typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  const toText = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));
  const values = Object.fromEntries([["input", input] as const, ...keys].map(([key, value]) => [key, toText(value)]));
  const unknown = listVariables(JSON.stringify(asked.messages)).find((name) => !Object.hasOwn(values, name));
  if (unknown !== undefined) {
    throw refusal(400, "variable_missing", `{{${unknown}}} has no value: the item's input has no such key.`);
  }
  try {
    return { ...asked, messages: fillMessages(asked.messages, values, MAX_FILLED) };
  } catch (error) {
    if (error instanceof RangeError) {
      throw refusal(400, "call_too_long", "With the item's input the messages have more than 8 MB.");
    }
    throw error;
  }
}
