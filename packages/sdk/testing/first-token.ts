import { expect } from "vitest";

/** How long a test's server waits before the first chunk with content, and again before the next. */
export const FIRST_TOKEN_MS = 80;

/** The call's first chunk came at once but held nothing; the first with content came later. */
export function expectTimeToFirstToken(end: Readonly<Record<string, unknown>>): void {
  const time = end["time_to_first_token_ms"];
  expect(time).toSatisfy(Number.isInteger);
  // Timers of Node may be early by a millisecond.
  expect(time).toBeGreaterThanOrEqual(FIRST_TOKEN_MS - 2);
  expect(time).toBeLessThanOrEqual(Math.ceil(Number(end["duration_ms"])));
}
