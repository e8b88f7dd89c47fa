import { AppError, errorMessage } from "@sightline/foundation/errors";
import { SourceError } from "#git/source-error.ts";

/** A running job was broken off from outside; the job itself did not fail. */
export class BrokenOff extends Error {
  readonly why: "lost" | "cancelled";

  constructor(why: "lost" | "cancelled") {
    super(`the job was broken off: ${why}`);
    this.name = "BrokenOff";
    this.why = why;
  }
}

/** What people read when a job or a preview failed. Errors of ours may hold SQL and addresses; git's are meant to be read. */
export function toFailureReason(error: unknown): string {
  if (error instanceof SourceError || error instanceof AppError) {
    return error.message;
  }
  return `internal error: ${errorMessage(error)}`.replaceAll("\0", "").slice(0, 1_000);
}
