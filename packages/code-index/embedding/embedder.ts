import { embedByHash, HASH_DIMENSIONS, HASH_IDENTITY } from "./hash-embedder.ts";

/** Turns texts into vectors that are near each other when the texts are alike. */
export type Embedder = {
  /** Names the vectors' space: vectors of different identities can't be compared. */
  readonly identity: string;
  readonly dimensions: number;
  /** One vector of length 1 for each text, in the same order; all zeros for a text without a word. */
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
};

/** The embedder that `CODEINDEX_EMBEDDER` names; `undefined` for `none`, where there is no semantic leg. */
export function createEmbedder(kind: "hash" | "none"): Embedder | undefined {
  if (kind === "none") {
    return undefined;
  }
  return {
    identity: HASH_IDENTITY,
    dimensions: HASH_DIMENSIONS,
    embed: (texts) => Promise.resolve(texts.map(embedByHash)),
  };
}
