import type { Fetch } from "./send.ts";

declare global {
  /** What `public/before-app.js` asked for before the app was there. */
  var earlyRefresh: Promise<Response> | undefined;
}

/** Later, somebody may have logged in or out in another tab. */
const FRESH_MS = 10_000;

/** The refresh that is on its way already, which nobody can take twice. */
export function takeEarlyRefresh(): Promise<Response> | undefined {
  const early = globalThis.earlyRefresh;
  globalThis.earlyRefresh = undefined;
  return early;
}

/** A fetch whose first refresh of the session is answered by the early one, unless it is asked for much later. */
export function withEarlyRefresh(fetch: Fetch, early: Promise<Response> | undefined, clock: () => number = () => performance.now()): Fetch {
  const freshUntil = clock() + FRESH_MS;
  let unused = early;
  return (input, init) => {
    if (unused === undefined || !input.endsWith("/login/refresh")) {
      return fetch(input, init);
    }
    const answer = unused;
    unused = undefined;
    return clock() < freshUntil ? answer : fetch(input, init);
  };
}
