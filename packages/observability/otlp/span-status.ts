import { boundText, boundValue } from "./bound-value.ts";
import type { JsonReader } from "./attribute-reader.ts";
import { NO_REASON } from "#trace-facts/passes-on.ts";
import { STATUS_ERROR, toText, type OtlpAttributes, type OtlpSpan, type OtlpValue } from "./otlp-span.ts";

export type EndStatus = "success" | "failure" | "interrupted";

const MAX_ERROR_LENGTH = 16_384;

/** LangGraph stops a run for a person's answer by throwing; callbacks report that as an error, which it is not. */
const INTERRUPTS = /^(?:langgraph\.errors\.)?(?:GraphInterrupt|NodeInterrupt)\b/m;

type Ended = Pick<OtlpSpan, "status" | "events">;

export function statusOf(span: Ended): EndStatus {
  const names = [span.status.message, ...exceptionsOf(span).map((attributes) => textOf(attributes, "exception.type"))];
  if (names.some((name) => INTERRUPTS.test(name))) {
    return "interrupted";
  }
  return span.status.code === STATUS_ERROR ? "failure" : "success";
}

/** Describes the error of a failed span: the exception's type and message, else the status' message. */
export function errorOf(span: Ended & Pick<OtlpSpan, "attributes">): string | undefined {
  if (statusOf(span) !== "failure") {
    return undefined;
  }
  const exception = exceptionsOf(span).at(-1);
  const [type, message] = [textOf(exception, "exception.type"), textOf(exception, "exception.message")];
  // Some libraries' messages begin with the type already, with or without its module.
  const isTold = [type, type.slice(type.lastIndexOf(".") + 1)].some((name) => message.startsWith(`${name}:`));
  const said = isTold ? [message] : [type, message];
  const told =
    said.filter((text) => text !== "").join(": ") || span.status.message || textOf(span.attributes, "error.type") || httpStatusOf(span);
  return boundText(told === "" ? NO_REASON : told, MAX_ERROR_LENGTH);
}

function httpStatusOf({ attributes }: Pick<OtlpSpan, "attributes">): string {
  const status = attributes.get("http.response.status_code") ?? attributes.get("http.status_code");
  return typeof status === "number" && status >= 400 ? `HTTP status ${status}` : "";
}

/** What an interrupted span asked of a person, in the form in which the SDKs record it: a list of objects with a `value`. */
export function interruptsOf(span: Ended, readJson: JsonReader): OtlpValue | undefined {
  if (statusOf(span) !== "interrupted") {
    return undefined;
  }
  const messages = exceptionsOf(span).map((attributes) => textOf(attributes, "exception.message"));
  const message = boundValue(messages.find((text) => text !== "") ?? span.status.message);
  // Python prints them; JavaScript writes them as JSON before the name of the error.
  const [, ...printed] = message.split("Interrupt(value=");
  const interrupts =
    printed.length > 0
      ? printed.map((part) => ({ value: readPrinted(part.split(/, (?:id|resumable|when|ns)=/)[0] ?? "", readJson) }))
      : readJson(message.split(/\n\n(?:Graph|Node)Interrupt\b/)[0] ?? "");
  return Array.isArray(interrupts) && interrupts.length > 0 ? boundValue<OtlpValue>(interrupts) : undefined;
}

// What is not closed ends with the text: to look for an end from every quote would take the square of its length.
const PRINTED = /'((?:[^'\\]|\\.)*)'?|"((?:[^"\\]|\\.)*)"?|\b(?:True|False|None)\b|[()]|,(?=\s*\))/gs;
const AS_JSON: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null", "(": "[", ")": "]", ",": "" };

/** A value of Python as `repr` prints it; where it is more than texts, numbers, lists and dictionaries, as it was printed. */
function readPrinted(value: string, readJson: JsonReader): OtlpValue {
  const json = value.replaceAll(PRINTED, (token, single, double) => AS_JSON[token] ?? quoted(String(single ?? double)));
  const read = readJson(`[${json}]`);
  return Array.isArray(read) ? ((read as readonly OtlpValue[])[0] ?? null) : value;
}

function quoted(printed: string): string {
  const text = printed.replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/gs, (_, x, u, long, letter: string) =>
    letter === undefined ? characterOf(String(x ?? u ?? long)) : (ESCAPED[letter] ?? letter),
  );
  return JSON.stringify(text);
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function characterOf(hexadecimal: string): string {
  const code = Number.parseInt(hexadecimal, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : "\ufffd";
}

function exceptionsOf({ events }: Pick<OtlpSpan, "events">): readonly OtlpAttributes[] {
  return events.filter(({ name }) => name === "exception").map(({ attributes }) => attributes);
}

export function textOf(attributes: OtlpAttributes | undefined, name: string): string {
  return toText(attributes?.get(name)) ?? "";
}
