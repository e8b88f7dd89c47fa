import { systemClock, type Clock } from "./clock.ts";
import type { Logger } from "./log.ts";

type RareWarningOptions = { readonly log: Logger; readonly message: string; readonly clock?: Clock; readonly everyMs?: number };

const MINUTE_MS = 60_000;

/**
 * A warning that any request may cause, written at most once a minute: whoever can make us refuse must not fill the log. The
 * next line says as `leftOut` how many were not written.
 *
 * @example
 * const warn = createRareWarning({ log, message: "the signing keys can't be fetched" });
 * warn({ reason: errorMessage(error) });
 */
export function createRareWarning({ log, message, clock = systemClock, everyMs = MINUTE_MS }: RareWarningOptions) {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (fields: Readonly<Record<string, unknown>>): void => {
    const now = clock.now().getTime();
    if (now < quietUntil) {
      leftOut += 1;
      return;
    }
    log.warn({ ...fields, ...(leftOut === 0 ? {} : { leftOut }) }, message);
    quietUntil = now + everyMs;
    leftOut = 0;
  };
}
