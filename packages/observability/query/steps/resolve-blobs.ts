import { isExactNumber } from "@sightline/foundation/exact-json";
import { hashReferredTo } from "#store/blob-reference.ts";
import type { Blob } from "./blobs.store.ts";

type Parts = {
  readonly value: unknown;
  readonly attributes: Record<string, unknown> | null;
  readonly tool_entry: { parameters: unknown; result: unknown } | null;
};
type Find = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Blob>>;

/** Contents asked for in one answer. */
const MAX_HASHES = 20_000;
/** Characters put in the places of references, each as often as it is referred to. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Puts contents in the places of `{"$blob": "<sha256>"}`. One that is not there stays a reference with `missing`; when
 * there are more than `charactersMax` of them, the rest stay with `truncated`. What stands in a content is taken as it is. An
 * application's own key `$blob` travels as `$$blob`.
 */
export async function resolveBlobs<Row extends Parts>(
  rows: readonly Row[],
  find: Find,
  charactersMax = MAX_CHARACTERS,
): Promise<readonly Row[]> {
  const hashes = new Set<string>();
  for (const { value, attributes, tool_entry: entry } of rows) {
    for (const part of [value, attributes, entry?.parameters, entry?.result]) {
      replace(part, (hash) => (hashes.size < MAX_HASHES ? hashes.add(hash) : hash));
    }
  }
  const blobs = hashes.size === 0 ? new Map<string, Blob>() : await find([...hashes]);
  let left = charactersMax;

  function contentOf(hash: string): unknown {
    const blob = blobs.get(hash);
    if (blob === undefined) {
      return { $blob: hash, [hashes.has(hash) ? "missing" : "truncated"]: true };
    }
    if (blob.characters > left) {
      return { $blob: hash, truncated: true, characters: blob.characters };
    }
    left -= blob.characters;
    return blob.content;
  }

  return rows.map((row) => ({
    ...row,
    value: replace(row.value, contentOf),
    attributes: row.attributes === null ? null : fromEntries(row.attributes, contentOf),
    tool_entry:
      row.tool_entry === null
        ? null
        : {
            ...row.tool_entry,
            parameters: replace(row.tool_entry.parameters, contentOf),
            result: replace(row.tool_entry.result, contentOf),
          },
  }));
}

/** No deeper than the intake lets values be. */
function replace(value: unknown, contentOf: (hash: string) => unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => replace(item, contentOf));
  }
  if (typeof value !== "object" || value === null || isExactNumber(value)) {
    return value;
  }
  const hash = hashReferredTo(value);
  return hash === undefined ? fromEntries(value, contentOf) : contentOf(hash);
}

function fromEntries(value: object, contentOf: (hash: string) => unknown): Record<string, unknown> {
  // Object.fromEntries defines properties, so that a key named __proto__ stays data.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [key === "$$blob" ? "$blob" : key, replace(item, contentOf)]),
  );
}
