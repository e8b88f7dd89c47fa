import { createHash } from "node:crypto";
import type { OtlpValue } from "./otlp-span.ts";

type Reasoning = { readonly text: string; readonly truncated: boolean; readonly original_chars: number; readonly sha256?: string };

/** The most code points, the same as the SDK's default of OBS_REASONING_MAX_LENGTH. */
const MAX_REASONING_LENGTH = 50_000;

const PARTS = new Set<unknown>(["reasoning", "thinking"]);
/** Where messages have their parts, and LangChain's generations their messages. */
const BELOW = ["parts", "content", "contents", "message", "reasoning", "generations", "kwargs", "additional_kwargs"];
const TEXTS = ["content", "text", "reasoning", "thinking"];

/**
 * Finds the reasoning among the parts of a model's answer, or beside them; else in the answer as a whole, since OpenInference's messages
 * leave it out.
 */
export function findReasoning(output: OtlpValue | undefined, whole?: OtlpValue): Reasoning | undefined {
  const text = [output, whole].map((value) => collect(value).join("\n")).find((found) => found !== "") ?? "";
  if (text === "") {
    return undefined;
  }
  const characters = Array.from(text);
  if (characters.length <= MAX_REASONING_LENGTH) {
    return { text, truncated: false, original_chars: characters.length };
  }
  return {
    text: characters.slice(0, MAX_REASONING_LENGTH).join(""),
    truncated: true,
    original_chars: characters.length,
    sha256: createHash("sha256").update(text).digest("hex"),
  };
}

function collect(value: OtlpValue | undefined): readonly string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: OtlpValue) => collect(item));
  }
  const item = new Map<string, OtlpValue>(Object.entries(value));
  if (PARTS.has(item.get("type"))) {
    const text = TEXTS.map((name) => item.get(name)).find((candidate) => typeof candidate === "string");
    return typeof text === "string" && text !== "" ? [text] : [];
  }
  const beside = item.get("reasoning") ?? item.get("reasoning_content");
  if (typeof beside === "string" && beside !== "") {
    return [beside];
  }
  return BELOW.flatMap((name) => collect(item.get(name)));
}
