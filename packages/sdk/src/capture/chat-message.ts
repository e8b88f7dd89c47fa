/** What happens to a model's reasoning inside messages: cut at `maximum` code points, or left out. */
export type ReasoningPolicy = { readonly capture: boolean; readonly maximum: number };

type ChatMessage = {
  readonly content: unknown;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly usage_metadata?: unknown;
};

const REASONING_BLOCKS = new Set(["thinking", "reasoning", "redacted_thinking"]);
const REASONING_KEYS = new Set(["reasoning_content", "reasoning", "thinking"]);
const COPIED_KEYS = ["id", "name", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "usage_metadata", "artifact"] as const;

/** LangChain's messages are recognised by shape, so that the package needs no LangChain. */
export function isChatMessage(value: object): value is ChatMessage {
  return "content" in value && ("_getType" in value || "getType" in value) && typeof Reflect.get(value, "_getType") === "function";
}

export function plainMessage(message: ChatMessage, policy: ReasoningPolicy): Record<string, unknown> {
  const plain: Record<string, unknown> = { type: messageType(message), content: plainContent(message.content, policy) };
  for (const key of COPIED_KEYS) {
    const value: unknown = Reflect.get(message, key);
    if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) {
      plain[key] = value;
    }
  }
  for (const key of ["additional_kwargs", "response_metadata"] as const) {
    const entries = Object.entries(message[key] ?? {}).flatMap(([name, value]) => plainEntry(name, value, policy));
    if (entries.length > 0) {
      plain[key] = Object.fromEntries(entries);
    }
  }
  return plain;
}

/** The same for a message as a provider's own client takes and gives it. */
export function boundMessageReasoning(message: unknown, policy: ReasoningPolicy): unknown {
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return message;
  }
  return Object.fromEntries(
    Object.entries(message).flatMap(([name, value]) =>
      name === "content" ? [[name, plainContent(value, policy)] as [string, unknown]] : plainEntry(name, value, policy),
    ),
  );
}

/** The reasoning of a message, whichever provider's shape it has; undefined when there is none. */
export function reasoningText(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !isChatMessage(message)) {
    return undefined;
  }
  const blocks = Array.isArray(message.content) ? message.content.filter(isReasoningBlock).map(blockText) : [];
  const extras = message.additional_kwargs ?? {};
  const outside = typeof extras["reasoning_content"] === "string" ? extras["reasoning_content"] : blockText(extras["reasoning"]);
  const text = [...blocks, outside].filter((part) => part !== "").join("\n");
  return text === "" ? undefined : text;
}

function messageType(message: ChatMessage): unknown {
  const read: unknown = Reflect.get(message, "_getType");
  return typeof read === "function" ? Reflect.apply(read, message, []) : undefined;
}

/** A list of content blocks without reasoning, or with as much of it as may be recorded. */
export function plainContent(content: unknown, policy: ReasoningPolicy): unknown {
  if (!Array.isArray(content) || !content.some(isReasoningBlock)) {
    return content;
  }
  return content.flatMap((block) => (isReasoningBlock(block) ? reasoningBlock(block, policy) : [block]));
}

function reasoningBlock(block: object, policy: ReasoningPolicy): unknown[] {
  return policy.capture ? [{ type: Reflect.get(block, "type"), text: cutAtCodePoint(blockText(block), policy.maximum) }] : [];
}

function plainEntry(name: string, value: unknown, policy: ReasoningPolicy): [string, unknown][] {
  if (!REASONING_KEYS.has(name)) {
    return [[name, value]];
  }
  const text = typeof value === "string" ? value : blockText(value);
  return policy.capture && text !== "" ? [[name, cutAtCodePoint(text, policy.maximum)]] : [];
}

function isReasoningBlock(block: unknown): block is object {
  return typeof block === "object" && block !== null && REASONING_BLOCKS.has(String(Reflect.get(block, "type")));
}

/** Anthropic writes `thinking`, the standard block `reasoning`, OpenAI a `summary` of parts. */
function blockText(block: unknown): string {
  if (typeof block !== "object" || block === null) {
    return "";
  }
  for (const key of ["thinking", "reasoning", "text"]) {
    const value: unknown = Reflect.get(block, key);
    if (typeof value === "string") {
      return value;
    }
  }
  const summary: unknown = Reflect.get(block, "summary");
  return Array.isArray(summary) ? summary.map(blockText).join("\n") : "";
}

/** A code point takes at most two units, so a text of twice the length is cut for certain before it is spread. */
export function cutAtCodePoint(text: string, maximum: number): string {
  return text.length <= maximum
    ? text
    : Array.from(text.slice(0, maximum * 2))
        .slice(0, maximum)
        .join("");
}
