import type { Check, ValueCheck } from "#contract/checks.ts";

const MAX_SHOWN = 200;

/** A check in a few words: its name where it has none. */
export function describeCheck(check: Check): string {
  switch (check.type) {
    case "equals":
    case "contains":
    case "matches":
    case "schema":
      return describeValue(check, "output");
    case "tool": {
      const fitting = check.with === undefined ? "" : ` where ${describeValue(check.with, "arguments")}`;
      return `${check.tool} is called${describeTimes(check.at_least, check.at_most)}${fitting}${check.before === undefined ? "" : `, before ${check.before}`}`;
    }
    case "state":
      return `${check.path} of the state ${check.changed ? "changes" : "never changes"}`;
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

function describeValue(check: ValueCheck, whole: string): string {
  const value = check.path === "" ? whole : check.path;
  switch (check.type) {
    case "matches":
      return `${value} matches ${check.pattern}`.slice(0, MAX_SHOWN);
    case "schema":
      return `${value} fits a schema`;
    case "equals":
    case "contains":
      return `${value} ${check.type} ${showValue(check.value)}`;
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
export const showValue = (value: unknown) => JSON.stringify(value).slice(0, MAX_SHOWN);
