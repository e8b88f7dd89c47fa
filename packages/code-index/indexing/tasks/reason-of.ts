import { AppError, messageOf } from "@sightline/foundation/errors";
import { SourceError } from "#git/source-error.ts";

/** What people read when a job or a preview failed. Errors of ours may hold SQL and addresses; git's are meant to be read. */
export function reasonOf(error: unknown): string {
  if (error instanceof SourceError || error instanceof AppError) {
    return error.message;
  }
  return `internal error: ${messageOf(error)}`.replaceAll("\0", "").slice(0, 1_000);
}
