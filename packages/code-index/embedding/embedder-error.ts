import type { Embedded } from "./embedder.ts";

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
