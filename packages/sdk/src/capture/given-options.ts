import { sdkState } from "../client/sdk-state.ts";

/**
 * What `read` takes out of an application's options. Undefined where there is no body to run or the options can't be read: an
 * application without types may hand over anything.
 */
export function readGiven<Given>(read: () => Given, body: unknown): Given | undefined {
  try {
    return typeof body === "function" ? read() : undefined;
  } catch {
    return undefined;
  }
}

/** Runs what of the two is a function, unrecorded, and says so. */
export function runUnrecorded<T>(entrance: string, options: unknown, body: () => T): T {
  sdkState.publisher?.warn(
    "options",
    `${entrance}() takes an object with a name, and a function; without both the application's work goes on, unrecorded`,
  );
  const work: unknown = typeof body === "function" ? body : options;
  return (typeof work === "function" ? work() : undefined) as T;
}
