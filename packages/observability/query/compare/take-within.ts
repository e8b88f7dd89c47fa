/** The first items, as many as their number and the bytes they have as JSON allow; of items there are, one at the least. */
export function takeWithin<Item>(items: readonly Item[], { count, bytes }: { readonly count: number; readonly bytes: number }): Item[] {
  const taken: Item[] = [];
  let used = 0;
  for (const item of items.slice(0, count)) {
    used += Buffer.byteLength(JSON.stringify(item));
    if (used > bytes && taken.length > 0) {
      break;
    }
    taken.push(item);
  }
  return taken;
}
