import { errorMessage, refusal } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { takeCall } from "#store/records/call-limit.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";

/** Rejects when the caller has no call left. */
export type CallLimit = (caller: string) => Promise<void>;

type Options = { readonly database: CodeIndexDatabase; readonly perMinute: number; readonly log: Logger };

/**
 * Lets each caller begin so many calls a minute, and as many at once after a pause, of all processes together. 0 sets no limit.
 * What can't be counted, as on a full disk, is let through: it can still be read.
 *
 * @throws {AppError} `rate_limited` (429), from what is returned, with Retry-After.
 */
export function createCallLimit({ database, perMinute, log }: Options): CallLimit {
  return async (caller) => {
    if (perMinute === 0) {
      return;
    }
    const wait = await takeCall(database, { caller, perMinute }).catch((error: unknown) =>
      log.warn({ reason: errorMessage(error) }, "could not count a call of /mcp"),
    );
    if (wait !== undefined) {
      const seconds = Math.max(1, Math.ceil(wait));
      throw refusal(429, "rate_limited", `This token has made its ${perMinute} calls of the minute; call again in ${seconds} s.`, {
        headers: { "retry-after": String(seconds) },
      });
    }
  };
}
