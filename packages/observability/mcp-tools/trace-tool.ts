import type { Logger } from "@sightline/foundation/log";
import type { z } from "zod";
import type { Query } from "#schema.ts";
import type { Reader } from "#store/reader.ts";

/** The call of a tool: its caller, how long the answer may be, and when nobody waits for it any more. */
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
  /** It adds something; called again with the same, nothing more. */
  readonly isAdding?: true;
  /** The fields of its input, at any depth, that hold values of an application, whose numbers are taken as they were written. */
  readonly exactValues?: ReadonlySet<string>;
  readonly answer: (given: unknown, call: ToolCall) => Promise<string>;
};

/** What a tool reads by: everything it finds is what `reader` may see. */
export type Reading = {
  readonly query: Query;
  readonly reader: Reader;
  readonly now: Date;
  readonly log: Logger;
  readonly call: ToolCall;
};

/** A tool before it knows its database. */
export type ToolDefinition<Input extends z.ZodObject> = Omit<TraceTool, "inputSchema" | "answer"> & {
  /** It may have to count traces before it lists them, so it cannot read from a transaction that writes nothing. */
  readonly countsFirst?: true;
  readonly inputSchema: Input;
  readonly answer: (given: z.infer<Input>, reading: Reading) => Promise<string>;
};
