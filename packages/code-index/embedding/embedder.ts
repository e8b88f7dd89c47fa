/** A question is not embedded as what answers it, by the models that know the difference. */
export type EmbedPurpose = "document" | "query";

/**
 * What became of one text: a vector of length 1, or why the provider does not embed it. It never will, unless it is
 * `unsure`: then it broke down over this text, while it answered others.
 */
export type Embedded = { readonly vector: Float32Array } | { readonly refused: string; readonly unsure?: boolean };

/** Names the space of the vectors: those of different keys can't be compared. */
export type EmbedderIdentity = {
  /** Provider, model, revision, dimensions and prompts, as `identityKey` writes them. */
  readonly key: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
};

/** Turns texts into vectors that are near each other when the texts are alike. */
export type Embedder = {
  readonly identity: EmbedderIdentity;
  /** It needs no network, so vectors are made while indexing. */
  readonly local: boolean;
  /**
   * One outcome for each text, in the same order; a bad text never fails the others.
   *
   * @throws {EmbedderError} when the provider can't be asked.
   */
  readonly embed: (texts: readonly string[], options: EmbedOptions) => Promise<readonly Embedded[]>;
};

export type EmbedOptions = { readonly purpose: EmbedPurpose; readonly signal: AbortSignal };
