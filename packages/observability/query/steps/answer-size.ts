/** The first of the items that together are no more than so many bytes of JSON, and the first one in any case. */
export function takeWhileLight<Item>(items: readonly Item[], bytes: number): readonly Item[] {
  let left = bytes;
  const heavy = items.findIndex((item, index) => {
    left -= countBytes(item) + 1;
    return left < 0 && index > 0;
  });
  return heavy === -1 ? items : items.slice(0, heavy);
}

/** Counts the bytes of the value as JSON in UTF-8. */
export function countBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
