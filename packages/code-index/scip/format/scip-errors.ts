import { refusal, type AppError } from "@sightline/foundation/errors";

export const MAX_SENT_BYTES = 64 * 1024 * 1024;
export const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** One document of the index. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
export const MAX_OCCURRENCES = 5_000_000;

export function notScip(why: string, cause?: unknown): AppError {
  return refusal(400, "invalid_scip", `The body is no SCIP index: ${why}.`, { cause });
}

export function tooLarge(what: string): AppError {
  return refusal(413, "body_too_large", `The SCIP index holds more than ${what}; index a part of the repository at a time.`);
}
