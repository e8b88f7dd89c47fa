/** An evaluation that can't begin, go on or be told; the message says what to do. */
export class EvaluationError extends Error {
  override name = "EvaluationError";
}

/** The platform refused a request. */
export class RefusedError extends EvaluationError {
  override name = "RefusedError";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
