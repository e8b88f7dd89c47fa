import { createHash } from "node:crypto";

type EmbeddedChunk = { readonly path: string; readonly scope: string; readonly symbols: readonly string[]; readonly content: string };

/**
 * What of a chunk is embedded: where it is and what it defines, in the words that those names are made of, and what it says. Models of
 * prose know few names, and those that read less than a chunk learn of all that is in it. Vectors are kept by the hash of this.
 *
 * @example "src session store: remove expired, load\nexport function removeExpired() …"
 */
export function embeddedText({ path, scope, symbols, content }: EmbeddedChunk): string {
  return `${inWords(`${path} ${scope}`)}: ${[...new Set(symbols)].map(inWords).join(", ")}\n${content}`;
}

/** `parseHTTPResponse2` → parse, http, response2. As the index of words has it, of which this room knows nothing. */
const WORD = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+\p{N}*|\p{N}+/gu;

function inWords(text: string): string {
  return (text.match(WORD) ?? []).join(" ").toLowerCase();
}

/** The first half of the text's SHA-256, as a UUID is written. */
export function textHash(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
