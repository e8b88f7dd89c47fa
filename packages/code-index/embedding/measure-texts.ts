import type { EmbedPurpose } from "./embedder.ts";
import { countTokens, takeTokens } from "#tokens/count-tokens.ts";

export type MeasuredText = { readonly text: string; readonly tokens: number };

/** The text, or as much of its beginning as `limit` tokens hold. */
export function measure(text: string, limit: number, purpose: EmbedPurpose = "document"): MeasuredText {
  const bytes = Buffer.byteLength(text);
  if (purpose === "query" && bytes <= limit) {
    // A token is one byte at least, and counting takes time that somebody waits.
    return { text, tokens: bytes };
  }
  const tokens = countTokens(text);
  if (tokens <= limit) {
    return { text, tokens };
  }
  // A token is one character at least, and a line may be longer than the limit.
  const taken = takeTokens(text, limit) || text.slice(0, limit);
  return { text: taken.toWellFormed(), tokens: Math.min(limit, countTokens(taken)) };
}

type Batch = { readonly from: number; readonly texts: readonly MeasuredText[] };

/** The texts in runs that are within both limits; one that is over the second stands alone. Blank ones are in none. */
export function inBatches(
  texts: readonly MeasuredText[],
  { inputs, tokens }: { readonly inputs: number; readonly tokens: number },
): Batch[] {
  const batches: Batch[] = [];
  let current: MeasuredText[] = [];
  let sum = 0;
  let from = 0;
  const close = (next: number) => {
    if (current.length > 0) {
      batches.push({ from, texts: current });
    }
    current = [];
    sum = 0;
    from = next;
  };
  for (const [index, text] of texts.entries()) {
    if (text.text.trim() === "") {
      close(index + 1);
      continue;
    }
    if (current.length >= inputs || sum + text.tokens > tokens) {
      close(index);
    }
    current.push(text);
    sum += text.tokens;
  }
  close(texts.length);
  return batches;
}
