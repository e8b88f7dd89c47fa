import { MAX_VALUE_DEPTH, toText, type OtlpAttributes, type OtlpValue } from "./otlp-span.ts";

/** Reads attributes by the names that conventions give them, and remembers which were never read. */
export type AttributeReader = {
  /** The first of the names that has a text or a number. */
  readonly text: (...names: readonly string[]) => string | undefined;
  /** The first of the names that has a whole number of at least 0. */
  readonly count: (...names: readonly string[]) => number | undefined;
  /** The first of the names that is there; a text that is JSON is read. */
  readonly value: (...names: readonly string[]) => OtlpValue | undefined;
  /** The same as `value`, of one name that another field may read still. */
  readonly peek: (name: string) => OtlpValue | undefined;
  /** Collects what `prefix.0.role`, `prefix.0.content`, … spell out; undefined when no name begins so. */
  readonly tree: (prefix: string) => OtlpValue | undefined;
  /** All whose names begin with one of the prefixes. */
  readonly group: (...prefixes: readonly string[]) => Record<string, OtlpValue>;
  /** The attributes that no call has returned. */
  readonly rest: () => Record<string, OtlpValue>;
};

export function createAttributeReader(attributes: OtlpAttributes, readJson: JsonReader): AttributeReader {
  const used = new Set<string>();

  function first<Value>(names: readonly string[], read: (value: OtlpValue) => Value | undefined): Value | undefined {
    for (const name of names) {
      const given = attributes.get(name);
      const value = given === undefined ? undefined : read(given);
      if (value !== undefined) {
        used.add(name);
        return value;
      }
    }
    return undefined;
  }

  function begin(prefix: string): [name: string, value: OtlpValue][] {
    return [...attributes].filter(([name]) => name.startsWith(prefix));
  }

  return {
    text: (...names) => first(names, toText),
    count: (...names) => first(names, toCount),
    value: (...names) => first(names, readJson),
    peek: (name) => readJson(attributes.get(name) ?? null) ?? undefined,
    tree: (prefix) => {
      const entries = begin(`${prefix}.`);
      for (const [name] of entries) {
        used.add(name);
      }
      return entries.length === 0 ? undefined : toTree(entries.map(([name, value]) => [name.slice(prefix.length + 1).split("."), value]));
    },
    group: (...prefixes) => {
      const entries = prefixes.flatMap(begin);
      for (const [name] of entries) {
        used.add(name);
      }
      return Object.fromEntries(entries);
    },
    rest: () => Object.fromEntries([...attributes].filter(([name]) => !used.has(name))),
  };
}

/** Some instrumentations write numbers as texts. */
function toCount(value: OtlpValue): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
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
export function createJsonReader(most = MAX_JSON_ITEMS): JsonReader {
  let left = most;
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
      const parsed = JSON.parse(value) as OtlpValue;
      return depthOf(parsed) > MAX_VALUE_DEPTH ? value : parsed;
    } catch {
      return value;
    }
  };
}

/** Counts the brackets and commas outside of texts, an upper bound of the items; stops one beyond `most`. */
function countItems(json: string, most: number): number {
  let [items, isText] = [0, false];
  for (let index = 0; index < json.length && items <= most; index += 1) {
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
