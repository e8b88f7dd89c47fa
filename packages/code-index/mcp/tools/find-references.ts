import { z } from "zod";
import { useKindSchema, type FoundReference } from "#contract.ts";
import { findReferences } from "#retrieval/symbols/find-references.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { createPlaces, fitItems, fitPage, renderPage } from "#mcp/kit/fit.ts";
import { placeSymbols } from "./find-symbol.ts";
import { cursorField, defineTool, positionField, textField, whereFields } from "#mcp/kit/tool.ts";

export const findReferencesTool = defineTool({
  name: "find_references",
  title: "Find uses of a symbol",
  description: `Find every use of a name: calls, imports, types, reads and writes, with line, text and the function each is in.
What is nearest to the definition comes first, tests and vendored copies last. Names decide; exact ones are certain.`,
  inputSchema: z.strictObject({
    symbol: textField(500, "Such as parseConfig, or inside of something: Server.start."),
    ...whereFields,
    position: positionField,
    all: z.boolean().default(false).describe("Also definitions, strings, comments, files without a grammar."),
    kind: z.enum(["implementation"]).optional().describe("Only what extends or implements it."),
    limit: z.int().min(1).max(200).default(50).describe("Uses at the most."),
    cursor: cursorField,
  }),
  answer: async (request, { database, memory, access, finder, grepLimit, maxTokens }) =>
    answerReferences(await findReferences({ database, memory, finder, limit: grepLimit }, access, request), {
      isAll: request.all,
      maxTokens,
    }),
});

const OVERHEAD_TOKENS = 150;
const DEFINITIONS = 5;

type Answering = { readonly isAll: boolean; readonly maxTokens: number };

function answerReferences(found: Awaited<ReturnType<typeof findReferences>>, { isAll, maxTokens }: Answering): string {
  const { references, counts, total, precisions, files_total: filesTotal, definitions_total: definitionsTotal } = found;
  const placeOf = createPlaces();
  const placed = placeSymbols(found.definitions.slice(0, DEFINITIONS), placeOf);
  const definitions = fitItems(placed, { maxTokens: maxTokens / 4, render: (text) => text });
  const kinds = useKindSchema.options.flatMap((kind) => (counts[kind] === 0 ? [] : [`${counts[kind]} ${kind}`])).join(", ");
  const lines = total ?? `at least ${useKindSchema.options.reduce((sum, kind) => sum + counts[kind], 0)}`;
  const told = precisions === null ? "" : `: ${precisions.exact} exact, ${precisions.name} by name`;
  const unlisted =
    counts.text > 0 && !isAll ? [`${counts.text} lines have it in strings, comments or files without a grammar; all lists them.`] : [];
  const head = [
    `Defined (${definitionsTotal}):`,
    ...definitions,
    ...(definitions.length < definitionsTotal ? [`and ${definitionsTotal - definitions.length} more, which find_symbol lists`] : []),
    `Used (${lines} lines in ${filesTotal} files${told}${kinds === "" ? "" : `; all lines with the name: ${kinds}`}):`,
  ];
  const { shown, ...going } = fitPage(renderUses(references, { placeOf, isMixed: precisions !== null }), found, {
    maxTokens: maxTokens - OVERHEAD_TOKENS - countTokens(head.join("\n")),
    render: (text) => text,
    advice: "name a path",
  });
  return renderPage([...head, ...shown], { ...going, notes: [...unlisted, ...going.notes] });
}

/** Where nothing is exact it goes without saying that all is by name. */
type Rendering = { readonly placeOf: ReturnType<typeof createPlaces>; readonly isMixed: boolean };

/** Each use in a line, the first of a file with the file's name. */
function renderUses(references: readonly FoundReference[], { placeOf, isMixed }: Rendering): readonly string[] {
  return references.map((reference, index) => {
    const before = references[index - 1];
    const isSame = before?.repo === reference.repo && before.path === reference.path;
    const { line, text, kind, within, precision } = reference;
    const how = `${precision === "exact" ? "exact " : isMixed ? "by name " : ""}${kind}${within === null ? "" : ` in ${within}`}`;
    return `${isSame ? "" : `${placeOf(reference)}\n`}  ${line}: ${text.trim()}  [${how}]`;
  });
}
