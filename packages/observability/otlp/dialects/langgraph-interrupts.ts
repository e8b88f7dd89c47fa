import type { OtlpValue } from "#otlp/wire/otlp-span.ts";
import type { JsonReader } from "./attribute-reader.ts";

const INTERRUPTS = /^(?:langgraph\.errors\.)?(?:GraphInterrupt|NodeInterrupt)\b/m;

/** LangGraph stops a run for a person's answer by throwing; callbacks report that as an error, which it is not. */
export function isInterrupt(error: string): boolean {
  return INTERRUPTS.test(error);
}

/** Reads the questions to the person from the message of the error. */
export function readInterrupts(message: string, readJson: JsonReader): OtlpValue {
  // Python prints them; JavaScript writes them as JSON before the name of the error.
  const [, ...printed] = message.split("Interrupt(value=");
  return printed.length > 0
    ? printed.map((part) => ({ value: readPrinted(part.split(/, (?:id|resumable|when|ns)=/)[0] ?? "", readJson) }))
    : readJson(message.split(/\n\n(?:Graph|Node)Interrupt\b/)[0] ?? "");
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
