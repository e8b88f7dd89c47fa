import { z } from "zod";
import type { EmbedderIdentity } from "./embedder.ts";

/** Everything that changes the vectors when it changes; where they are made is no part of it. */
export type VectorSpace = {
  readonly provider: string;
  readonly model: string;
  readonly revision: string;
  readonly dimensions: number;
  readonly documentPrefix: string;
  readonly queryPrefix: string;
};

export function identityOf(space: VectorSpace): EmbedderIdentity {
  const { provider, model, revision, dimensions, documentPrefix, queryPrefix } = space;
  const key = JSON.stringify([provider, model, revision, dimensions, documentPrefix, queryPrefix]);
  return { key, provider, model, dimensions };
}

const keySchema = z.tuple([z.string(), z.string(), z.string(), z.int(), z.string(), z.string()]);

/** The space that a key names; `undefined` when it is no key of ours. */
export function readKey(key: string): VectorSpace | undefined {
  const parsed = z.preprocess((text) => parseJson(String(text)), keySchema).safeParse(key);
  if (!parsed.success) {
    return undefined;
  }
  const [provider, model, revision, dimensions, documentPrefix, queryPrefix] = parsed.data;
  return { provider, model, revision, dimensions, documentPrefix, queryPrefix };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
