import { z } from "zod";
import { foundSymbolSchema, symbolKindSchema, type FoundSymbol } from "#contract.ts";
import { findSymbols } from "#retrieval/symbols/find-symbol.ts";
import { answerPage, fitPage } from "#mcp/kit/fit.ts";
import { defineTool, nextCursorField, pageFields, whereFields } from "#mcp/kit/tool.ts";

const OVERHEAD_TOKENS = 150;

export const findSymbolTool = defineTool({
  name: "find_symbol",
  title: "Find a definition",
  description: `Find where a function, class, type, constant or other symbol is defined, by its name: path, lines and signature of each definition.
Exact names come first; otherwise other case, then names that begin with it. Use search when you don't know the name, find_references for its uses.`,
  inputSchema: z.strictObject({
    name: z.string().min(1).max(500).describe("A name, such as parseConfig, or with what it is inside of: Server.start, Server::start."),
    kind: symbolKindSchema.optional().describe("Only definitions of this kind."),
    ...whereFields,
    limit: z.int().min(1).max(200).default(20).describe("Definitions at the most."),
    cursor: nextCursorField,
  }),
  outputSchema: z.object({
    symbols: z.array(foundSymbolSchema),
    total: z.int().describe("Definitions found, those on other pages too."),
    ...pageFields,
  }),
  answer: async (request, { database, access, maxTokens }) => {
    const found = await findSymbols(database, access, request);
    const { symbols, total } = found;
    const { shown, isCut, next, notes } = fitPage(symbols, found, { maxTokens: maxTokens - OVERHEAD_TOKENS, render: renderSymbol });
    const inAll = next !== null && !isCut ? [`${total} in all; go on with cursor.`] : [];
    return answerPage(shown.map(renderSymbol), { symbols: shown, total }, { next, notes: [...notes, ...inAll] });
  },
});

/** A definition in two lines. */
export function renderSymbol({ repo, commit, path, start_line: start, end_line: end, kind, name, scope, signature }: FoundSymbol): string {
  const whole = scope === "" ? name : `${scope} › ${name}`;
  return `${repo}@${commit} ${path}:${start}-${end} ${kind} ${whole}\n  ${signature}`;
}
