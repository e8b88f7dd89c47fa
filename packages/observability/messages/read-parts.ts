import { isExactNumber, parseExactly } from "@sightline/foundation/exact-json";
import type { TranscriptPart } from "#contract/transcript.ts";

/** A part of a message, whole; `value` is a text, or what becomes JSON. */
export type RawPart = Pick<TranscriptPart, "type"> & {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly callId?: string | undefined;
  readonly isError?: boolean;
  readonly mediaType?: string | undefined;
  /** Characters of what was left behind: the data of media, or a text that was cut before it came here. */
  readonly characters?: number | undefined;
  /** An image that came in the message itself, as a `data:` address of a type that browsers show and that runs nothing. */
  readonly image?: string | undefined;
};

/** The parts of a message's content, whichever provider's or framework's words it is in. */
export function readParts(content: unknown): readonly RawPart[] {
  if (content === undefined || content === null || content === "") {
    return [];
  }
  return Array.isArray(content) ? content.flatMap(partOf) : partOf(content);
}

/** Whether a message's part, and not a message, is what stands there. */
export function isPart(value: unknown): boolean {
  return (
    isObject(value) && value["role"] === undefined && (READERS.has(kindOf(value)) || kindOf(value).startsWith("tool-") || isBareCall(value))
  );
}

function partOf(given: unknown): readonly RawPart[] {
  if (typeof given === "string") {
    return given === "" ? [] : [{ type: "text", value: given }];
  }
  if (!isObject(given)) {
    return given === undefined || given === null ? [] : [{ type: "other", value: given }];
  }
  const cut = cutValue(given);
  if (cut !== undefined) {
    return [cut];
  }
  // OpenInference says what a part is once more.
  const part = isObject(given["message_content"]) ? given["message_content"] : given;
  const kind = kindOf(part);
  const read = READERS.get(kind) ?? (kind.startsWith("tool-") ? readUiTool : undefined);
  return read === undefined ? readUntyped(part) : read(part);
}

/** What the platform itself cut, or what has not arrived. */
function cutValue(value: Values): RawPart | undefined {
  if (value["truncated"] === true && typeof value["preview"] === "string") {
    const { characters } = value;
    return { type: "text", value: value["preview"], characters: typeof characters === "number" ? characters : value["preview"].length + 1 };
  }
  return typeof value["$blob"] === "string" ? { type: "other", value } : undefined;
}

function kindOf(part: Values): string {
  return typeof part["type"] === "string" ? part["type"] : "";
}

type Read = (part: Values) => readonly RawPart[];

const text: Read = (part) => words("text", findFirst(part, "text", "content", "refusal", "value"));
const reasoning: Read = (part) => words("reasoning", reasoningOf(part));

const toolCall: Read = (part) => {
  const called = toValues(findFirst(part, "function", "tool_call"));
  const inner = isObject(called["function"]) ? called["function"] : called;
  return [
    {
      type: "tool_call",
      name: findText(part["name"], part["toolName"], part["tool_name"], inner["name"]) ?? "tool",
      callId: findText(part["call_id"], part["toolCallId"], part["tool_call_id"], part["toolUseId"], part["id"], called["id"]),
      value: parsed(findFirst(part, "args", "input", "arguments", "parameters") ?? findFirst(inner, "arguments", "args")),
    },
  ];
};

const toolResult: Read = (part) => {
  const given = findFirst(part, "content", "output", "result", "response", "error");
  const { value, isError } = unwrapResult(given);
  return [
    {
      type: "tool_result",
      name: findText(part["name"], part["toolName"], part["tool_name"]),
      callId: findText(part["tool_use_id"], part["toolUseId"], part["call_id"], part["toolCallId"], part["tool_call_id"], part["id"]),
      value: parsed(value),
      isError:
        isError || part["is_error"] === true || part["isError"] === true || part["status"] === "error" || kindOf(part) === "tool-error",
    },
  ];
};

/** `{"type": "image_url", "image_url": {"url"}}`, `{"type": "image", "source": {"media_type", "data"}}`, `{"type": "file", "mediaType", "data"}`, … */
const media: Read = (part) => {
  const kind = kindOf(part);
  const holder = toValues(
    findFirst(part, "source", "image_url", "input_audio", "file", "audio", "inlineData", "inline_data", "fileData", "image"),
  );
  const places = [part, holder].flatMap((place) =>
    ["url", "image_url", "file_url", "uri", "fileUri", "image", "data", "content", "file_data", "base64"].map((name) => place[name]),
  );
  const address = places.find((given): given is string => typeof given === "string" && given !== "") ?? "";
  const inline = /^data:([^;,]*)/.exec(address);
  const isAddress = /^(https?|gs|s3|file):\/\//.test(address);
  const named = ["media_type", "mediaType", "mime_type", "mimeType", "format"].flatMap((name) => [part[name], holder[name]]);
  const mediaType = findText(inline?.[1], ...named) ?? findText(part["modality"]) ?? (kind.replace(/^input_|_url$/g, "") || "file");
  return [
    {
      type: "media",
      value: isAddress ? address : "",
      name: findText(part["filename"], part["name"], part["title"], holder["filename"]),
      mediaType,
      characters: address.length,
      image: isAddress ? undefined : imageOf(mediaType, inline === null ? address : address.slice(address.indexOf(",") + 1)),
    },
  ];
};

function imageOf(mediaType: string, data: string): string | undefined {
  const isShown = /^image\/(?:png|jpeg|gif|webp|avif)$/.test(mediaType) && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  return isShown ? `data:${mediaType};base64,${data}` : undefined;
}

const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ...["text", "input_text", "output_text", "refusal", "text_delta", "text-plain", "summary_text"].map((kind) => [kind, text] as const),
  ...["reasoning", "thinking", "redacted_thinking", "reasoning_content", "reasoning_text"].map((kind) => [kind, reasoning] as const),
  ...["tool_use", "tool_call", "tool-call", "function_call", "server_tool_use", "mcp_call", "custom_tool_call", "function"].map(
    (kind) => [kind, toolCall] as const,
  ),
  ...[
    "tool_result",
    "tool-result",
    "tool-error",
    "tool_call_response",
    "function_call_output",
    "custom_tool_call_output",
    "web_search_tool_result",
  ].map((kind) => [kind, toolResult] as const),
  ...["image", "image_url", "input_image", "audio", "input_audio", "video", "file", "input_file", "document", "blob", "uri"].map(
    (kind) => [kind, media] as const,
  ),
]);

/** Whether it is a tool call as the AI SDK's own spans have it, without a type. */
function isBareCall(value: Values): boolean {
  return value["type"] === undefined && typeof value["toolCallId"] === "string" && typeof value["toolName"] === "string";
}

/** Gemini's and Bedrock's parts say by their key what they are. */
function readUntyped(part: Values): readonly RawPart[] {
  if (isBareCall(part)) {
    return ("result" in part || "output" in part ? toolResult : toolCall)(part);
  }
  if (part["thought"] === true) {
    return words("reasoning", part["text"]);
  }
  if (typeof part["text"] === "string") {
    return words("text", part["text"]);
  }
  for (const [names, read] of UNTYPED) {
    const inner = findFirst(part, ...names);
    if (isObject(inner)) {
      return read(inner);
    }
  }
  return Object.keys(part).length === 0 ? [] : [{ type: "other", value: part }];
}

const UNTYPED: readonly (readonly [names: readonly string[], read: Read])[] = [
  [["functionCall", "function_call", "toolUse"], toolCall],
  [["functionResponse", "function_response", "toolResult"], toolResult],
  // Haystack's, with the call beside its result.
  [["tool_call"], toolCall],
  [["tool_call_result"], (inner) => toolResult({ ...toValues(inner["origin"]), content: inner["result"], is_error: inner["error"] })],
  [["inlineData", "inline_data", "fileData", "file_data"], media],
  [["reasoningContent"], (inner) => words("reasoning", findFirst(toValues(inner["reasoningText"]), "text"))],
];

/** A tool in a message of the AI SDK's user interface: its call and, once it is there, its result. */
function readUiTool(part: Values): readonly RawPart[] {
  const name = kindOf(part) === "dynamic-tool" ? findText(part["toolName"]) : kindOf(part).slice("tool-".length);
  const callId = findText(part["toolCallId"]);
  const call: RawPart = { type: "tool_call", name, callId, value: part["input"] ?? null };
  const result = findFirst(part, "output", "errorText");
  const isError = part["errorText"] !== undefined;
  return result === undefined ? [call] : [call, { type: "tool_result", name, callId, value: parsed(result), isError }];
}

function words(type: "text" | "reasoning", value: unknown): readonly RawPart[] {
  if (isObject(value)) {
    const cut = cutValue(value);
    return [cut === undefined ? { type, value } : { ...cut, type }];
  }
  return value === undefined || value === null || value === "" ? [] : [{ type, value }];
}

/** Anthropic writes `thinking`, the standard block `reasoning`, OpenAI lists of parts. */
function reasoningOf(part: Values): unknown {
  const given = findFirst(part, "thinking", "reasoning", "text", "content", "reasoning_content");
  const listed = given === undefined || Array.isArray(given) ? [...toList(part["summary"]), ...toList(given)] : undefined;
  return listed === undefined ? given : listed.flatMap((item) => findText(item, toValues(item)["text"]) ?? []).join("\n");
}

/** The AI SDK says of a result which kind it is, the protocols of tools give lists of parts. */
function unwrapResult(given: unknown): { readonly value: unknown; readonly isError: boolean } {
  if (isObject(given) && RESULT_KINDS.has(kindOf(given)) && "value" in given) {
    return { value: given["value"], isError: kindOf(given).startsWith("error") };
  }
  const texts = toList(given).map((item) => (kindOf(toValues(item)) === "text" ? toValues(item)["text"] : undefined));
  const isText = texts.length > 0 && texts.every((item) => typeof item === "string");
  return { value: isText ? texts.join("\n") : given, isError: false };
}

const RESULT_KINDS = new Set(["text", "json", "error-text", "error-json", "content"]);

/** Arguments and results often are JSON in a text. */
export function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) {
    return value ?? null;
  }
  try {
    return parseExactly(value);
  } catch {
    return value;
  }
}

/** Reading of what applications sent, of which nothing is certain. */

export type Values = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

export function toValues(value: unknown): Values {
  return isObject(value) ? value : {};
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The first that is a text with something in it. */
export function findText(...candidates: readonly unknown[]): string | undefined {
  return candidates.find((candidate): candidate is string => typeof candidate === "string" && candidate !== "");
}

/** Reads the first of these names that the object has a value for. */
export function findFirst(value: Values, ...names: readonly string[]): unknown {
  const name = names.find((candidate) => value[candidate] !== undefined && value[candidate] !== null);
  return name === undefined ? undefined : value[name];
}
