import type { ObservationOutcome } from "../capture/recorder.ts";
import { sendRecorded } from "./recorded-answers.ts";
import { type CallStart, failedOutcome, openCall, type OpenCall } from "./open-call.ts";
import { quietly, type Values } from "../capture/loose-values.ts";
import { whenAnswered } from "../capture/later-answer.ts";
import { sdkState, warn } from "../client/sdk-state.ts";
import { isSwitchedOff } from "../settings/settings.ts";

/** What a provider's answers mean. */
export type ProviderCall = {
  readonly start: (request: Values) => CallStart;
  readonly readAnswer: (answer: unknown) => ObservationOutcome;
  /** One for each stream; is given every chunk, says which hold content, and is then asked what they made up. */
  readonly collect: () => { readonly add: (chunk: unknown) => boolean; readonly outcome: () => ObservationOutcome };
};

type Method = (...inputs: unknown[]) => unknown;
type ParsePromise = {
  responsePromise: Promise<unknown>;
  readonly parsedPromise?: unknown;
  parseResponse: (...inputs: unknown[]) => unknown;
  asResponse: () => Promise<unknown>;
  _thenUnwrap?: (transform: Method) => unknown;
};
type ChunkStream = { iterator: () => AsyncIterator<unknown> };

const TRACED = Symbol.for("@sightline/sdk traced");

/**
 * Replaces a method of a client's resource, in place: the client's own helpers (`parse`, `stream`, …) call it there. The application gets
 * the very promise and the very stream that the client made; this only looks at what passes through them.
 */
export function traceMethod(resource: unknown, name: string, call: ProviderCall): void {
  if (typeof resource !== "object" || resource === null) {
    return;
  }
  const found: unknown = Reflect.get(resource, name);
  if (typeof found !== "function" || TRACED in found) {
    return;
  }
  const original = found as Method;
  const traced = function (this: unknown, ...inputs: unknown[]): unknown {
    const opened = quietly(() => (sdkState.publisher === undefined ? undefined : openAsked(call, (inputs[0] ?? {}) as Values)));
    if (opened === undefined) {
      sdkState.replay.getStore()?.answer(undefined, name);
      return Reflect.apply(original, this, inputs);
    }
    let answer: unknown;
    try {
      answer = answeredCall(original, this, inputs, opened) ?? Reflect.apply(original, this, inputs);
    } catch (error) {
      opened.end(failedOutcome(error));
      throw error;
    }
    quietly(() => watchAnswer(answer, opened, call));
    return answer;
  };
  Object.defineProperty(traced, TRACED, { value: true });
  Object.defineProperty(resource, name, { value: traced, configurable: true, writable: true, enumerable: false });
}

/** Where requests hold what a model is asked with, they have it under these names. */
function openAsked(call: ProviderCall, request: Values): OpenCall | undefined {
  const messages = [request["system"], request["instructions"], request["messages"], request["input"]];
  return openCall({ ...call.start(request), messages });
}

/** What a replay answers; undefined where the call is to be made. Failures come later, as those of the client do. */
function answeredCall(original: Method, resource: unknown, inputs: unknown[], { opened }: OpenCall): unknown {
  try {
    const recorded = sdkState.replay.getStore()?.answer(opened.observationId, "llm");
    return recorded === undefined || typeof resource !== "object" || resource === null
      ? undefined
      : sendRecorded(original, resource, inputs, recorded);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Traces a client as far as it can be read and changed, and returns it; one that is frozen goes on untraced, which is said. */
export function traceClient<Client extends object>(entrance: string, client: Client, trace: (client: object) => void): Client {
  try {
    if (!isSwitchedOff()) {
      trace(client);
    }
  } catch {
    warn("client", `${entrance}() was given a client that it can't read or change; its calls are not recorded`);
  }
  return client;
}

/** Traces the clients that a client makes of itself with other options. */
export function traceDerived(client: object, trace: (derived: object) => unknown): void {
  const withOptions: unknown = Reflect.get(client, "withOptions");
  if (typeof withOptions === "function") {
    const value = (...inputs: unknown[]): unknown => {
      const derived: unknown = Reflect.apply(withOptions, client, inputs);
      quietly(() => (typeof derived === "object" && derived !== null ? trace(derived) : undefined));
      return derived;
    };
    Object.defineProperty(client, "withOptions", { value, configurable: true, writable: true });
  }
}

/** The body of an answer can be read once, so it is looked at where the client parses it. */
function watchAnswer(answer: unknown, opened: OpenCall, call: ProviderCall): void {
  if (!isParsePromise(answer)) {
    watchPlain(answer, opened, call);
    return;
  }
  let watched: ChunkStream | undefined;
  const note = (parsed: unknown): void => {
    quietly(() => {
      if (!isChunkStream(parsed)) {
        opened.end(call.readAnswer(parsed));
      } else if (parsed !== watched) {
        watched = parsed;
        watchStream(parsed, opened, call);
      }
    });
  };
  watchParsing(answer, opened, note);
  const { asResponse, _thenUnwrap: thenUnwrap } = answer;
  answer.asResponse = async () => {
    const response = await Reflect.apply(asResponse, answer, []);
    if (answer.parsedPromise === undefined) {
      quietly(() => void readRaw(response, opened, call));
    }
    return response;
  };
  if (thenUnwrap !== undefined) {
    // The client's helpers make another promise of this one, which parses the body in its stead.
    answer._thenUnwrap = (transform) => {
      const derived: unknown = Reflect.apply(thenUnwrap, answer, [
        (parsed: unknown, ...rest: unknown[]): unknown => {
          note(parsed);
          return transform(parsed, ...rest);
        },
      ]);
      quietly(() => (isParsePromise(derived) ? watchParsing(derived, opened, () => undefined) : undefined));
      return derived;
    };
  }
  // In its place, as only the answer has it: a failure that nobody waits for stays one that nobody handles.
  answer.responsePromise = answer.responsePromise.catch((error: unknown) => {
    opened.end(failedOutcome(error));
    throw error;
  });
}

const STREAM_NOT_READ = "answer, tokens and cost, as the application reads the stream itself; they are recorded without asResponse()";

/**
 * The application reads the body itself: a copy of it says what was answered. Of a stream none is taken, since it would go on after the
 * application left.
 */
async function readRaw(response: unknown, opened: OpenCall, call: ProviderCall): Promise<void> {
  let outcome: ObservationOutcome = { status: "success" };
  try {
    const type = response instanceof Response ? response.headers.get("content-type") : null;
    if (response instanceof Response && type?.includes("json") === true) {
      outcome = call.readAnswer(await response.clone().json());
    } else if (type?.includes("event-stream") === true) {
      outcome = { ...outcome, attributes: { not_recorded: STREAM_NOT_READ } };
    }
  } catch {
    // What can't be read is the application's to find out.
  }
  opened.end({ ...outcome, attributes: { ...outcome.attributes, raw_response: true } });
}

function watchParsing(answer: ParsePromise, opened: OpenCall, note: (parsed: unknown) => void): void {
  const { parseResponse } = answer;
  answer.parseResponse = async (...inputs) => {
    try {
      const parsed: unknown = await Reflect.apply(parseResponse, answer, inputs);
      note(parsed);
      return parsed;
    } catch (error) {
      opened.end(failedOutcome(error));
      throw error;
    }
  };
}

function watchPlain(answer: unknown, opened: OpenCall, call: ProviderCall): void {
  const isLater = whenAnswered(
    answer,
    (parsed) => quietly(() => opened.end(call.readAnswer(parsed))),
    (error) => opened.end(failedOutcome(error)),
  );
  if (!isLater) {
    opened.end({ status: "success" });
  }
}

function watchStream(stream: ChunkStream, opened: OpenCall, call: ProviderCall): void {
  const { iterator } = stream;
  const startedAt = performance.now();
  stream.iterator = () => {
    const chunks = Reflect.apply(iterator, stream, []);
    const collected = call.collect();
    let firstChunk: number | undefined;
    const finish = (added: Partial<ObservationOutcome>): void => {
      quietly(() => {
        const outcome = collected.outcome();
        const first = firstChunk === undefined ? {} : { first_chunk_ms: Math.round(firstChunk) };
        opened.end({ ...outcome, ...added, attributes: { ...outcome.attributes, ...first, ...added.attributes } });
      });
    };
    const passing: AsyncIterableIterator<unknown> = {
      next: async (...inputs) => {
        try {
          const step = await chunks.next(...inputs);
          if (step.done === true) {
            finish({});
          } else {
            quietly(() => {
              firstChunk ??= performance.now() - startedAt;
              if (collected.add(step.value)) {
                opened.noteFirstToken();
              }
            });
          }
          return step;
        } catch (error) {
          finish(failedOutcome(error));
          throw error;
        }
      },
      return: async (value) => {
        finish({ status: "interrupted", attributes: { cancelled: true } });
        return (await chunks.return?.(value)) ?? { done: true, value };
      },
      throw: async (error) => {
        finish(failedOutcome(error));
        if (chunks.throw === undefined) {
          throw error;
        }
        return await chunks.throw(error);
      },
      [Symbol.asyncIterator]: () => passing,
    };
    return passing;
  };
}

function isParsePromise(value: unknown): value is ParsePromise {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "parseResponse") === "function" &&
    typeof Reflect.get(value, "asResponse") === "function" &&
    Reflect.get(value, "responsePromise") instanceof Promise
  );
}

function isChunkStream(value: unknown): value is ChunkStream {
  return (
    typeof value === "object" && value !== null && Symbol.asyncIterator in value && typeof Reflect.get(value, "iterator") === "function"
  );
}
