import { isExactNumber } from "@sightline/foundation/exact-json";

/** How a value is read best: as a text, as names with a short value each, or as the tree that it is. */
export type Readable =
  | { readonly as: "text"; readonly text: string }
  | { readonly as: "pairs"; readonly pairs: readonly Pair[] }
  | { readonly as: "json"; readonly value: object };

export type Pair = { readonly name: string; readonly text: string; readonly isData: boolean };

const MAX_PAIRS = 16;
/** Characters of what is no text beside its name. */
const MAX_DATA = 160;
const MAX_INNER = 6;
const MAX_TEXT = 20_000;

export function readableValue(value: unknown): Readable {
  if (typeof value === "string") {
    return { as: "text", text: value };
  }
  if (typeof value !== "object" || value === null || isExactNumber(value)) {
    return { as: "text", text: JSON.stringify(value) ?? "" };
  }
  const pairs = Array.isArray(value) ? undefined : pairsOf(value);
  return pairs === undefined ? { as: "json", value } : { as: "pairs", pairs };
}

function pairsOf(value: object): readonly Pair[] | undefined {
  const pairs = Object.entries(value).flatMap(([name, item]: [string, unknown]) =>
    isFewPlain(item)
      ? Object.entries(item).map(([inner, plain]: [string, unknown]) => pairOf(`${name}.${inner}`, plain))
      : [pairOf(name, item)],
  );
  const isShort = pairs.every(({ text, isData }) => text.length <= (isData ? MAX_DATA : MAX_TEXT));
  return pairs.length > 0 && pairs.length <= MAX_PAIRS && isShort ? pairs : undefined;
}

/** An object of a few names that need none of JSON's brackets to be read, such as metadata. */
function isFewPlain(item: unknown): item is object {
  if (typeof item !== "object" || item === null || Array.isArray(item) || isExactNumber(item)) {
    return false;
  }
  const inner: unknown[] = Object.values(item);
  return (
    inner.length > 0 &&
    inner.length <= MAX_INNER &&
    inner.every((plain) => typeof plain !== "object" || plain === null || isExactNumber(plain))
  );
}

function pairOf(name: string, item: unknown): Pair {
  return typeof item === "string" ? { name, text: item, isData: false } : { name, text: JSON.stringify(item) ?? "", isData: true };
}
