import { readGiven } from "./given-options.ts";
import { recordScore } from "./recorder.ts";
import { currentSpan } from "../client/sdk-state.ts";

export type ScoreOptions = {
  /** What is judged, as `helpfulness`. */
  readonly name: string;
  /** A finite number; for yes and no 1 and 0. */
  readonly value: number;
  readonly comment?: string;
  /** Default the running trace. */
  readonly traceId?: string;
  /** Default the running observation, unless a trace is given. */
  readonly observationId?: string;
};

/** Where the running code is being recorded, so that a score can be given later, by somebody else. */
export type TraceReference = { readonly traceId: string; readonly observationId: string | undefined };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Gives the running trace or observation, or the one that is named, a value. Answers whether it was recorded: false outside of any
 * trace, for a value that is no finite number, and with the SDK switched off. Never throws.
 *
 * @example
 * score({ name: "helpfulness", value: 1, comment: "thumbs up", traceId });
 */
export function score(options: ScoreOptions): boolean {
  const given = readGiven(() => ({ ...options }), score);
  const running = currentSpan();
  const traceId = given?.traceId ?? running?.traceId;
  const observationId = given?.observationId ?? (given?.traceId === undefined ? running?.observationId : undefined);
  if (given === undefined || !isIdentifier(traceId) || !(observationId === undefined || isIdentifier(observationId))) {
    return false;
  }
  const { name, value, comment } = given;
  const isValid = typeof value === "number" && Number.isFinite(value) && typeof name === "string" && name !== "";
  return isValid && recordScore({ trace_id: traceId, observation_id: observationId, name, value, comment });
}

function isIdentifier(id: unknown): id is string {
  return typeof id === "string" && UUID.test(id);
}

/** The running trace and observation; undefined where nothing is recorded. */
export function currentTrace(): TraceReference | undefined {
  const running = currentSpan();
  return running === undefined ? undefined : { traceId: running.traceId, observationId: running.observationId };
}
