/** Which part of an event a payload is, for a mask function that treats them differently. */
export type PayloadField = "input" | "output" | "error" | "reasoning" | "parameters" | "result" | "attributes" | "usage" | "comment";

/**
 * Replaces what must not leave the process. It gets a bounded copy of the payload, never the application's own object, after values of
 * secret keys were masked; secrets within texts are masked after it. When it throws or returns a promise, the whole payload is withheld.
 */
export type MaskFunction = (payload: unknown, field: PayloadField) => unknown;

export const MASKED = "[masked]";
export const WITHHELD = "[withheld: the mask function failed]";
