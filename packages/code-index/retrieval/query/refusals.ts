import { type AppError, refusal } from "@sightline/foundation/errors";

export function invalidQuery(message: string): AppError {
  return refusal(400, "invalid_query", message);
}

/** PostgreSQL's text can't hold a NUL. @throws {AppError} `invalid_query` (400). */
export function refuseNul(texts: readonly (string | undefined)[], message: string): void {
  if (texts.some((text) => text?.includes("\0"))) {
    throw invalidQuery(message);
  }
}
