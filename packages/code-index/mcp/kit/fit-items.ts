import { countTokens } from "#tokens/count-tokens.ts";

type Fitting<Item> = {
  readonly maxTokens: number;
  /** An item as text; it is counted as data too, and the longer of both has to fit. */
  readonly render: (item: Item) => string;
  /** What of it is in the data; all of it when left out. */
  readonly dataOf?: (item: Item) => unknown;
};

/** As many items, from the first, as fit into a number of tokens in both forms of an answer; one at least, so that a list goes on. */
export function fitItems<Item>(items: readonly Item[], { maxTokens, render, dataOf = (item) => item }: Fitting<Item>): readonly Item[] {
  let left = maxTokens;
  const costOf = (item: Item) => Math.max(countTokens(render(item)), countTokens(JSON.stringify(dataOf(item)))) + 1;
  const overflowing = items.findIndex((item) => (left -= costOf(item)) < 0);
  return overflowing === -1 ? items : items.slice(0, Math.max(overflowing, 1));
}
