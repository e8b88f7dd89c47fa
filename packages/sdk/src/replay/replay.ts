import { traceAddress } from "../capture/first-trace.ts";
import { endTrace, startTrace } from "../capture/recorder.ts";
import { sdkState } from "../client/sdk-state.ts";
import { Api } from "../evaluate/api.ts";
import { EvaluationError } from "../evaluate/evaluation-error.ts";
import { type ErrorClass, ReplayRefusedError } from "./errors.ts";
import { type OnDivergence, type RecordedCall, Session } from "./session.ts";

/** The answer of `GET …/traces/:trace_id/replay`. */
type Recording = {
  readonly name: string;
  readonly input: unknown;
  readonly input_altered: readonly string[];
  readonly reasons: readonly string[];
  readonly calls: readonly RecordedCall[];
  readonly next_from: number | null;
};

export type ReplayOptions<Input> = {
  /** By default that of the recorded trace. */
  readonly input?: Input;
  /** Default `stop`; `live` makes the calls from there on. */
  readonly onDivergence?: OnDivergence;
  /** Classes of recorded errors, beside those that are built in. */
  readonly errors?: readonly ErrorClass[];
  /** Default `OBS_API_URL`. */
  readonly apiUrl?: string;
  /** Default `OBS_API_KEY`; one with the scope `evaluate`. */
  readonly apiKey?: string;
  /** Default that of the publisher. */
  readonly projectId?: string;
};

/** What came of a replay. */
export type ReplayResult<Output> = {
  /** The new trace, of purpose `replay`. */
  readonly traceId: string;
  /** Undefined unless it is known where the console is. */
  readonly url: string | undefined;
  readonly output: Output | undefined;
  /** What the agent threw; also the one that stopped it. */
  readonly error: unknown;
  /** Where it first went another way than the recording, and how; undefined where it never did. */
  readonly divergence: string | undefined;
  /** Calls that were answered from the recording. */
  readonly answered: number;
  /** Paths of the calls that were made. */
  readonly live: readonly string[];
  readonly isStopped: boolean;
  /** All of it in one line. */
  readonly summary: string;
};

/** A function, or a graph. */
export type ReplayedAgent<Input, Output> =
  | ((input: Input) => Output | PromiseLike<Output>)
  | { invoke: (input: Input) => PromiseLike<Output> };

/**
 * Runs the agent with the input of a recorded trace, and answers its model calls and tools from what was recorded. Where it goes another way it
 * stops, or with `onDivergence: "live"` makes its calls from there on.
 *
 * @throws {ReplayRefusedError} Where what was recorded does not do.
 * @throws {EvaluationError} Where it can't be had.
 * @example
 * const result = await replay("019b…", agent);
 * console.log(result.summary);
 */
export async function replay<Input, Output>(
  traceId: string,
  agent: ReplayedAgent<Input, Output>,
  options: ReplayOptions<Input> = {},
): Promise<ReplayResult<Output>> {
  if (sdkState.publisher === undefined) {
    throw new EvaluationError("A replay records a trace of its own: call initializeRedisPublisher() before.");
  }
  const api = new Api(options.apiUrl, options.apiKey, options.projectId ?? sdkState.publisher.settings.projectId);
  const path = `/traces/${encodeURIComponent(traceId)}/replay`;
  const recording = await api.get<Recording>(path);
  const calls = [...recording.calls];
  for (let from = recording.next_from; from !== null;) {
    const page: Recording = await api.get<Recording>(path, { from });
    calls.push(...page.calls);
    from = page.next_from;
  }
  const altered = "input" in options ? [] : recording.input_altered;
  const reasons = [...recording.reasons, ...altered.map((place) => `${place} of the trace was cut or masked; give input`)];
  if (reasons.length > 0) {
    throw new ReplayRefusedError(reasons);
  }
  const input = ("input" in options ? options.input : recording.input) as Input;
  const opened = startTrace({ name: recording.name, input, labels: { purpose: "replay", metadata: { replay_of: traceId } } });
  if (opened === undefined) {
    throw new EvaluationError("The replay's trace could not be recorded, so nothing was replayed.");
  }
  sdkState.answerFramework?.();
  const session = new Session(calls, options.onDivergence, options.errors);
  const span = { traceId: opened.traceId, observationId: undefined, insideRun: sdkState.frameworkSpan?.()?.insideRun };
  const work = async () => (typeof agent === "function" ? agent(input) : agent.invoke(input));
  const { output, error } = await sdkState.replay
    .run(session, () => sdkState.spans.run(span, work))
    .then(
      (given) => ({ output: given, error: undefined }),
      (thrown: unknown) => ({ output: undefined, error: thrown ?? new Error("undefined was thrown") }),
    );
  session.finish();
  const { divergence, answered, live, isStopped } = session;
  const status = error === undefined ? "success" : "failure";
  endTrace(opened, { status, output, error, attributes: { replay: { divergence: divergence ?? null, answered, live } } });
  const url = traceAddress(opened.traceId);
  const end = isStopped ? "stopped" : `${live.length} calls went live`;
  const how = divergence === undefined ? "the same as recorded" : `diverged at ${divergence}; ${end}`;
  const summary = `replay: ${how}; ${answered} calls answered; ${url ?? opened.traceId}`;
  return { traceId: opened.traceId, url, output, error, divergence, answered, live, isStopped, summary };
}
