import { STATUS_ERROR, type OtlpAttributes, type OtlpSpan } from "./otlp-span.ts";
import { boundText } from "./bound-value.ts";

export type EndStatus = "success" | "failure" | "interrupted";

const ERROR_MAX = 16_384;

/** LangGraph stops a run for a person's answer by throwing; callbacks report that as an error, which it is not. */
const INTERRUPTS = /^(?:GraphInterrupt|NodeInterrupt)\b/m;

export function statusOf(span: Pick<OtlpSpan, "status" | "events">): EndStatus {
  if (span.status.code !== STATUS_ERROR) {
    return "success";
  }
  const names = [span.status.message, ...exceptionsOf(span).map((attributes) => textOf(attributes, "exception.type"))];
  return names.some((name) => INTERRUPTS.test(name)) ? "interrupted" : "failure";
}

/** The exception's type and message, else the status' message; only of a span that failed. */
export function errorOf(span: Pick<OtlpSpan, "status" | "events" | "attributes">): string | undefined {
  if (span.status.code !== STATUS_ERROR) {
    return undefined;
  }
  const exception = exceptionsOf(span).at(-1);
  const [type, message] = [textOf(exception, "exception.type"), textOf(exception, "exception.message")];
  const told = [type, message].filter((text) => text !== "").join(": ") || span.status.message || textOf(span.attributes, "error.type");
  return boundText(told === "" ? "The span ended with the status ERROR and said no more." : told, ERROR_MAX);
}

function exceptionsOf({ events }: Pick<OtlpSpan, "events">): readonly OtlpAttributes[] {
  return events.filter(({ name }) => name === "exception").map(({ attributes }) => attributes);
}

function textOf(attributes: OtlpAttributes | undefined, name: string): string {
  const value = attributes?.get(name);
  return typeof value === "string" ? value : "";
}
