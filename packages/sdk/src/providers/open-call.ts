import type { ObservationKind } from "../event/event.ts";
import { endObservation, endTrace, noteFirstToken, type ObservationOutcome, startObservation, startTrace } from "../capture/recorder.ts";
import { type ActiveSpan, currentSpan, sdkState } from "../client/sdk-state.ts";

export type CallStart = {
  readonly name: string;
  readonly kind: ObservationKind;
  readonly model?: string | undefined;
  /** Whatever holds the text that the model is asked with. */
  readonly messages?: unknown;
  readonly input?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
};

export type OpenCall = NonNullable<ReturnType<typeof openCall>>;

/** A call of the running trace, or of a trace of its own when none is running. Undefined when nothing is recorded. Never throws. */
export function openCall(start: CallStart, parent: ActiveSpan | undefined = currentSpan()) {
  if (sdkState.publisher === undefined) {
    return undefined;
  }
  const trace = parent === undefined ? startTrace({ name: start.name, input: start.input }) : undefined;
  const traceId = parent?.traceId ?? trace?.traceId;
  const opened = traceId === undefined ? undefined : startObservation({ ...start, traceId, parentId: parent?.observationId });
  if (opened === undefined) {
    return undefined;
  }
  let ended = false;
  return {
    opened,
    span: { traceId: opened.traceId, observationId: opened.observationId, insideRun: sdkState.frameworkSpan?.()?.insideRun },
    /** Notes that a streamed answer has content now; only the first time counts. */
    noteFirstToken: () => noteFirstToken(opened),
    /** Only the first end counts. */
    end: (outcome: ObservationOutcome): void => {
      if (!ended) {
        ended = true;
        endObservation(opened, outcome);
        if (trace !== undefined) {
          const { status, output, error } = outcome;
          endTrace(trace, { status, output, error });
        }
      }
    },
  };
}

/** A caller that left early or aborted has not failed. */
export function failedOutcome(error: unknown): ObservationOutcome {
  const isAbort =
    error instanceof Error && (error.name === "AbortError" || error.constructor.name === "APIUserAbortError" || error.message === "Abort");
  return isAbort ? { status: "interrupted", error, attributes: { cancelled: true } } : { status: "failure", error };
}
