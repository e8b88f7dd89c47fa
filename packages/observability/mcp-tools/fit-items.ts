import type { ToolCall } from "./trace-tool.ts";

type Fitting<Item> = {
  readonly call: Pick<ToolCall, "countTokens">;
  readonly maxTokens: number;
  /** An item as text; it is counted as data too, and the longer of both has to fit. */
  readonly render: (item: Item) => string;
};

/** As many items, from the first, as fit into a number of tokens in both forms of an answer; one at least. */
export function fitItems<Item>(items: readonly Item[], { call, maxTokens, render }: Fitting<Item>): readonly Item[] {
  let left = maxTokens;
  const overflowing = items.findIndex((item) => (left -= costOf(item, { call, render })) < 0);
  return overflowing === -1 ? items : items.slice(0, Math.max(overflowing, 1));
}

/** Tokens of the longer of an item's two forms. */
export function costOf<Item>(item: Item, { call, render }: Pick<Fitting<Item>, "call" | "render">): number {
  return Math.max(call.countTokens(render(item)), call.countTokens(JSON.stringify(item))) + 1;
}
