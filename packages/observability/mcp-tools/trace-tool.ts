import type { z } from "zod";
import type { Query } from "#schema.ts";
import type { Reader } from "#store/reader.ts";

/** Who calls a tool, how long each form of the answer may be, and when nobody waits for it any more. */
export type ToolCall = {
  readonly person: { readonly tenantId: string; readonly userId: string };
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly countTokens: (text: string) => number;
  /** The beginning of a text that has so many tokens. */
  readonly takeTokens: (text: string, limit: number) => string;
};

export type ToolAnswer = { readonly text: string; readonly structured: Record<string, unknown> };

/** A tool for assistants, as the composition root hands it to whoever speaks their protocol. */
export type TraceTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly outputSchema: z.ZodObject;
  readonly answer: (given: unknown, call: ToolCall) => Promise<ToolAnswer>;
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
  readonly answer: (given: z.infer<Input>, reading: Reading) => Promise<ToolAnswer>;
};

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
