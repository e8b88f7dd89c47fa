import type { Library } from "./library.ts";

/** What the measuring loop itself takes. */
export function open(): Promise<Library> {
  return Promise.resolve({ trace: (work) => work(), call: () => undefined, close: () => Promise.resolve() });
}
