import { ANSWERED } from "../client/replays.ts";
import { sdkState } from "../client/sdk-state.ts";

/** The body of a step, or in a replay one that gives the recorded answer in its way: later where it is an async function, item by item where it is a generator. */
export function answeredBody<T>(observationId: string, kind: unknown, body: () => T): () => T {
  const replay = ANSWERED.has(kind) ? sdkState.replay.getStore() : undefined;
  return replay === undefined
    ? body
    : () => {
        const answer = replay.answer(observationId, "");
        return answer === undefined ? body() : (inTheWayOf(body, answer.value) as T);
      };
}

function inTheWayOf(body: () => unknown, answer: () => unknown): unknown {
  switch (Object.prototype.toString.call(body)) {
    case "[object AsyncFunction]":
      return (async () => answer())();
    case "[object GeneratorFunction]":
      return (function* items() {
        yield* answer() as Iterable<unknown>;
      })();
    case "[object AsyncGeneratorFunction]":
      return (async function* items() {
        yield* answer() as Iterable<unknown>;
      })();
    default:
      return answer();
  }
}
