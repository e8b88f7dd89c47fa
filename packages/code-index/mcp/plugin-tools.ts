import type { McpServer } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { countTokens, takeTokens } from "#tokens/count-tokens.ts";
import { addTool, maxTokensSchema, tokensWithin, type ToolAnswer, type ToolContext } from "#mcp/kit/tool.ts";
import type { Person } from "#http/kit/request-tenant.ts";

/** What a guest's tool is called with: for whom, how long its answer may be in each of its forms, and when nobody waits for it any more. */
export type GuestCall = {
  readonly person: Person;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly countTokens: (text: string) => number;
  /** The beginning of a text that has so many tokens. */
  readonly takeTokens: (text: string, limit: number) => string;
};

/** A tool of another part: it only reads, and checks itself what the person may see. `max_tokens` is added to what it takes. */
export type GuestTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly outputSchema: z.ZodObject;
  readonly answer: (given: unknown, call: GuestCall) => Promise<ToolAnswer>;
};

/** Another part's tools on this endpoint; whoever puts the parts together knows both. */
export type Guest = {
  /** What the server's instructions say of the tools. */
  readonly instructions: string;
  readonly isOffered: () => Promise<boolean>;
  readonly tools: readonly GuestTool[];
};

type Welcome = { readonly guest: Guest; readonly person: Person };

export function addGuestTools(server: McpServer, context: ToolContext, { guest, person }: Welcome): void {
  for (const { inputSchema, answer, ...tool } of guest.tools) {
    addTool(server, context, {
      ...tool,
      inputSchema: inputSchema.extend({ max_tokens: maxTokensSchema }),
      answer: ({ max_tokens: maxTokens, ...given }, { signal }) =>
        answer(given, { person, signal, maxTokens: tokensWithin(maxTokensSchema.parse(maxTokens)), countTokens, takeTokens }),
    });
  }
}
