import type { TranscriptMessage } from "#contract/transcript.ts";
import { isPart, parsed, readParts, findFirst, isObject, toList, findText, toValues, type RawPart, type Values } from "./read-parts.ts";

type Role = TranscriptMessage["role"];

export type RawMessage = {
  readonly role: Role;
  readonly name?: string | undefined;
  readonly parts: readonly RawPart[];
  /** It says itself who speaks; else it was taken for granted. */
  readonly isNamed?: boolean;
};

/**
 * The messages in what went into a model call or came out of it: of LangChain (serialised, stored and plain), OpenAI's chats and responses,
 * Anthropic, the AI SDK, Gemini, OpenInference and the GenAI conventions, and of plain texts.
 *
 * @param role who speaks where nothing says so.
 */
export function readMessages(value: unknown, role: Role): readonly RawMessage[] {
  if (value === undefined || value === null || value === "") {
    return [];
  }
  const pair = pairOf(value);
  if (pair !== undefined) {
    return [pair];
  }
  if (Array.isArray(value)) {
    return joinLoose(value.flatMap((item) => (Array.isArray(item) ? readMessages(item, role) : itemOf(item, role))));
  }
  return isObject(value) ? objectOf(value, role) : [{ role, parts: readParts(value) }];
}

/** `["human", "Where is order 42?"]`, which LangChain takes for a message. */
function pairOf(value: unknown): RawMessage | undefined {
  const [speaker, content, ...others] = toList(value);
  const role = typeof speaker === "string" && others.length === 0 ? ROLES.get(speaker) : undefined;
  return role === undefined || (typeof content !== "string" && !Array.isArray(content))
    ? undefined
    : { role, parts: readParts(content), isNamed: true };
}

type Item = RawMessage & { readonly isLoose?: boolean };

/** A message of a list, or a part that stands there without one. */
function itemOf(item: unknown, role: Role): readonly Item[] {
  if (isPart(item)) {
    const parts = readParts(item);
    const isResult = parts.every(({ type }) => type === "tool_result");
    // What a model calls, and thinks, is its own, also among the messages it is given.
    const isAnswer = parts.every(({ type }) => type === "tool_call" || type === "reasoning");
    return [{ role: isResult ? "tool" : isAnswer ? "assistant" : role, parts, isLoose: true }];
  }
  return isObject(item) ? objectOf(item, role) : readMessages(item, role);
}

/** Parts beside each other are one message. */
function joinLoose(items: readonly Item[]): readonly RawMessage[] {
  const joined: RawMessage[] = [];
  let open: { readonly role: Role; readonly parts: RawPart[] } | undefined;
  for (const { isLoose, ...message } of items) {
    if (isLoose !== true) {
      open = undefined;
      joined.push(message);
    } else if (open?.role === message.role) {
      open.parts.push(...message.parts);
    } else {
      open = { role: message.role, parts: [...message.parts] };
      joined.push(open);
    }
  }
  return joined;
}

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
  ["generic", "other"],
  ["chat", "other"],
  ["remove", "other"],
]);

/** `AIMessageChunk` of LangChain's classes, `ai` of its types, `assistant` of a role. */
function roleOf(word: unknown): Role | undefined {
  return typeof word === "string" ? ROLES.get(word.replace(/Message(Chunk)?$/, "").toLowerCase()) : undefined;
}

/** Around messages, or around the one message. */
const WRAPPERS = ["messages", "message", "prompt", "generations", "choices", "candidates", "input", "output", "value"] as const;
/** Around the only text: of completions, responses and the AI SDK. */
const TEXT_WRAPPERS = ["prompt", "input", "output_text", "completion"] as const;

function objectOf(value: Values, role: Role): readonly RawMessage[] {
  const { lc, id, kwargs, data } = value;
  if (lc !== undefined && isObject(kwargs)) {
    const speaker = roleOf(toList(id).at(-1)) ?? roleOf(kwargs["type"]);
    return [{ ...messageOf(kwargs, speaker ?? role), isNamed: speaker !== undefined }];
  }
  const named = roleOf(value["role"]) ?? roleOf(value["type"]);
  if (named !== undefined && isObject(data) && value["content"] === undefined) {
    return [{ ...messageOf(data, named), isNamed: true }];
  }
  if (named !== undefined && ["content", "parts", "contents", "tool_calls", "text", "refusal"].some((name) => name in value)) {
    return [{ ...messageOf(value, named), isNamed: true }];
  }
  // OpenAI's Responses name a message by its type.
  if (value["type"] === "message" && "content" in value) {
    return [messageOf(value, roleOf(value["role"]) ?? role)];
  }
  if (isPart(value) || value["truncated"] === true || value["$blob"] !== undefined) {
    return [{ role, parts: readParts([value]) }];
  }
  const wrapper = WRAPPERS.find((name) => typeof value[name] === "object" && value[name] !== null);
  if (wrapper !== undefined) {
    const system = findFirst(value, "system", "instructions", "system_instruction", "systemInstruction");
    return [...readMessages(system, "system"), ...readMessages(value[wrapper], role)];
  }
  const words = TEXT_WRAPPERS.find((name) => typeof value[name] === "string");
  if (words !== undefined) {
    return [...readMessages(findFirst(value, "system", "instructions"), "system"), ...readMessages(value[words], role)];
  }
  const bare = ["content", "parts", "contents", "tool_calls", "text"].some((name) => name in value);
  return [bare ? messageOf(value, role) : { role, parts: readParts([value]) }];
}

/** A message as an object, of whichever kind. */
function messageOf(message: Values, role: Role): RawMessage {
  const extras = toValues(message["additional_kwargs"]);
  const content = findFirst(message, "content", "parts", "contents", "text");
  const name = findText(message["name"], message["tool_name"]);
  if (role === "tool" && !toList(content).some((item) => isPart(item) || holdsResult(toValues(item)))) {
    return { role, name, parts: readParts([{ ...message, type: "tool_result", content: content ?? null }]) };
  }
  const said = readParts(content);
  const thought = findFirst(message, "reasoning_content", "reasoning") ?? findFirst(extras, "reasoning_content", "reasoning");
  const parts = [
    ...(thought === undefined || said.some(({ type }) => type === "reasoning")
      ? []
      : readParts([{ type: "reasoning", reasoning: thought }])),
    ...said,
    ...readParts(message["refusal"]),
    ...callsOf(message, extras, said),
    ...(message["object"] === undefined || content !== undefined ? [] : readParts([{ type: "text", text: message["object"] }])),
  ];
  const isResult = parts.length > 0 && parts.every(({ type }) => type === "tool_result");
  // Anthropic's and Gemini's results stand in messages of the user.
  return { role: role === "user" && isResult ? "tool" : role, name, parts };
}

/** Whether a part is the result of a tool, as Bedrock and Haystack write one. */
function holdsResult(part: Values): boolean {
  return isObject(part["toolResult"]) || isObject(part["tool_call_result"]);
}

/** Calls that stand beside the content; LangChain has those of its content here once more. */
function callsOf(message: Values, extras: Values, said: readonly RawPart[]): readonly RawPart[] {
  if (said.some(({ type }) => type === "tool_call")) {
    return [];
  }
  const calls = [message["tool_calls"], extras["tool_calls"]].map(toList).find((list) => list.length > 0) ?? [];
  const invalid = toList(message["invalid_tool_calls"]);
  // The AI SDK's answer has them as a text.
  const given = calls.length === 0 && typeof message["tool_calls"] === "string" ? toList(parsed(message["tool_calls"])) : calls;
  const old = findFirst(message, "function_call") ?? findFirst(extras, "function_call");
  return [...given, ...invalid, ...(given.length === 0 && isObject(old) ? [old] : [])].flatMap((call) =>
    readParts([{ ...toValues(call), type: "tool_call" }]),
  );
}
