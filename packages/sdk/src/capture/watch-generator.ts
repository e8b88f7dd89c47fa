/** How a call ended: with what it gave, or yielded until then. */
export type CallEnd = {
  readonly status: "success" | "failure" | "interrupted";
  readonly output?: unknown;
  readonly error?: unknown;
  readonly attributes?: { readonly cancelled: true };
};

type Method = (...inputs: unknown[]) => unknown;
type Generating = { readonly [Name in (typeof STEPS)[number]]: Method };

const STEPS = ["next", "return", "throw"] as const;

/** The most items that are kept of what it yields. */
const MAX_ITEMS = 1_000;

/**
 * Listens to a generator, whose body runs only when it is asked for an item, and by `inside` then. The application keeps the very object.
 * False when the result is none.
 */
export function watchGenerator(result: unknown, inside: <T>(step: () => T) => T, end: (how: CallEnd) => void): boolean {
  if (!isGenerator(result)) {
    return false;
  }
  const output: unknown[] = [];
  for (const name of STEPS) {
    const step = result[name];
    const failed = (error: unknown): never => {
      end({ status: "failure", error, output });
      throw error;
    };
    const passed = (given: unknown): unknown => {
      const { done, value } = given as IteratorResult<unknown>;
      if (done === true) {
        end(name === "return" ? { status: "interrupted", output, attributes: { cancelled: true } } : { status: "success", output });
      } else if (output.length < MAX_ITEMS) {
        output.push(value);
      }
      return given;
    };
    const value: Method = (...inputs) => {
      let given: unknown;
      try {
        given = inside(() => Reflect.apply(step, result, inputs));
      } catch (error) {
        return failed(error);
      }
      return given instanceof Promise ? given.then(passed, failed) : passed(given);
    };
    Object.defineProperty(result, name, { value, configurable: true, writable: true });
  }
  return true;
}

function isGenerator(result: unknown): result is Generating {
  try {
    return typeof result === "object" && result !== null && /^\[object (?:Async)?Generator\]$/.test(Object.prototype.toString.call(result));
  } catch {
    // A revoked proxy can't be asked what it is.
    return false;
  }
}
