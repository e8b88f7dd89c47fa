import { AppError } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LATE, within } from "#retrieval/leg.ts";
import type { SearchDependencies } from "#retrieval/search.ts";
import type { Access } from "#store/read-scope.store.ts";

/** What a tool works with; `access` is of the token of the very request that calls it. */
export type ToolContext = SearchDependencies & { readonly access: Access };

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

const CALL_MS = 15_000;

/** Tokens of an answer when the caller names no limit, and at the most. */
const DEFAULT_TOKENS = 2_000;
const MOST_TOKENS = 25_000;
const FEWEST_TOKENS = 200;

export const maxTokensSchema = z
  .int()
  .min(1)
  .default(DEFAULT_TOKENS)
  .describe(`How long the answer may be, in tokens: from ${FEWEST_TOKENS} to ${MOST_TOKENS}.`);

/** What was asked for, within what is given. */
export function tokensWithin(asked: number): number {
  return Math.min(Math.max(asked, FEWEST_TOKENS), MOST_TOKENS);
}

export type ToolAnswer = { readonly text: string; readonly structured: Record<string, unknown> };

/** Runs a tool's call within its time; what goes wrong comes back as a result that an assistant can act on. */
export async function callTool(log: Logger, name: string, work: () => Promise<ToolAnswer>): Promise<CallToolResult> {
  try {
    const answer = await within(work(), CALL_MS);
    if (answer === LATE) {
      return failure(`The call took longer than ${CALL_MS / 1000} s and was given up; name a repository or ask for less.`);
    }
    return { content: [{ type: "text", text: answer.text }], structuredContent: answer.structured };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) {
      return failure(error.message);
    }
    log.error({ err: error, tool: name }, "a tool call failed");
    return failure("The code index failed to answer; try again in a moment.");
  }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}
