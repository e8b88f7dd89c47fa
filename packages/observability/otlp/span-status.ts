import type { StackTrace } from "#contract.ts";
import { readStackText } from "#otlp/stack-text/read-stack-text.ts";
import { boundText, boundValue } from "./bound-value.ts";
import type { JsonReader } from "#otlp/dialects/attribute-reader.ts";
import { isInterrupt, readInterrupts } from "#otlp/dialects/langgraph-interrupts.ts";
import { NO_REASON } from "#trace-facts/passes-on.ts";
import { STATUS_ERROR, toText, type OtlpAttributes, type OtlpSpan, type OtlpValue } from "#otlp/wire/otlp-span.ts";

export type EndStatus = "success" | "failure" | "interrupted";

const MAX_ERROR_LENGTH = 16_384;

type Ended = Pick<OtlpSpan, "status" | "events" | "attributes">;

/** Langfuse's SDK of JavaScript says by its own names alone that an observation failed. */
const LEVEL = "langfuse.observation.level";
const LEVEL_MESSAGE = "langfuse.observation.status_message";
/** LangSmith's SDK of JavaScript calls a run well before it has ended, and OpenTelemetry's then keeps to that: the exception alone says that it failed. */
const LANGSMITH = "langsmith.span.kind";

export function readSpanStatus(span: Ended): EndStatus {
  const exceptions = exceptionsOf(span);
  const names = [span.status.message, ...exceptions.map((attributes) => textOf(attributes, "exception.type"))];
  if (names.some(isInterrupt)) {
    return "interrupted";
  }
  const isFailure =
    span.status.code === STATUS_ERROR ||
    span.attributes.get(LEVEL) === "ERROR" ||
    (span.attributes.has(LANGSMITH) && exceptions.length > 0);
  return isFailure ? "failure" : "success";
}

/** Describes the error of a failed span: the exception's type and message, else the status' message. */
export function readSpanError(span: Ended): string | undefined {
  if (readSpanStatus(span) !== "failure") {
    return undefined;
  }
  const exception = exceptionsOf(span).at(-1);
  const [type, message] = [textOf(exception, "exception.type"), textOf(exception, "exception.message")];
  // Some libraries' messages begin with the type already, with or without its module.
  const hasOwnMessage = [type, type.slice(type.lastIndexOf(".") + 1)].some((name) => message.startsWith(`${name}:`));
  const texts = hasOwnMessage ? [message] : [type, message];
  const error =
    texts.filter((text) => text !== "").join(": ") ||
    span.status.message ||
    textOf(span.attributes, LEVEL_MESSAGE) ||
    textOf(span.attributes, "error.type") ||
    httpStatusOf(span);
  return boundText(error === "" ? NO_REASON : error, MAX_ERROR_LENGTH);
}

/** From where the failure of a span came, which its last exception tells. */
export function readSpanStack(span: Ended): StackTrace | undefined {
  const text = readSpanStatus(span) === "failure" ? textOf(exceptionsOf(span).at(-1), "exception.stacktrace") : "";
  return text === "" ? undefined : readStackText(text);
}

function httpStatusOf({ attributes }: Pick<OtlpSpan, "attributes">): string {
  const status = attributes.get("http.response.status_code") ?? attributes.get("http.status_code");
  return typeof status === "number" && status >= 400 ? `HTTP status ${status}` : "";
}

/** What an interrupted span asked of a person, in the form in which the SDKs record it: a list of objects with a `value`. */
export function readSpanInterrupts(span: Ended, readJson: JsonReader): OtlpValue | undefined {
  if (readSpanStatus(span) !== "interrupted") {
    return undefined;
  }
  const messages = exceptionsOf(span).map((attributes) => textOf(attributes, "exception.message"));
  const message = boundValue(messages.find((text) => text !== "") ?? span.status.message);
  const interrupts = readInterrupts(message, readJson);
  return Array.isArray(interrupts) && interrupts.length > 0 ? boundValue<OtlpValue>(interrupts) : undefined;
}

function exceptionsOf({ events }: Pick<OtlpSpan, "events">): readonly OtlpAttributes[] {
  return events.filter(({ name }) => name === "exception").map(({ attributes }) => attributes);
}

function textOf(attributes: OtlpAttributes | undefined, name: string): string {
  return toText(attributes?.get(name)) ?? "";
}
