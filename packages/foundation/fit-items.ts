type Fitting<Item> = {
  readonly maxTokens: number;
  readonly render: (item: Item) => string;
  readonly countTokens: (text: string) => number;
};

/** The first items that fit into a number of tokens; at least one, so that paging makes progress. */
export function fitItems<Item>(items: readonly Item[], { maxTokens, ...counting }: Fitting<Item>): readonly Item[] {
  let left = maxTokens;
  const overflowing = items.findIndex((item) => (left -= countItem(item, counting)) < 0);
  return overflowing === -1 ? items : items.slice(0, Math.max(overflowing, 1));
}

/** Tokens of an item and the end of its line. */
export function countItem<Item>(item: Item, { render, countTokens }: Omit<Fitting<Item>, "maxTokens">): number {
  return countTokens(render(item)) + 1;
}
