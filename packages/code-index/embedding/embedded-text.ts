import { createHash } from "node:crypto";

type EmbeddedChunk = { readonly path: string; readonly scope: string; readonly content: string };

/** What of a chunk is embedded: where it is, and what it says. Vectors are kept by the hash of this. */
export function embeddedText({ path, scope, content }: EmbeddedChunk): string {
  return `${path} ${scope}\n${content}`;
}

/** The first half of the text's SHA-256, as a UUID is written. */
export function textHash(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
