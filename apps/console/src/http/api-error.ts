/** A call that did not give what was asked for; `code` is the API's stable code or one of the console's own. */
export class ApiError extends Error {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  /** Seconds to wait before the next try, when the API said so. */
  readonly retryAfter: number | undefined;
  /** The sentence of the API, and the places that it names, where it names any. */
  readonly summary: string | undefined;
  readonly details: readonly string[];

  constructor(options: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly retryAfter?: number | undefined;
    readonly summary?: string | undefined;
    readonly details?: readonly string[] | undefined;
  }) {
    super(options.message);
    this.name = "ApiError";
    this.status = options.status;
    this.code = options.code;
    this.retryAfter = options.retryAfter;
    this.summary = options.summary;
    this.details = options.details ?? [];
  }
}

/** Worth another try: no answer, or a server that failed. */
export function isTransient(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** Whether the API refused with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof ApiError && codes.includes(error.code);
}

const DEFAULT_WAIT_SECONDS = 30;

/** Seconds until a call that came too often may come again. */
export function secondsToWait(error: unknown): number {
  return (error instanceof ApiError ? error.retryAfter : undefined) ?? DEFAULT_WAIT_SECONDS;
}
