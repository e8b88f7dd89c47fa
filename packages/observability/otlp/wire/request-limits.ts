import { refusal } from "@sightline/foundation/errors";

/** Limits of a request, so that a small body cannot become a large heap. */
const MAX_SPANS = 20_000;
const MAX_ITEMS = 500_000;

/**
 * Counts what a request holds while it is read. Each function throws when the limit is exceeded: {@link AppError} 413.
 */
export type RequestLimits = {
  readonly countSpan: () => void;
  /** Values, events and links. */
  readonly countItem: () => void;
};

export function createRequestLimits(): RequestLimits {
  return { countSpan: createCounter("spans", MAX_SPANS), countItem: createCounter("events and values", MAX_ITEMS) };
}

/** A value in JSON is two objects and two commas. */
export function createJsonLimit(): () => void {
  return createCounter("events and values", 4 * MAX_ITEMS);
}

function createCounter(name: string, max: number): () => void {
  let counted = 0;
  return () => {
    counted += 1;
    if (counted > max) {
      const message = `The request holds more than ${max} ${name}; send smaller batches.`;
      throw refusal(413, "body_too_large", message);
    }
  };
}
