type Then = (fulfilled?: (value: unknown) => unknown, rejected?: (error: unknown) => unknown) => unknown;

/**
 * Listens to a result that comes later: a promise of any library, or a query that runs when it is awaited (Prisma, knex, Supabase,
 * Mongoose). The application keeps the very object, which is not made to run. False when the result is there already.
 */
export function whenAnswered(result: unknown, succeeded: (output: unknown) => void, failed: (error: unknown) => void): boolean {
  try {
    if (result instanceof Promise) {
      result.then(succeeded, failed);
      return true;
    }
    return isThenable(result) && watchThen(result, succeeded, failed);
  } catch {
    // A revoked proxy can't be asked what it is, and is a result like any other.
    return false;
  }
}

function isThenable(result: unknown): result is { then: Then } {
  return (
    (typeof result === "object" || typeof result === "function") && result !== null && typeof Reflect.get(result, "then") === "function"
  );
}

/** Its own `then` is asked when the application asks, as that is what starts a query. */
function watchThen(result: { then: Then }, succeeded: (output: unknown) => void, failed: (error: unknown) => void): boolean {
  const { then } = result;
  const value: Then = (fulfilled, rejected) =>
    Reflect.apply(then, result, [
      (output: unknown) => {
        succeeded(output);
        return typeof fulfilled === "function" ? fulfilled(output) : output;
      },
      (error: unknown) => {
        failed(error);
        if (typeof rejected === "function") {
          return rejected(error);
        }
        throw error;
      },
    ]);
  // oxlint-disable-next-line unicorn/no-thenable -- It is one already.
  return Reflect.defineProperty(result, "then", { value, configurable: true, writable: true });
}
