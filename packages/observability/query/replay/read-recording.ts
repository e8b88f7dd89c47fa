import { orRefuse } from "@sightline/foundation/errors";
import type { Observation, Recording, TraceDigest } from "#contract.ts";
import { nameAltered } from "#checks/name-incomplete.ts";
import { traceNotFound } from "#query/access/not-found.errors.ts";
import { countBytes, takeWhileLight } from "#query/steps/answer-size.ts";
import { findRun, type Run } from "#query/steps/find-run.store.ts";
import { orderRows } from "#query/steps/order-steps.ts";
import { presentStep } from "#query/steps/present-step.ts";
import { readObservations } from "#query/steps/read-observation.ts";
import { findFirstSteps } from "#query/steps/steps.store.ts";
import { readDigest } from "#query/trace/read-digest.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { isAnswered, listCalls, type RecordedStep } from "./list-calls.ts";

const MAX_STEPS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Bytes of the calls in one answer. */
const ANSWER_BYTES = 3 * 1024 * 1024;
/** Steps whose values are read at once. */
const BATCH = 100;

/** What a trace can be replayed by, or why it can't be. @throws {AppError} 404 `trace_not_found`. */
export async function readRecording(
  query: Query,
  wanted: InProject & { readonly traceId: string; readonly from: number },
): Promise<Recording> {
  const trace = await readDigest(query, wanted);
  const run = orRefuse(await findRun(query, wanted), traceNotFound);
  const { steps, isWhole } = await readCalls(query, run);
  const listed = listCalls(steps);
  const tooLong = isWhole ? [] : [`it has more than ${MAX_STEPS} steps, or ${MAX_BYTES} bytes in its calls`];
  const reasons = [...refuseTrace(trace), ...tooLong, ...listed.reasons];
  const rest = reasons.length > 0 ? [] : listed.calls.slice(wanted.from);
  const calls = takeWhileLight(rest, ANSWER_BYTES);
  const isMasked = trace.attributes["masked_input"] === true;
  return {
    trace_id: trace.id,
    name: trace.name,
    input: trace.input,
    input_altered: isMasked ? ["input"] : [...nameAltered("input", trace.input)],
    reasons: [...reasons],
    calls: [...calls],
    next_from: calls.length < rest.length ? wanted.from + calls.length : null,
  };
}

function refuseTrace({ status, segments, lost_events: lost }: TraceDigest): readonly string[] {
  return [
    ...(status === "running" || status === "abandoned" ? ["it has not ended"] : []),
    ...(segments.length > 1 ? [`it was interrupted and resumed, in ${segments.length} segments`] : []),
    ...(lost > 0 ? [`${lost} events that may be of it were lost`] : []),
  ];
}

/** All steps, those that are answered with their values. */
async function readCalls(query: Query, run: Run): Promise<{ readonly steps: readonly RecordedStep[]; readonly isWhole: boolean }> {
  const rows = orderRows(await findFirstSteps(query, run, MAX_STEPS + 1));
  const answered = rows.filter(isAnswered);
  const whole = new Map<string, Observation>();
  let left = MAX_BYTES;
  for (let from = 0; from < answered.length && left > 0 && rows.length <= MAX_STEPS; from += BATCH) {
    for (const observation of await readObservations(query, run, answered.slice(from, from + BATCH))) {
      left -= countBytes(observation);
      whole.set(observation.id, observation);
    }
  }
  const none = { input: null, output: null, reasoning: null, attributes: {}, stack: null };
  return {
    steps: rows.map((row) => ({ ...presentStep(row), ...(whole.get(row.id) ?? none), endSeq: row.end_seq })),
    isWhole: rows.length <= MAX_STEPS && left > 0,
  };
}
