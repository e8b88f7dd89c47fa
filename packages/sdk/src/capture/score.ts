import { traceAddress } from "./first-trace.ts";
import { readGiven } from "./given-options.ts";
import { recordScore } from "./recorder.ts";
import { currentSpan } from "../client/sdk-state.ts";
import type { TextLike } from "../settings/text-of.ts";

export type ScoreOptions = {
  /** What is judged, as `helpfulness`. */
  readonly name: string;
  /** A finite number, also as a text; or true or false. */
  readonly value: number | bigint | string | boolean;
  readonly comment?: TextLike | undefined;
  /** Default the running trace. */
  readonly traceId?: string | null | undefined;
  /** Default the running observation, unless a trace is given. */
  readonly observationId?: string | null | undefined;
};

/** The trace and step in which the running code is being recorded, so that a log line can name it and a score can be given later, by somebody else. */
export type TraceReference = {
  readonly traceId: string;
  readonly observationId: string | undefined;
  /** The trace in the console; undefined unless `consoleUrl` or `OBS_CONSOLE_URL` says where that is. */
  readonly url: string | undefined;
};

/**
 * Gives the running trace or observation, or the one that is named, a value. Answers whether it was recorded: false outside of any
 * trace, for a value that is no finite number, and with the SDK switched off; what it lacks is said in the log. Never throws.
 *
 * @example
 * score({ name: "helpfulness", value: 1, comment: "thumbs up", traceId });
 */
export function score(options: ScoreOptions): boolean {
  const given = readGiven(
    options,
    ({ name, value, comment, traceId, observationId }) => ({ name, value, comment, traceId, observationId }),
    score,
  );
  if (given === undefined) {
    return false;
  }
  const running = given.traceId === undefined || given.traceId === null ? currentSpan() : undefined;
  return recordScore({
    ...given,
    traceId: given.traceId ?? running?.traceId,
    observationId: given.observationId ?? running?.observationId,
  });
}

/** The running trace and observation; undefined where nothing is recorded. */
export function currentTrace(): TraceReference | undefined {
  const running = currentSpan();
  return running === undefined
    ? undefined
    : { traceId: running.traceId, observationId: running.observationId, url: traceAddress(running.traceId) };
}
