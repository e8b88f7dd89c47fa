import { z } from "zod";
import { foundReferenceSchema, foundSymbolSchema, useKindSchema, type FoundReference } from "#contract.ts";
import { findReferences } from "#retrieval/symbols/find-references.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { answerPage, fitItems, fitPage } from "#mcp/kit/fit.ts";
import { renderSymbol } from "./find-symbol.ts";
import { defineTool, nextCursorField, pageFields, whereFields, type ToolAnswer } from "#mcp/kit/tool.ts";

/** What all uses in a file have in common is said once. */
const fileSchema = foundReferenceSchema
  .pick({ repo: true, commit: true, path: true })
  .extend({ uses: z.array(foundReferenceSchema.pick({ line: true, text: true, kind: true, within: true })) });

const definitionSchema = foundSymbolSchema.omit({ ref: true, language: true, scope: true, signature: true });

export const findReferencesTool = defineTool({
  name: "find_references",
  title: "Find uses of a symbol",
  description: `Find every use of a name: calls, imports, types, reads and writes of functions, classes, fields or variables, with line, text and the function each is in.
What is nearest to the definition comes first, tests and vendored copies last. Names decide: two things of the same name are not told apart.`,
  inputSchema: z.strictObject({
    symbol: z.string().min(1).max(500).describe("A name, such as parseConfig, or with what it is inside of: Server.start."),
    ...whereFields,
    path: whereFields.path.describe("Only uses in these paths: part of the path; * stands for anything."),
    all: z
      .boolean()
      .default(false)
      .describe("List the lines too that define it, and those in strings, comments and files without a grammar."),
    limit: z.int().min(1).max(200).default(50).describe("Uses at the most."),
    cursor: nextCursorField,
  }),
  outputSchema: z.object({
    definitions: z.array(definitionSchema),
    definitions_total: z.int(),
    files: z.array(fileSchema),
    counts: z.record(useKindSchema, z.int()).describe("Lines that have the name, by what they do with it."),
    total: z.int().nullable().describe("Lines to list; null when not everything was looked at."),
    files_total: z.int(),
    ...pageFields,
  }),
  answer: async (request, { database, access, finder, grepLimit, maxTokens }) =>
    answerReferences(await findReferences({ database, finder, limit: grepLimit }, access, request), { isAll: request.all, maxTokens }),
});

const OVERHEAD_TOKENS = 150;
const DEFINITIONS = 5;

type Answering = { readonly isAll: boolean; readonly maxTokens: number };

function answerReferences(found: Awaited<ReturnType<typeof findReferences>>, { isAll, maxTokens }: Answering): ToolAnswer {
  const { references, counts, total, files_total: filesTotal, definitions_total: definitionsTotal } = found;
  const definitions = fitItems(found.definitions.slice(0, DEFINITIONS), { maxTokens: maxTokens / 4, render: renderSymbol });
  const left = maxTokens - OVERHEAD_TOKENS - definitions.reduce((sum, symbol) => sum + countTokens(renderSymbol(symbol)) + 20, 0);
  const { shown, ...going } = fitPage(withFileHeaders(references), found, {
    maxTokens: left,
    render: ({ fileHeader, ...use }) => `${fileHeader}${renderUse(use)}`,
    dataOf: ({ fileHeader, line, text, kind, within }) => [fileHeader, { line, text, kind, within }],
    advice: "name a path",
  });
  const files = byFile(shown);
  const kinds = useKindSchema.options.flatMap((kind) => (counts[kind] === 0 ? [] : [`${counts[kind]} ${kind}`])).join(", ");
  const lines = total ?? `at least ${useKindSchema.options.reduce((sum, kind) => sum + counts[kind], 0)}`;
  const unlisted =
    counts.text > 0 && !isAll ? [`${counts.text} lines have it in strings, comments or files without a grammar; all lists them.`] : [];
  return answerPage(
    [
      `Defined (${definitionsTotal}):`,
      ...definitions.map(renderSymbol),
      ...(definitions.length < definitionsTotal ? [`and ${definitionsTotal - definitions.length} more, which find_symbol lists`] : []),
      `Used (${lines} lines in ${filesTotal} files${kinds === "" ? "" : `; all lines with the name: ${kinds}`}):`,
      ...files.flatMap((file) => [`${file.repo}@${file.commit} ${file.path}`, ...file.uses.map(renderUse)]),
    ],
    {
      definitions: definitions.map((symbol) => definitionSchema.parse(symbol)),
      definitions_total: definitionsTotal,
      files,
      counts,
      total,
      files_total: filesTotal,
    },
    { ...going, notes: [...unlisted, ...going.notes] },
  );
}

type Use = Pick<FoundReference, "line" | "text" | "kind" | "within">;

/** The first use of a file brings its name along. */
function withFileHeaders(references: readonly FoundReference[]) {
  return references.map(({ repo, commit, path, line, text, kind, within }, index) => {
    const before = references[index - 1];
    const isSame = before?.repo === repo && before.path === path;
    return { repo, commit, path, line, text: text.trim(), kind, within, fileHeader: isSame ? "" : `${repo}@${commit} ${path}\n` };
  });
}

function byFile(references: readonly (Use & Pick<FoundReference, "repo" | "commit" | "path">)[]): z.infer<typeof fileSchema>[] {
  const files = Map.groupBy(references, ({ repo, path }) => `${repo} ${path}`);
  return [...files.values()].flatMap((uses) => uses.slice(0, 1).map((first) => fileSchema.parse({ ...first, uses })));
}

function renderUse({ line, text, kind, within }: Use): string {
  return `  ${line}: ${text}${within === null ? "" : `  [${kind} in ${within}]`}`;
}
