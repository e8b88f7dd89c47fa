import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";

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

/** Everything that changes the vectors when it changes; where they are made is no part of it. */
export type VectorSpace = {
  readonly provider: string;
  readonly model: string;
  readonly revision: string;
  readonly dimensions: number;
  readonly documentPrefix: string;
  readonly queryPrefix: string;
};

export function toEmbedderIdentity(space: VectorSpace): EmbedderIdentity {
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

type EmbedderErrorOptions = {
  /** Whether the same request may succeed later, without anybody changing anything. */
  readonly transient: boolean;
  /** What the provider asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** By input, what was made before the failure; `undefined` where nothing was. It is paid for, so keep it. */
  readonly partial?: readonly (Embedded | undefined)[];
  readonly cause?: unknown;
};

/**
 * The provider could not embed. The message holds its own words without secrets, but maybe with pieces
 * of the texts that were sent: it is for the owner of those, and for the log.
 */
export class EmbedderError extends Error {
  readonly transient: boolean;
  readonly retryAfterMs: number | undefined;
  readonly partial: readonly (Embedded | undefined)[];

  constructor(message: string, { transient, retryAfterMs, partial = [], cause }: EmbedderErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "EmbedderError";
    this.transient = transient;
    this.retryAfterMs = retryAfterMs;
    this.partial = partial;
  }
}
