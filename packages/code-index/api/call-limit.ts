import { AppError } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";

/** Throws when the caller must wait. */
export type CallLimit = (caller: string) => void;

type Allowance = { readonly left: number; readonly at: number };

const MINUTE_MS = 60_000;
/** Callers remembered before those who may call freely again are forgotten. */
const REMEMBERED = 10_000;

/**
 * Lets each caller begin so many calls a minute, and as many at once after a pause; each process counts for itself.
 * 0 sets no limit.
 *
 * @throws {AppError} `rate_limited` (429), from what is returned, with Retry-After.
 */
export function createCallLimit({ clock, perMinute }: { readonly clock: Clock; readonly perMinute: number }): CallLimit {
  const allowances = new Map<string, Allowance>();
  const leftOf = ({ left, at }: Allowance, now: number): number =>
    Math.min(perMinute, left + (Math.max(0, now - at) * perMinute) / MINUTE_MS);

  return (caller) => {
    if (perMinute === 0) {
      return;
    }
    const now = clock.now().getTime();
    const left = leftOf(allowances.get(caller) ?? { left: perMinute, at: now }, now);
    if (left < 1) {
      const seconds = Math.max(1, Math.ceil(((1 - left) * MINUTE_MS) / perMinute / 1_000));
      throw new AppError({
        code: "rate_limited",
        status: 429,
        message: `This token has made its ${perMinute} calls of the minute; call again in ${seconds} s.`,
        headers: { "retry-after": String(seconds) },
      });
    }
    if (allowances.size >= REMEMBERED) {
      for (const [name, allowance] of allowances) {
        if (leftOf(allowance, now) >= perMinute) {
          allowances.delete(name);
        }
      }
    }
    allowances.set(caller, { left: left - 1, at: now });
  };
}
