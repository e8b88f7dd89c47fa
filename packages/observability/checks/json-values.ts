import { isExactNumber, isSameNumber } from "@sightline/foundation/exact-json";
import { isIncomplete, nameIncomplete } from "./name-incomplete.ts";

/** RFC 6901; undefined where nothing is. */
export function resolvePointer(value: unknown, pointer: string): unknown {
  let found = value;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) {
      found = /^(?:0|[1-9]\d*)$/.test(key) ? found[Number(key)] : undefined;
    } else {
      found = memberOf(found, key);
    }
  }
  return found;
}

export function isEqual(left: unknown, right: unknown): boolean {
  if (!isHolder(left) || !isHolder(right)) {
    return left === right || isSameNumber(left, right);
  }
  const [keys, others] = [Object.keys(left), Object.keys(right)];
  return (
    Array.isArray(left) === Array.isArray(right) &&
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(memberOf(left, key), memberOf(right, key)))
  );
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isExactNumber(value);
}

/** Whether a recorded value is whole at a pointer: neither it nor what it stands in was cut or masked. */
export function isKnown(value: unknown, pointer: string): boolean {
  const tokens = pointer.split("/");
  const isCut = tokens.some((_token, at) => isIncomplete(resolvePointer(value, tokens.slice(0, at + 1).join("/"))));
  return !isCut && nameIncomplete("", resolvePointer(value, pointer)).length === 0;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
