import { z } from "zod";
import { symbolKindSchema, type FoundSymbol } from "#contract.ts";
import { findSymbols } from "#retrieval/symbols/find-symbol.ts";
import { createPlaces, fitPage, renderPage } from "#mcp/kit/fit.ts";
import { cursorField, defineTool, positionField, textField, whereFields } from "#mcp/kit/tool.ts";

const OVERHEAD_TOKENS = 150;

export const findSymbolTool = defineTool({
  name: "find_symbol",
  title: "Find a definition",
  description: `Find where a function, class, field or other symbol is defined, by its name: path, lines and signature.
Exact names come first; otherwise other case, then names that begin with it. Use search when you don't know the name, find_references for its uses.`,
  inputSchema: z.strictObject({
    name: textField(500, "Such as parseConfig, or inside of something: Server.start."),
    kind: symbolKindSchema.optional().describe("Only of this kind."),
    ...whereFields,
    position: positionField,
    limit: z.int().min(1).max(200).default(20).describe("Definitions at the most."),
    cursor: cursorField,
  }),
  answer: async (request, { database, finder, access, maxTokens }) => {
    const found = await findSymbols({ database, finder }, access, request);
    const { symbols, total } = found;
    const placed = placeSymbols(symbols);
    const { shown, isCut, next, notes } = fitPage(placed, found, { maxTokens: maxTokens - OVERHEAD_TOKENS, render: (text) => text });
    const inAll = next !== null && !isCut ? [`${total} in all; go on with cursor.`] : [];
    return renderPage(shown, { next, notes: [...notes, ...inAll] });
  },
});

/** Definitions in two lines each. */
export function placeSymbols(symbols: readonly FoundSymbol[], placeOf = createPlaces()): readonly string[] {
  return symbols.map((symbol) => {
    const { start_line: start, end_line: end, kind, name, scope, signature, precision, reason } = symbol;
    const whole = scope === "" ? name : `${scope} › ${name}`;
    return `${placeOf(symbol)}:${start}-${end} ${kind} ${whole}${precision === "exact" ? " [exact]" : reason === null ? "" : ` [${reason}]`}\n  ${signature}`;
  });
}
