import type { ComparedStep, ObservationKind, StepAspect } from "#contract.ts";
import { orderRows } from "#query/steps/order-steps.ts";
import { presentStep } from "#query/steps/present-step.ts";
import type { Query } from "#schema.ts";
import { findComparedSteps, findPayloadDigests, type ComparedStepRow, type PayloadDigest } from "./compared-steps.store.ts";
import type { InProject } from "#store/reader.ts";
import { findTrace, type TraceSummaryRow } from "#query/steps/traces.store.ts";
import type { AlignableStep } from "./align-steps.ts";
import { orRefuse, refusal } from "@sightline/foundation/errors";

/** One side of a comparison. */
export type LoadedRun = {
  readonly trace: TraceSummaryRow;
  readonly steps: readonly LoadedStep[];
  readonly digests: ReadonlyMap<string, PayloadDigest>;
};

export type LoadedStep = AlignableStep & {
  readonly kind: ObservationKind;
  readonly shown: ComparedStep;
  readonly startEvent: string | null;
  readonly endEvent: string | null;
  /** What tells each aspect apart; undefined when it was not read. */
  readonly digests: Readonly<Record<StepAspect, string | null | undefined>>;
};

type RunQuery = InProject & { readonly traceId: string };

/** @throws {AppError} 404 `trace_not_found`, which names the side. */
export async function loadRun(query: Query, side: "a" | "b", wanted: RunQuery): Promise<LoadedRun> {
  const trace = orRefuse(await findTrace(query, wanted), () => comparedTraceNotFound(side));
  const rows = await findComparedSteps(query, trace.run);
  const digests = new Map((await findPayloadDigests(query, trace.run)).map((digest) => [digest.event_id, digest]));
  return { trace, steps: orderRows(rows).map((row) => toStep(row, digests)), digests };
}

function toStep(row: ComparedStepRow, digests: ReadonlyMap<string, PayloadDigest>): LoadedStep {
  const start = digestOf(row.start_event, digests);
  const end = digestOf(row.end_event, digests);
  const input = start === undefined || end === undefined ? undefined : (start?.value ?? end?.parameters ?? null);
  const { id, parent_id, kind, name, ...step } = presentStep(row);
  const { status, started_at, duration_ms, input_tokens, output_tokens, cost, model, error, code } = step;
  return {
    id,
    parent_id,
    kind,
    name,
    content: input ?? "",
    startEvent: row.start_event,
    endEvent: row.end_event,
    shown: { id, status, started_at, duration_ms, input_tokens, output_tokens, cost, model, error, code },
    digests: {
      status,
      error: row.error_digest,
      model,
      // Attributes of other steps hold what every run makes anew.
      parameters: kind === "llm" ? (start === undefined ? undefined : (start?.attributes ?? null)) : null,
      input,
      output: end === undefined ? undefined : (end?.value ?? end?.result ?? null),
      code: code === null ? null : JSON.stringify([code.repo, code.commit, code.file, code.function]),
    },
  };
}

/** Null when the event carried nothing or has not come, undefined when it was not read. */
function digestOf(event: string | null, digests: ReadonlyMap<string, PayloadDigest>): PayloadDigest | null | undefined {
  const digest = event === null ? null : (digests.get(event) ?? null);
  return digest?.size === null ? undefined : digest;
}

/** The error is the same whether the trace doesn't exist or may not be seen. */
const comparedTraceNotFound = (side: "a" | "b") =>
  refusal(
    404,
    "trace_not_found",
    `The project has no trace of the id that ${side} names; one that has just run may take a moment to arrive.`,
    { details: [{ path: side, message: "unknown trace" }] },
  );
