import { AppError } from "@sightline/foundation/errors";
import { sourceOf } from "#contract.ts";
import { maskByRules } from "#datasets/mask-by-rules.ts";
import type { StreamPublisher } from "#otlp/stream-publisher.ts";
import type { Query } from "#schema.ts";
import { settleSpending, type Reservation } from "./budget.store.ts";
import { toJudgeEvents, type JudgeCall } from "./judge-trace.ts";
import type { EvaluatorRow } from "./evaluators.store.ts";
import { holdRun, holdTrace, scorePair, scoreRun, scoreTrace, settleJudgement, type Claimed, type Settling } from "./judgements.store.ts";
import type { GivenScore } from "./write-prompt.ts";

/** What came of a try. */
export type Outcome = Pick<Settling, "state" | "reason"> & {
  readonly retryInMs?: number;
  readonly score?: GivenScore;
  readonly call?: JudgeCall;
  readonly reservation?: Reservation | undefined;
  readonly cost?: number | undefined;
};

type Settled = {
  readonly query: Query;
  readonly publisher: Pick<StreamPublisher, "publish">;
  readonly evaluator: EvaluatorRow;
};

/** The stream did not take the trace of a call: nothing of it was written, and it is judged once more. */
export class TraceNotTaken extends Error {
  override readonly name = "TraceNotTaken";
}

/**
 * Writes what came of a try: score, state, what it cost, and its trace, all or nothing. What is judged is held meanwhile, so that nobody deletes it
 * and leaves what was said of it.
 *
 * @throws {TraceNotTaken}
 */
export async function settleTry({ query, publisher, evaluator }: Settled, held: Claimed, outcome: Outcome): Promise<void> {
  const { state, reason, retryInMs = 0, score, call, reservation, cost = 0 } = outcome;
  const { name, version, definition } = evaluator;
  const source = sourceOf(definition);
  const explanation = score === undefined ? "" : await maskExplanation(query, held.project_id, score.explanation);
  await query.transaction().execute(async (transaction) => {
    const isThere =
      held.item_id === null ? await holdTrace(transaction, held.project_id, held.trace_id ?? "") : await holdRun(transaction, held);
    const settling = isThere ? { state, reason } : { state: "skipped" as const, reason: "it was deleted meanwhile" };
    const isHeld = await settleJudgement(transaction, held, { ...settling, version, cost, retryInMs, hasTraces: source === "judge" });
    if (isHeld && isThere && score !== undefined) {
      const write = held.item_id === null ? scoreTrace : held.baseline_id === null ? scoreRun : scorePair;
      await write(transaction, held, { name, version, source, value: score.value, explanation });
    }
    if (reservation !== undefined) {
      await settleSpending(transaction, reservation, cost);
    }
    if (isThere && call !== undefined) {
      await publishTrace(publisher, held.project_id, call);
    }
  });
}

export async function publishTrace(publisher: Pick<StreamPublisher, "publish">, projectId: string, call: JudgeCall): Promise<void> {
  const taken = await publisher.publish(projectId, toJudgeEvents(call)).catch((error: unknown) => {
    throw new TraceNotTaken("the event stream is away", { cause: error });
  });
  if (taken === "full") {
    throw new TraceNotTaken("the event stream is full");
  }
}

async function maskExplanation(query: Query, projectId: string, text: string): Promise<string> {
  try {
    const [masked = ""] = await maskByRules(query, projectId, [text], (each, masking) => masking.text(each));
    return masked;
  } catch (error) {
    if (error instanceof AppError) {
      return "(left out: it can't be masked by the project's rules)";
    }
    throw error;
  }
}
