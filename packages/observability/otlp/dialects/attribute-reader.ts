import { parseExactly, toNumber } from "@sightline/foundation/exact-json";
import { MAX_VALUE_DEPTH, toText, type OtlpAttributes, type OtlpValue } from "#otlp/wire/otlp-span.ts";

export type AttributeReader = ReturnType<typeof createAttributeReader>;

/** Reads attributes by the names that dialects give them, and remembers which were never read. */
export function createAttributeReader(attributes: OtlpAttributes, readJson: JsonReader) {
  const used = new Set<string>();
  const hidden = new Set<string>();
  const peeked = new Map<string, OtlpValue | undefined>();

  function first<Value>(names: readonly string[], read: (value: OtlpValue) => Value | undefined): Value | undefined {
    for (const name of names) {
      const given = hidden.has(name) ? undefined : attributes.get(name);
      const value = given === undefined ? undefined : read(given);
      if (value !== undefined) {
        used.add(name);
        return value;
      }
    }
    return undefined;
  }

  function take(prefix: string): [name: string, value: OtlpValue][] {
    const entries = [...attributes].filter(([name]) => name.startsWith(prefix) && !hidden.has(name));
    for (const [name] of entries) {
      used.add(name);
    }
    return entries;
  }

  return {
    readJson,
    /** The first of the names with a value that `read` can read. */
    first,
    /** The text or number of an attribute. */
    text: (name: string) => first([name], toText),
    /** The value of an attribute; a text that is JSON is read. */
    value: (name: string) => first([name], readJson),
    /** Reads like `value`, also where it is hidden, and another fact may be read from it still. */
    peek: (name: string): OtlpValue | undefined => {
      if (!peeked.has(name)) {
        peeked.set(name, readJson(attributes.get(name) ?? null) ?? undefined);
      }
      return peeked.get(name);
    },
    /** Collects what `prefix.0.role`, `prefix.0.content`, … spell out; undefined when no name begins so. */
    tree: (prefix: string): OtlpValue | undefined => {
      const entries = take(`${prefix}.`);
      return entries.length === 0 ? undefined : toTree(entries.map(([name, value]) => [name.slice(prefix.length + 1).split("."), value]));
    },
    /** All whose names begin so. */
    group: (prefix: string): Readonly<Record<string, OtlpValue>> => Object.fromEntries(take(prefix)),
    /** Hides attributes from all but `peek`. */
    hide: (names: readonly string[]) => names.forEach((name) => hidden.add(name)),
    /** The attributes that are not hidden and that no call but `peek` has returned. */
    rest: () => Object.fromEntries([...attributes].filter(([name]) => !used.has(name) && !hidden.has(name))),
  };
}

/** Some instrumentations write numbers as texts. */
export function toCount(value: OtlpValue): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : toNumber(value);
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Reads a text that is JSON; everything else stays as it is. */
export type JsonReader = (value: OtlpValue) => OtlpValue;

/** The most JSON items that are read from all texts of one request. */
const MAX_JSON_ITEMS = 1_000_000;

/**
 * Attributes hold no objects in most libraries, so they hold their JSON. What only looks like it stays the text it is, and so
 * does what a request holds beyond a million items: thirty kilobytes on the wire may unpack to ten million objects.
 */
export function createJsonReader(max = MAX_JSON_ITEMS): JsonReader {
  let left = max;
  return (value) => {
    if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) {
      return value;
    }
    const items = countItems(value, left);
    if (items > left) {
      return value;
    }
    left -= items;
    try {
      const parsed = parseExactly(value) as OtlpValue;
      return depthOf(parsed) > MAX_VALUE_DEPTH ? value : parsed;
    } catch {
      return value;
    }
  };
}

/** Counts the brackets and commas outside of texts, an upper bound of the items; stops one beyond `most`. */
function countItems(json: string, max: number): number {
  let [items, isText] = [0, false];
  for (let index = 0; index < json.length && items <= max; index += 1) {
    const letter = json[index];
    if (letter === '"') {
      isText = !isText;
    } else if (isText) {
      index += letter === "\\" ? 1 : 0;
    } else if (letter === "{" || letter === "[" || letter === ",") {
      items += 1;
    }
  }
  return items;
}

function depthOf(value: OtlpValue): number {
  let level: readonly OtlpValue[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= MAX_VALUE_DEPTH) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    depth += 1;
  }
  return depth;
}

type Path = readonly string[];

/** An object whose names are all numbers is a list, in the order of the numbers, however large they are. */
function toTree(entries: readonly (readonly [path: Path, value: OtlpValue])[]): OtlpValue {
  const leaf = entries.find(([path]) => path.length === 0 || path.length > MAX_VALUE_DEPTH);
  if (leaf !== undefined) {
    return leaf[1];
  }
  const groups = [...Map.groupBy(entries, ([[name = ""]]) => name)].map(
    ([name, below]) => [name, toTree(below.map(([path, value]) => [path.slice(1), value]))] as const,
  );
  const isList = groups.every(([name]) => /^\d{1,15}$/.test(name));
  return isList
    ? groups.toSorted(([left], [right]) => Number(left) - Number(right)).map(([, value]) => unwrap(value))
    : Object.fromEntries(groups);
}

/** OpenInference names an item's kind once more: `llm.input_messages.0.message.role`. */
const WRAPPERS = new Set(["message", "tool_call", "message_content", "document", "embedding", "tool"]);

function unwrap(item: OtlpValue): OtlpValue {
  const [only, ...others] = typeof item === "object" && item !== null && !Array.isArray(item) ? Object.entries(item) : [];
  return only !== undefined && others.length === 0 && WRAPPERS.has(only[0]) ? only[1] : item;
}
