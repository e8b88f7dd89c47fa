import { createHash } from "node:crypto";
import { readMessages } from "#messages/read-messages.ts";
import { readParts } from "#messages/read-parts.ts";
import { toRecord, type OtlpValue } from "#otlp/wire/otlp-span.ts";

type Reasoning = { readonly text: string; readonly truncated: boolean; readonly original_chars: number; readonly sha256?: string };

/** The most code points, the same as the SDK's default of OBS_REASONING_MAX_LENGTH. */
const MAX_REASONING_LENGTH = 50_000;

/**
 * Finds the reasoning among the parts of a model's answer, or beside them; else in the answer as a whole, since OpenInference's messages
 * leave it out.
 */
export function findReasoning(output: OtlpValue | undefined, whole?: OtlpValue): Reasoning | undefined {
  const text = reasoningIn(output) || reasoningIn(whole);
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

function reasoningIn(value: OtlpValue | undefined): string {
  const { reasoning } = toRecord(value) ?? {};
  const parts =
    reasoning === undefined
      ? readMessages(value, "assistant").flatMap((message) => message.parts)
      : readParts([{ type: "reasoning", reasoning }]); // An answer may be nothing else.
  return parts.flatMap((part) => (part.type === "reasoning" && typeof part.value === "string" ? part.value : [])).join("\n");
}
