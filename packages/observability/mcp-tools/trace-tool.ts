import type { z } from "zod";
import type { Query } from "#schema.ts";
import type { Reader } from "#store/reader.ts";

/** Who calls a tool, how long the answer may be, and when nobody waits for it any more. */
export type ToolCall = {
  readonly person: { readonly tenantId: string; readonly userId: string };
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly countTokens: (text: string) => number;
  /** The beginning of a text that has so many tokens. */
  readonly takeTokens: (text: string, limit: number) => string;
};

/** A tool for assistants, whose answer is a text: whatever a client shows of it has the guards of what was recorded. The shape is that in which the composition root hands it to whoever speaks their protocol. */
export type TraceTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly answer: (given: unknown, call: ToolCall) => Promise<string>;
};

/** What a tool reads by: everything it finds is what `reader` may see. */
export type Reading = {
  readonly query: Query;
  readonly reader: Reader;
  readonly now: Date;
  readonly call: ToolCall;
};

/** A tool before it knows its database. */
export type ToolDefinition<Input extends z.ZodObject> = Omit<TraceTool, "inputSchema" | "answer"> & {
  /** It may have to count traces before it lists them, so it cannot read from a transaction that writes nothing. */
  readonly countsFirst?: true;
  readonly inputSchema: Input;
  readonly answer: (given: z.infer<Input>, reading: Reading) => Promise<string>;
};

type Fitting<Item> = {
  readonly call: Pick<ToolCall, "countTokens">;
  readonly maxTokens: number;
  readonly render: (item: Item) => string;
};

/** As many items, from the first, as fit into a number of tokens; one at least. */
export function fitItems<Item>(items: readonly Item[], { call, maxTokens, render }: Fitting<Item>): readonly Item[] {
  let left = maxTokens;
  const overflowing = items.findIndex((item) => (left -= costOf(item, { call, render })) < 0);
  return overflowing === -1 ? items : items.slice(0, Math.max(overflowing, 1));
}

/** Tokens of an item and the line's end. */
export function costOf<Item>(item: Item, { call, render }: Pick<Fitting<Item>, "call" | "render">): number {
  return call.countTokens(render(item)) + 1;
}
