import { ConfigError } from "@sightline/foundation/config";
import { messageOf } from "@sightline/foundation/errors";

/** An error in what was asked for; it ends the program with 2, anything else with 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Says what went wrong and how to mend it, without a stack, and ends the process with the right code. */
export function reportFailure(error: unknown): never {
  console.error(error instanceof ConfigError ? `${error.message}\nSee .env.example for every variable.` : messageOf(error));
  if (process.env["SIGHTLINE_DEBUG"] !== undefined) {
    console.error(error);
  }
  process.exit(error instanceof UsageError ? 2 : 1);
}
