import type { Kysely } from "kysely";
import type { ComparedStep, ObservationKind, StepAspect } from "#contract.ts";
import { orderObservations } from "#query/steps/order-observations.ts";
import { UNKNOWN_NAME } from "#query/steps/present-trace.ts";
import { startOfRow } from "#query/steps/start-of.ts";
import type { ObservabilitySchema } from "#schema.ts";
import {
  findComparedSteps,
  findPayloadDigests,
  type ComparedRun,
  type ComparedStepRow,
  type PayloadDigest,
} from "./compared-steps.store.ts";
import type { Reader } from "#store/reader.ts";
import { findTrace, type TraceSummaryRow } from "#query/steps/traces.store.ts";
import type { AlignableStep } from "./align-steps.ts";
import { AppError } from "@sightline/foundation/errors";

/** One side of a comparison. */
export type LoadedRun = {
  readonly trace: TraceSummaryRow;
  readonly run: ComparedRun;
  readonly rows: readonly ComparedStepRow[];
  readonly steps: readonly LoadedStep[];
  readonly digests: ReadonlyMap<string, PayloadDigest>;
};

export type LoadedStep = AlignableStep & {
  readonly kind: ObservationKind;
  readonly shown: ComparedStep;
  readonly startEvent: string | null;
  readonly endEvent: string | null;
  /** For each aspect what tells it apart; undefined when it was not read. */
  readonly digests: Readonly<Record<StepAspect, string | null | undefined>>;
};

type Wanted = { readonly reader: Reader; readonly projectId: string; readonly traceId: string };

/** @throws {AppError} 404 `trace_not_found`, which names the side. */
export async function loadRun(query: Kysely<ObservabilitySchema>, side: "a" | "b", wanted: Wanted): Promise<LoadedRun> {
  const trace = await findTrace(query, wanted);
  if (trace === undefined) {
    throw comparedTraceNotFound(side);
  }
  const run = { reader: wanted.reader, projectId: wanted.projectId, traceIds: trace.segments.map(({ id }) => id) };
  const rows = await findComparedSteps(query, run);
  const digests = new Map((await findPayloadDigests(query, run)).map((digest) => [digest.event_id, digest]));
  const ordered = orderObservations(
    rows.map((row) => ({
      row,
      id: row.id,
      parentId: row.parent_id,
      producerId: row.start_producer ?? row.end_producer,
      seq: row.start_seq ?? row.end_seq ?? 0,
      startedAt: startOfRow(row),
    })),
  );
  return { trace, run, rows, steps: ordered.map(({ row, startedAt }) => toStep(row, startedAt, digests)), digests };
}

function toStep(row: ComparedStepRow, startedAt: Date, digests: ReadonlyMap<string, PayloadDigest>): LoadedStep {
  const start = digestOf(row.start_event, digests);
  const end = digestOf(row.end_event, digests);
  const kind = row.kind ?? "span";
  const status = row.end_status ?? (row.is_abandoned ? "abandoned" : "running");
  const input = start === undefined || end === undefined ? undefined : (start?.value ?? end?.parameters ?? null);
  return {
    id: row.id,
    parentId: row.parent_id,
    kind,
    name: row.name ?? UNKNOWN_NAME,
    content: input ?? "",
    startEvent: row.start_event,
    endEvent: row.end_event,
    shown: {
      id: row.id,
      status,
      started_at: startedAt.toISOString(),
      duration_ms: row.duration_ms,
      input_tokens: row.input_tokens,
      output_tokens: row.output_tokens,
      cost: row.cost,
      model: row.model,
      error: row.error,
      code: row.code,
    },
    digests: {
      status,
      error: row.error_digest,
      model: row.model,
      // Of other steps the attributes hold what every run makes anew.
      parameters: kind === "llm" ? (start === undefined ? undefined : (start?.attributes ?? null)) : null,
      input,
      output: end === undefined ? undefined : (end?.value ?? end?.result ?? null),
      code: row.code === null ? null : JSON.stringify([row.code.repo, row.code.commit, row.code.file, row.code.function]),
    },
  };
}

/** Null when the event carried nothing or has not come, undefined when it was not read. */
function digestOf(event: string | null, digests: ReadonlyMap<string, PayloadDigest>): PayloadDigest | null | undefined {
  const digest = event === null ? null : (digests.get(event) ?? null);
  return digest?.size === null ? undefined : digest;
}

/** The same whether it doesn't exist or may not be seen. */
function comparedTraceNotFound(side: "a" | "b"): AppError {
  return new AppError({
    code: "trace_not_found",
    status: 404,
    message: `The project has no trace of the id that ${side} names; one that has just run may take a moment to arrive.`,
    details: [{ path: side, message: "unknown trace" }],
  });
}
