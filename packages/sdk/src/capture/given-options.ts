import { sdkState, warn } from "../client/sdk-state.ts";
import { quietly } from "./loose-values.ts";
import { kindOf, textOf, TEXTS } from "../settings/text-of.ts";

/**
 * What `read` takes out of an application's options. Undefined where there is no body to run or nothing to read from: an application
 * without types may hand over anything.
 */
export function readGiven<Options, Given>(options: Options, read: (options: Options) => Given, body: unknown): Given | undefined {
  if (typeof body !== "function" || typeof options !== "object" || options === null) {
    return undefined;
  }
  try {
    return read(options);
  } catch {
    return quietly(() => read(fieldByField(options)));
  }
}

/** The same options, of which a field that can't be read leaves the others. */
function fieldByField<Options extends object>(options: Options): Options {
  const get = (_target: unknown, key: string | symbol): unknown => {
    try {
      return Reflect.get(options, key);
    } catch {
      return new Unreadable();
    }
  };
  return new Proxy<Options>(Object.create(null) as Options, { get });
}

/** In place of what can't be read, and as little to be read. */
class Unreadable {
  toJSON(): never {
    throw new Error(`${this.constructor.name} fields have no value`);
  }
}

/** What the traces of a graph or a chain are called; empty where nothing usable was given. */
export function readTraceName(options: { readonly traceName?: unknown } | undefined): string {
  const given = readGiven(options ?? {}, ({ traceName }) => ({ traceName }), readTraceName)?.traceName ?? "";
  const name = textOf(given);
  if (name === undefined) {
    warn("traceName", `traceName was ${kindOf(given)} and is left out; it takes ${TEXTS}`);
  }
  return name ?? "";
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
