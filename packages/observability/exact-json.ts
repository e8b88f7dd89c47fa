/** A whole number of so many digits that JavaScript may not hold it, or one with an exponent beyond it. Most texts have none. */
const MAY_BE_UNHELD = /(?<![\d.])\d{16,}(?![\d.eE])|[eE]\+?\d{3}/;

/**
 * Reads JSON. Numbers that JavaScript can't hold, whole ones beyond 2^53 and those beyond 1.8e308, are kept as the texts of their digits:
 * an id of another system would be another id, and 1e400 nothing.
 */
export function parseExactly(json: string): unknown {
  return MAY_BE_UNHELD.test(json) ? JSON.parse(json, keepDigits) : JSON.parse(json);
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) {
    return value;
  }
  const isHeld = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source));
  return isHeld ? value : context.source;
}
