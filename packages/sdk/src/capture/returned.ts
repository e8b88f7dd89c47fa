import type { ObservationOutcome } from "./recorder.ts";
import { quietly } from "./loose-values.ts";

/** More than a recorded output holds. */
const MAX_VALUES = 10_000;

/** Notes the class of what would come back from JSON as something else, so that no replay answers by that. */
export function noteClass(outcome: ObservationOutcome): ObservationOutcome {
  const returned = outcome.status === "success" ? quietly(() => foreignClass(outcome.output)) : undefined;
  return returned === undefined ? outcome : { ...outcome, attributes: { returned, ...outcome.attributes } };
}

function foreignClass(output: unknown): string | undefined {
  const rest = [output];
  for (let count = 0; rest.length > 0 && count < MAX_VALUES; count += 1) {
    const value = rest.pop();
    if (Array.isArray(value)) {
      rest.push(...(value as unknown[]));
    } else if (typeof value === "object" && value !== null) {
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== null && prototype !== Object.prototype) {
        return value.constructor.name;
      }
      // What is undefined in an object is as good as not there.
      rest.push(...Object.values(value).filter((each) => each !== undefined));
    } else if (!(value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value))) {
      return typeof value;
    }
  }
  return undefined;
}
