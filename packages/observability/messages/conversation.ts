import type { TranscriptMessage, TranscriptPart } from "#contract/transcript.ts";
import { readMessages, type RawMessage } from "./read-messages.ts";
import { isObject, type RawPart } from "./read-parts.ts";

/** Messages in what a step took in or gave back, and what stands beside them: the other keys of a state, the parameters of a call. */
export type Conversation = { readonly messages: readonly RawMessage[]; readonly rest: Readonly<Record<string, unknown>> };

type Given = {
  readonly side: TranscriptMessage["side"];
  /** What models are given and say is a message also where nothing says whose it is. */
  readonly isModelCall: boolean;
};

/** Reads a payload as messages; undefined when it is none, and is to be shown as the value it is. */
export function readConversation(value: unknown, { side, isModelCall }: Given): Conversation | undefined {
  if (!isModelCall && Array.isArray(value) && !holdsMessages(value)) {
    return undefined;
  }
  const role = side === "input" ? "user" : "assistant";
  if (isObject(value) && isOfCrew(value)) {
    const { raw, ...others } = value;
    return { messages: [{ role, parts: [{ type: "text", value: raw }], isNamed: true }], rest: others };
  }
  const rest = isObject(value) ? restOf(value) : {};
  const messages = spoken(readMessages(value, role));
  if (messages.some(isModelCall ? isUnderstood : isNamed)) {
    return { messages, rest };
  }
  // Under a key of the application's own: a history, an update of a graph's state.
  const held = isObject(value) ? spoken(Object.entries(value).flatMap(([key, item]) => (key in rest ? [] : readMessages(item, role)))) : [];
  return held.some(isNamed) ? { messages: held, rest } : undefined;
}

/** What a crew of CrewAI or one of its tasks gave back, beside which stands all that was said for it. */
function isOfCrew(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value["raw"] === "string" && value["raw"] !== "" && "json_dict" in value;
}

function spoken(messages: readonly RawMessage[]): readonly RawMessage[] {
  return messages.filter(({ parts }) => parts.length > 0);
}

function isNamed(message: RawMessage): boolean {
  return message.isNamed === true;
}

function isUnderstood(message: RawMessage): boolean {
  return isNamed(message) || message.parts.some(({ type }) => type !== "other");
}

/** Keys of a single message, which stand in it and not beside it. */
const OF_MESSAGES = ["role", "content", "parts", "lc", "kwargs", "data"];

function restOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isMessage = OF_MESSAGES.some((name) => name in value) || typeof value["type"] === "string";
  return isMessage ? {} : Object.fromEntries(Object.entries(value).filter(([, item]) => !holdsMessages(item)));
}

/** Looks at the ends of a long list alone, which may have a hundred thousand rows and no message. */
function holdsMessages(item: unknown): boolean {
  const sample = Array.isArray(item) ? [...item.slice(0, SAMPLE), ...item.slice(-SAMPLE)] : item;
  return typeof sample === "object" && sample !== null && readMessages(sample, "other").some(isNamed);
}

const SAMPLE = 10;

/** The platform keeps reasoning apart from the answer. */
export function withReasoning(answerMessages: readonly RawMessage[], reasoning: string | null): readonly RawMessage[] {
  if (reasoning === null || reasoning === "" || answerMessages.some(({ parts }) => parts.some(({ type }) => type === "reasoning"))) {
    return answerMessages;
  }
  const thought: RawPart = { type: "reasoning", value: reasoning };
  const [first, ...others] = answerMessages;
  return first === undefined ? [{ role: "assistant", parts: [thought] }] : [{ ...first, parts: [thought, ...first.parts] }, ...others];
}

/** A message as an answer tells it, each part as long as `cut` leaves it. */
export function presentMessage(
  { role, name, parts }: RawMessage,
  side: TranscriptMessage["side"],
  cut: (text: string) => string = (text) => text,
): TranscriptMessage {
  return { side, role, name: bounded(name), parts: parts.map((part) => presentPart(part, cut)) };
}

function presentPart(
  { type, value, name, callId, isError, mediaType, characters }: RawPart,
  cut: (text: string) => string,
): TranscriptPart {
  const whole = textOfPart(value);
  return {
    type,
    text: cut(whole),
    characters: characters ?? whole.length,
    name: bounded(name),
    call_id: bounded(callId),
    is_error: isError ?? false,
    media_type: bounded(mediaType),
  };
}

function textOfPart(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

const MAX_NAME = 200;

function bounded(text: string | undefined): string | null {
  return text === undefined ? null : cutText(text, MAX_NAME);
}

/** Never between the two halves of one character. */
export function cutText(text: string, maximum: number): string {
  const end = maximum > 0 && /[\uD800-\uDBFF]/.test(text[maximum - 1] ?? "") ? maximum - 1 : maximum;
  return text.length <= maximum ? text : text.slice(0, end);
}
