import { ANSWERED } from "../client/replays.ts";
import { answeredBody } from "./answered-body.ts";
import { callSite } from "./code-reference.ts";
import { readGiven, runUnrecorded } from "./given-options.ts";
import { whenAnswered } from "./later-answer.ts";
import type { Attributes, ObservationKind } from "../event/event.ts";
import { endObservation, endTrace, type ObservationOutcome, startObservation, startTrace, type TraceLabels } from "./recorder.ts";
import { type ActiveSpan, currentSpan, sdkState } from "../client/sdk-state.ts";
import { noteClass } from "./returned.ts";
import { timestamp } from "../event/timestamp.ts";
import { textOf, type TextLike } from "../settings/text-of.ts";
import { type CallEnd, watchGenerator } from "./watch-generator.ts";

export type TraceOptions = {
  readonly name: string;
  readonly threadId?: TextLike | undefined;
  readonly sessionId?: TextLike | undefined;
  readonly userId?: TextLike | undefined;
  readonly input?: unknown;
  readonly attributes?: Attributes | null | undefined;
} & TraceLabels;

export type ObserveOptions = {
  readonly name: string;
  /** Default `span`. */
  readonly kind?: ObservationKind;
  readonly input?: unknown;
  readonly attributes?: Attributes;
};

export type ToolOptions = { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> };

/**
 * Runs `body` as a trace of its own and returns exactly what it returns, a promise included. Traced graphs, observations and tool
 * calls inside become parts of it.
 *
 * @example
 * const answer = await trace({ name: "answer-question", threadId: "t-1", input: question }, () => agent.invoke({ question }));
 */
export function trace<T>(options: TraceOptions, body: () => T): T {
  const given = readGiven(
    options,
    ({ name, threadId, sessionId, userId, input, attributes, environment, release, version, tags, metadata, purpose }) => ({
      name,
      threadId,
      sessionId,
      userId,
      input,
      attributes,
      labels: { environment, release, version, tags, metadata, purpose },
    }),
    body,
  );
  if (given === undefined) {
    return runUnrecorded("trace", options, body);
  }
  return runTrace(given, body, body);
}

/** @param work What `body` runs, and whose result it gives. */
function runTrace<T>(given: Parameters<typeof startTrace>[0], body: () => T, work: () => T): T {
  const opened = startTrace(given);
  if (opened === undefined) {
    return body();
  }
  const span: ActiveSpan = { traceId: opened.traceId, observationId: undefined, insideRun: sdkState.frameworkSpan?.()?.insideRun };
  return settle(span, body, work, (how) => endTrace(opened, how));
}

/**
 * Runs `body` as an observation of the running trace, or of a new trace of the same name, and returns exactly what it returns.
 *
 * @example
 * const documents = await observe({ name: "rerank", input: candidates }, () => rerank(candidates));
 */
export function observe<T>(options: ObserveOptions, body: () => T): T {
  const given = readGiven(options, ({ name, kind, input, attributes }) => ({ name, kind, input, attributes }), body);
  if (given === undefined) {
    return runUnrecorded("observe", options, body);
  }
  return runObservation(observe, given, body, (how) => how);
}

/**
 * Runs a tool and records its call with parameters, result and status. A failing tool is recorded and its error thrown on unchanged.
 *
 * @example
 * const rows = await traceTool({ name: "query_orders", parameters: { customer: 7 } }, () => database.orders(7));
 */
export function traceTool<T>(tool: ToolOptions, body: () => T): T {
  const given = readGiven(tool, ({ name, parameters }) => ({ name, parameters: parameters ?? {}, calledAt: timestamp() }), body);
  if (given === undefined) {
    return runUnrecorded("traceTool", tool, body);
  }
  const entry = { tool_name: given.name, parameters: given.parameters, timestamp: given.calledAt };
  return runObservation(traceTool, { name: given.name, kind: "tool", input: given.parameters }, body, (how) => {
    const status = how.status === "failure" ? "failure" : "success";
    return { ...how, tool: { ...entry, result: status === "failure" ? (how.output ?? null) : how.output, status } };
  });
}

function runObservation<T>(
  entrance: typeof observe | typeof traceTool,
  options: Pick<ObserveOptions, "name"> & { readonly [Key in "kind" | "input" | "attributes"]?: ObserveOptions[Key] | undefined },
  body: () => T,
  outcomeOf: (how: CallEnd) => ObservationOutcome,
): T {
  const parent = sdkState.publisher === undefined ? undefined : currentSpan();
  if (parent === undefined) {
    return sdkState.publisher === undefined
      ? body()
      : runTrace(
          { name: options.name, input: options.input },
          // A trace that could not be recorded leaves the body alone, or it would begin the next one.
          () => (currentSpan() === undefined ? body() : runObservation(entrance, options, body, outcomeOf)),
          body,
        );
  }
  const { name, kind = "span", input, attributes } = options;
  const opened = startObservation({
    traceId: parent.traceId,
    parentId: parent.observationId,
    kind,
    name,
    code: callSite(entrance, textOf(name) ?? "", body),
    messages: input,
    input,
    attributes,
  });
  if (opened === undefined) {
    return body();
  }
  const insideRun = sdkState.frameworkSpan?.()?.insideRun;
  const span: ActiveSpan = { traceId: opened.traceId, observationId: opened.observationId, insideRun };
  return settle(span, answeredBody(opened.observationId, kind, body), body, (how) =>
    endObservation(opened, ANSWERED.has(kind) ? noteClass(outcomeOf(how)) : outcomeOf(how)),
  );
}

/**
 * Runs `body` within the span. The caller gets its very result; this only listens to it, and to the first end alone. A promise that is listened to counts as
 * handled, so that its rejection would no longer end the process: of an async function's, which nobody else has, the caller gets a copy.
 */
function settle<T>(span: ActiveSpan, body: () => T, work: () => T, end: (how: CallEnd) => void): T {
  let isEnded = false;
  const once = (how: CallEnd) => {
    if (!isEnded) {
      isEnded = true;
      end(how);
    }
  };
  const succeeded = (output: unknown) => once({ status: "success", output });
  const failed = (error: unknown) => once({ status: "failure", error });
  let result: T;
  try {
    result = sdkState.spans.run(span, body);
  } catch (error) {
    failed(error);
    throw error;
  }
  if (isOfAsync(work, result)) {
    return result.then(
      (output: unknown) => {
        succeeded(output);
        return output;
      },
      (error: unknown) => {
        failed(error);
        throw error;
      },
    ) as T;
  }
  const isWatched = watchGenerator(result, (step) => sdkState.spans.run(span, step), once) || whenAnswered(result, succeeded, failed);
  if (!isWatched) {
    succeeded(result);
  }
  return result;
}

function isOfAsync(work: () => unknown, result: unknown): result is Promise<unknown> {
  try {
    return Object.prototype.toString.call(work) === "[object AsyncFunction]" && result instanceof Promise;
  } catch {
    // A revoked proxy can't be asked what it is.
    return false;
  }
}
