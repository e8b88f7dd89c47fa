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
