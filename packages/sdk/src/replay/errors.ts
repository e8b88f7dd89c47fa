import { EvaluationError } from "../evaluate/evaluation-error.ts";

/** Thrown where a recording can't be replayed; `reasons` names each step and field. */
export class ReplayRefusedError extends EvaluationError {
  override name = "ReplayRefusedError";
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(`The trace can't be replayed: ${reasons.slice(0, 20).join("; ")}`);
    this.reasons = reasons;
  }
}

/** Thrown in place of a call that the recording does not answer. */
export class ReplayStoppedError extends Error {
  override name = "ReplayStoppedError";
}

/** An error that was recorded, whose class is not known here; its `name` is the recorded one. */
export class RecordedError extends Error {}

export type ErrorClass = abstract new (...inputs: never[]) => Error;

/** An error that reads as the recorded text does, of one of `classes` or a built-in one, whose constructor is not called; else a {@link RecordedError}. */
export function recordedError(text: string, classes: readonly ErrorClass[]): Error {
  const [name = "", ...rest] = text.split(": ");
  const known: unknown = classes.find((each) => each.name === name) ?? Reflect.get(globalThis, name);
  const error = new RecordedError(rest.join(": "));
  if (typeof known === "function" && (known === Error || known.prototype instanceof Error)) {
    Object.setPrototypeOf(error, known.prototype as object);
  }
  if (error.name !== name) {
    Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  }
  return error;
}
