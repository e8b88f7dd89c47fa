import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { foundSymbolSchema, symbolKindSchema, type FoundSymbol } from "#contract.ts";
import { findSymbols } from "#retrieval/symbols/find-symbol.ts";
import { fitItems } from "#mcp/kit/fit.ts";
import {
  langField,
  pathField,
  refField,
  repoField,
  addTool,
  maxTokensSchema,
  tokensWithin,
  type ToolAnswer,
  type ToolContext,
} from "#mcp/kit/tool.ts";

const inputSchema = z.strictObject({
  name: z.string().min(1).max(500).describe("A name, such as parseConfig, or with what it is inside of: Server.start, Server::start."),
  kind: symbolKindSchema.optional().describe("Only definitions of this kind."),
  repo: repoField,
  path: pathField,
  lang: langField,
  ref: refField,
  limit: z.int().min(1).max(200).default(20).describe("Definitions at the most."),
  cursor: z.string().min(1).max(2_000).optional().describe("next_cursor of the answer before, to go on."),
  max_tokens: maxTokensSchema,
});

const outputSchema = z.object({
  symbols: z.array(foundSymbolSchema),
  total: z.int().describe("Definitions found, those on other pages too."),
  next_cursor: z.string().nullable(),
  notes: z.array(z.string()),
});

const DESCRIPTION = `Find where a function, class, type, constant or other symbol is defined, by its name: path, lines and signature of each definition.
Exact names come first; otherwise other case, then names that begin with it. Use search when you don't know the name, find_references for its uses.`;

export function addFindSymbolTool(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: "find_symbol",
    title: "Find a definition",
    description: DESCRIPTION,
    inputSchema,
    outputSchema,
    answer: async ({ max_tokens: maxTokens, ...request }, { database, access }) =>
      answerSymbols(await findSymbols(database, access, request), tokensWithin(maxTokens)),
  });
}

const OVERHEAD_TOKENS = 150;

function answerSymbols({ symbols, total, ...found }: Awaited<ReturnType<typeof findSymbols>>, maxTokens: number): ToolAnswer {
  const shown = fitItems(symbols, { maxTokens: maxTokens - OVERHEAD_TOKENS, render: renderSymbol });
  const isCut = shown.length < symbols.length;
  const next = isCut ? found.cursorAfter(shown.length) : found.next_cursor;
  const notes = [
    ...found.notes,
    ...(isCut
      ? [`Cut to max_tokens: ${shown.length} of ${symbols.length} shown; go on with cursor, or ask with a larger max_tokens.`]
      : []),
    ...(next !== null && !isCut ? [`${total} in all; go on with cursor.`] : []),
  ];
  return {
    text: [...shown.map(renderSymbol), ...notes, ...(next === null ? [] : [`cursor: ${next}`])].join("\n"),
    structured: { symbols: shown, total, next_cursor: next, notes },
  };
}

/** A definition in two lines. */
export function renderSymbol({ repo, commit, path, start_line: start, end_line: end, kind, name, scope, signature }: FoundSymbol): string {
  const whole = scope === "" ? name : `${scope} › ${name}`;
  return `${repo}@${commit} ${path}:${start}-${end} ${kind} ${whole}\n  ${signature}`;
}
