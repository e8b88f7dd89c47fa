import { readConversation } from "./conversation.ts";
import type { RawMessage } from "./read-messages.ts";
import { isObject, type RawPart } from "./read-parts.ts";

export const LINE_LENGTH = 80;

type Given = { readonly side: "input" | "output"; readonly isModelCall: boolean };

/**
 * One line of what was asked, or of what came back: of messages the newest, of other values the text in them. Undefined where there is none,
 * or where the newest message was sent before and only its hash is here.
 */
export function toLine(value: unknown, given: Given): string | undefined {
  const text = toFullText(value, given);
  return text === undefined ? undefined : oneLine(text);
}

/** All of what the line is the beginning of, as it was written. */
export function toFullText(value: unknown, given: Given): string | undefined {
  if (value === undefined || value === null || value === "") {
    return undefined;
  }
  const answer = answerIn(value);
  if (answer !== undefined) {
    return `Resumed with ${textIn(answer) ?? "…"}`;
  }
  const call = callIn(value);
  if (call !== undefined) {
    return textIn(call);
  }
  const conversation = typeof value === "string" ? undefined : readConversation(withoutBeginnings(value), given);
  return conversation === undefined ? textIn(value) : wordsOf(newestOf(conversation.messages, given.side));
}

/** What a paused graph was resumed with: in LangGraph's `Command`, as TypeScript and as Python write it. */
function answerIn(value: unknown): unknown {
  if (!isObject(value) || value["resume"] === undefined || value["resume"] === null) {
    return undefined;
  }
  return value["lg_name"] === "Command" || ("goto" in value && "update" in value) ? value["resume"] : undefined;
}

/** The one argument of a call of Python's, as decorators write it. */
function callIn(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value["args"]) || !isObject(value["kwargs"]) || Object.keys(value).length !== 2) {
    return undefined;
  }
  const given: readonly unknown[] = [...(value["args"] as readonly unknown[]), ...Object.values(value["kwargs"])];
  return given.length === 1 ? given[0] : undefined;
}

const NEWEST = 50;

/** What was said last is enough for a line, however long a list is. */
function withoutBeginnings(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.slice(-NEWEST);
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, Array.isArray(item) ? item.slice(-NEWEST) : item]))
    : value;
}

/** What a person asked says more than what a tool gave back since. */
function newestOf(messages: readonly RawMessage[], side: Given["side"]): RawMessage | undefined {
  return (side === "input" ? messages.findLast(({ role }) => role === "user") : undefined) ?? messages.at(-1);
}

function wordsOf(message: RawMessage | undefined): string | undefined {
  const parts = message?.parts ?? [];
  const words = parts.filter(({ type, value }) => type === "text" && typeof value === "string").map(({ value }) => String(value));
  return words.length > 0 ? words.join("\n\n") : parts.map(inBrief).find((text) => text !== undefined);
}

function inBrief({ type, name, value }: RawPart): string | undefined {
  if (type === "tool_call") {
    return `${name ?? "tool"}(${isObject(value) ? Object.values(value).map(jsonOf).join(", ") : jsonOf(value)})`;
  }
  if (type === "tool_result") {
    return typeof value === "string" ? value : jsonOf(value);
  }
  return type === "media" ? "[image or file]" : undefined;
}

/** Names under which applications keep what was asked and answered. */
const NAMES = ["question", "query", "prompt", "task", "input", "answer", "output", "result", "response", "text", "content", "message"];

function textIn(value: unknown): string | undefined {
  if (typeof value === "string") {
    return value;
  }
  if (wasSentBefore(value) || (Array.isArray(value) && value.length > 0 && value.every(wasSentBefore))) {
    return undefined;
  }
  if (!isObject(value)) {
    return jsonOf(value);
  }
  const texts = Object.values(value).filter((item) => typeof item === "string");
  const named = NAMES.map((name) => value[name]).find((item) => typeof item === "string" && item !== "");
  return typeof named === "string" ? named : texts.length === 1 && Object.keys(value).length === 1 ? texts[0] : jsonOf(value);
}

/** Whether only the message's hash is here; the step that sent it first has its line. */
function wasSentBefore(value: unknown): boolean {
  return isObject(value) && "$blob" in value;
}

/** Enough of it to fill a line: a long value is not written out for that. */
function jsonOf(value: unknown): string {
  let left = LINE_LENGTH;
  const text = JSON.stringify(value, (_key, item: unknown) => {
    left -= 1;
    return left < 0
      ? undefined
      : typeof item === "string"
        ? item.slice(0, LINE_LENGTH)
        : Array.isArray(item)
          ? item.slice(0, LINE_LENGTH)
          : item;
  });
  return text ?? "";
}

/** How much of a text its line is made of: mostly the shorter is enough, unless blanks and marks stand where its words are to be. */
const BEGINNINGS = { mostly: 3 * LINE_LENGTH, atMost: 20 * LINE_LENGTH };

/** A line of so many code units has more characters than are shown, even when its last are a mark that was cut. */
const FULL = 2 * (LINE_LENGTH + "###### ".length);

const TOO_LONG = new RegExp(`^(.{${LINE_LENGTH - 1}}).{2}.*$`, "su");

function oneLine(text: string): string | undefined {
  const short = withoutMarks(text.slice(0, BEGINNINGS.mostly));
  const line = short.length >= FULL ? short : withoutMarks(text.slice(0, BEGINNINGS.atMost));
  return line === "" ? undefined : line.replace(TOO_LONG, "$1…");
}

function withoutMarks(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\*\*|^#{1,6} /gm, "")
    .replaceAll(/[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu, " ")
    .trim();
}
