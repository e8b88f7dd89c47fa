import type { Check } from "#contract/checks.ts";
import type { Json } from "#contract/parts.ts";

const MAX_SHOWN = 200;

/** A check in a few words: its name where it has none. */
export function describeCheck(check: Check): string {
  switch (check.type) {
    case "equals":
    case "contains":
      return `${nameValue(check.path)} ${check.type} ${showValue(check.value)}`;
    case "matches":
      return `${nameValue(check.path)} matches ${check.pattern}`.slice(0, MAX_SHOWN);
    case "schema":
      return `${nameValue(check.path)} fits a schema`;
    case "tool":
      return `${check.tool} is called${describeTimes(check.at_least, check.at_most)}${check.before === undefined ? "" : `, before ${check.before}`}`;
    case "edge":
      return `${check.from} → ${check.to} is ${check.taken ? "taken" : "never taken"}`;
    case "limit":
      return `${check.of} ≤ ${check.at_most}`;
    case "succeeds":
      return "ends without an error";
    default:
      return check satisfies never;
  }
}

function describeTimes(atLeast: number, atMost: number | undefined): string {
  if (atMost === undefined) {
    return atLeast === 1 ? "" : ` ≥ ${atLeast} times`;
  }
  return atMost === 0 ? " never" : atLeast === atMost ? ` ${atMost} times` : ` ${atLeast} to ${atMost} times`;
}

/** A value as it stands in a sentence. */
export const showValue = (value: Json) => JSON.stringify(value).slice(0, MAX_SHOWN);
const nameValue = (path: string) => (path === "" ? "output" : path);
