import { asObject, type Values } from "../capture/loose-values.ts";

const UNSTABLE = ["id", "usage_metadata", "response_metadata", "additional_kwargs", "artifact", "invalid_tool_calls"];
/** Types of blocks, and entries of a message. */
const REASONING: ReadonlySet<unknown> = new Set(["thinking", "reasoning", "redacted_thinking", "reasoning_content"]);
/** Entries of a message that differ from run to run. */
const DROPPED: ReadonlySet<unknown> = new Set([...UNSTABLE, ...REASONING]);

/** A recorded value without ids, counts and reasoning of the messages in it, and with its keys in order. */
export function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !REASONING.has(asObject(item)["type"])).map(toComparable);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const isTyped = "type" in value || "role" in value;
  const isMessage = isTyped && "content" in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !(isMessage && DROPPED.has(key)) && !(isTyped && item === null))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, toComparable(item)]),
  );
}

/** The JSON pointer of the first place where two comparable values differ. */
export function firstDifference(recorded: unknown, given: unknown, path = ""): string {
  if (isHolder(recorded) && isHolder(given) && Array.isArray(recorded) === Array.isArray(given)) {
    const keys = Object.keys({ ...recorded, ...given });
    const place = (Array.isArray(given) ? keys : keys.toSorted()).find(
      (key) => JSON.stringify(recorded[key]) !== JSON.stringify(given[key]),
    );
    if (place !== undefined) {
      const below = `${path}/${place}`;
      return place in recorded && place in given ? firstDifference(recorded[place], given[place], below) : below;
    }
  }
  return path === "" ? "/" : path;
}

function isHolder(value: unknown): value is Values {
  return typeof value === "object" && value !== null;
}
