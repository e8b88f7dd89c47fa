declare global {
  interface JSON {
    rawJSON?(text: string): unknown;
  }
}

/** A number that JavaScript would write otherwise than it was sent, as `1.10`, `1e400`, `-0` or a whole one beyond 2^53: its text. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.rawJSON?.(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** A number that is perhaps written otherwise than JavaScript would: of many digits, with a last zero, an exponent, or as `-0`. */
const MAY_BE_ODD = /(?:^|[[:,\s])-?(?:[\d.]{16}|\d+\.\d*0(?!\d)|\d+(?:\.\d+)?[eE]|0\.0{6}|(?<=-)0(?![\d.]))/;

/**
 * Reads JSON so that `JSON.stringify` writes each number as it was sent: one that JavaScript holds or writes otherwise becomes an
 * {@link ExactNumber}.
 *
 * @param within The keys below which that is so; numbers elsewhere are numbers, for the program that reads them. Without it, everywhere.
 * @throws {SyntaxError}
 */
export function parseExactly(json: string, within?: ReadonlySet<string>): unknown {
  // Older browsers can't write one.
  if (!MAY_BE_ODD.test(json) || JSON.rawJSON === undefined) {
    return JSON.parse(json);
  }
  try {
    const value: unknown = JSON.parse(json, keepText);
    return within === undefined ? value : settle(value, within);
  } catch (error) {
    // A value that is nested so deep that the stack ends is for the reader to refuse.
    if (error instanceof RangeError) {
      return JSON.parse(json);
    }
    throw error;
  }
}

function keepText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source } = context ?? {};
  return typeof value === "number" && source !== undefined ? toExact(source) : value;
}

/** The number that a text is in JSON. */
export function toExact(text: string): number | ExactNumber {
  const number = Number(text);
  return String(number) === text ? number : new ExactNumber(text);
}

function settle(value: unknown, within: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (isExactNumber(value)) {
    return Number(value.text);
  }
  if (Array.isArray(value)) {
    return value.map((item) => settle(item, within));
  }
  // Object.fromEntries defines properties, so that a key named __proto__ stays data.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, within.has(key) ? item : settle(item, within)]));
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return value instanceof ExactNumber;
}

/** The number that JavaScript makes of it; any other value as it is. */
export function toNumber<Value>(value: Value): Value | number {
  return isExactNumber(value) ? Number(value.text) : value;
}

/** Whether two are the same number, however each is written: of those that JavaScript can't hold, whether they are written alike. */
export function isSameNumber(left: unknown, right: unknown): boolean {
  const [one, other] = [left, right].map((value) => (isExactNumber(value) ? value.text : typeof value === "number" ? String(value) : ""));
  return one !== "" && (one === other || (Number(one) === Number(other) && Math.abs(Number(one)) <= Number.MAX_SAFE_INTEGER));
}
