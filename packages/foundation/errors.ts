/** The body of every refusal: a stable code and one sentence that says what to do. */
export type ErrorBody = {
  readonly error: string;
  readonly message: string;
  readonly details?: readonly ErrorDetail[];
};

export type ErrorDetail = {
  readonly path: string;
  readonly message: string;
};

type AppErrorOptions = {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Whether who refuses writes to the log itself, less often than it refuses; otherwise each 5xx is a line. */
  readonly logged?: boolean;
};

/**
 * The one error type that may reach a client. Anything else that is thrown is answered as `500 internal_error`, or as
 * `503 database_unavailable` where it is the database that says not now or is asked for too much at once, and logged with its stack.
 *
 * `code` is stable and part of the API; `message` is for people and may change.
 */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly logged: boolean;

  constructor(options: AppErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = options.code;
    this.status = options.status;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.logged = options.logged ?? false;
  }

  toBody(): ErrorBody {
    return {
      error: this.code,
      message: this.message,
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** The code of an error of Node's, of the database's (its SQLSTATE) or of ours. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/**
 * Refusals that are always said in the same words, as a table from their code to status and sentence.
 *
 * @example
 * const refusal = createRefusals({ email_taken: [409, "There is an account with this e-mail address."] });
 * throw refusal("email_taken");
 */
export function createRefusals<Code extends string>(table: Readonly<Record<Code, readonly [status: number, message: string]>>) {
  return (code: Code, more: Pick<AppErrorOptions, "headers" | "cause" | "logged"> = {}): AppError => {
    const [status, message] = table[code];
    return refusal(status, code, message, more);
  };
}

/** The refusal of a request: its HTTP status, its stable code, and the sentence that says what to do. */
export function refusal(
  status: number,
  code: string,
  message: string,
  more?: Pick<AppErrorOptions, "details" | "headers" | "cause" | "logged">,
): AppError {
  return new AppError({ status, code, message, ...more });
}

/** The value; where there is none, the refusal is thrown. */
export function orRefuse<Value>(value: Value | undefined, refused: () => AppError): Value {
  if (value === undefined) {
    throw refused();
  }
  return value;
}

/** The text of anything that can be thrown. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(errorMessage).join("; ");
  }
  return error instanceof Error ? error.message : String(error);
}
