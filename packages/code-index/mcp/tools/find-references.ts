import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { foundReferenceSchema, foundSymbolSchema, type FoundReference } from "#contract.ts";
import { findReferences } from "#retrieval/symbols/find-references.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { fitItems } from "#mcp/kit/fit.ts";
import { renderSymbol } from "./find-symbol.ts";
import {
  langField,
  refField,
  repoField,
  addTool,
  maxTokensSchema,
  tokensWithin,
  type ToolAnswer,
  type ToolContext,
} from "#mcp/kit/tool.ts";

const inputSchema = z.strictObject({
  symbol: z.string().min(1).max(500).describe("A name, such as parseConfig, or with what it is inside of: Server.start."),
  repo: repoField,
  path: z.string().max(1000).optional().describe("Only uses in these paths: part of the path; * stands for anything."),
  lang: langField,
  ref: refField,
  limit: z.int().min(1).max(200).default(50).describe("Uses at the most."),
  cursor: z.string().min(1).max(2_000).optional().describe("next_cursor of the answer before, to go on."),
  max_tokens: maxTokensSchema,
});

/** What all uses in a file have in common is said once. */
const fileSchema = foundReferenceSchema
  .pick({ repo: true, commit: true, path: true })
  .extend({ uses: z.array(foundReferenceSchema.pick({ line: true, text: true, kind: true, within: true })) });

const outputSchema = z.object({
  definitions: z.array(
    foundSymbolSchema.pick({ repo: true, commit: true, path: true, start_line: true, end_line: true, kind: true, name: true }),
  ),
  files: z.array(fileSchema),
  total: z.int().nullable().describe("Uses in all; null when there are too many files to count them."),
  files_total: z.int(),
  next_cursor: z.string().nullable(),
  notes: z.array(z.string()),
});

const DESCRIPTION = `Find who uses a function, class, type or other symbol: its callers, imports and other uses, with line, text and the function each is in.
What is nearest to the definition comes first, tests and vendored copies last. Names decide: two things of the same name are not told apart.`;

export function addFindReferencesTool(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: "find_references",
    title: "Find uses of a symbol",
    description: DESCRIPTION,
    inputSchema,
    outputSchema,
    answer: async ({ max_tokens: maxTokens, ...request }, { database, access }) =>
      answerReferences(await findReferences(database, access, request), tokensWithin(maxTokens)),
  });
}

const OVERHEAD_TOKENS = 150;
/** More definitions are of no use to who asks for uses. */
const DEFINITIONS = 3;

function answerReferences(found: Awaited<ReturnType<typeof findReferences>>, maxTokens: number): ToolAnswer {
  const { references, total, files_total: filesTotal } = found;
  const definitions = fitItems(found.definitions.slice(0, DEFINITIONS), { maxTokens: maxTokens / 4, render: renderSymbol });
  const left = maxTokens - OVERHEAD_TOKENS - definitions.reduce((sum, symbol) => sum + countTokens(renderSymbol(symbol)) + 20, 0);
  const shown = fitItems(withFileHeaders(references), {
    maxTokens: left,
    render: ({ fileHeader, ...use }) => `${fileHeader}${renderUse(use)}`,
    dataOf: ({ fileHeader, line, text, kind, within }) => [fileHeader, { line, text, kind, within }],
  });
  const isCut = shown.length < references.length;
  const next = isCut ? found.cursorAfter(shown.length) : found.next_cursor;
  const notes = [
    ...found.notes,
    ...(isCut ? [`Cut to max_tokens: ${shown.length} of ${references.length} shown; go on with cursor, or name a path.`] : []),
  ];
  const files = byFile(shown);
  const counted = total === null ? `in ${filesTotal} files` : `${total} in ${filesTotal} files`;
  return {
    text: [
      `Defined (${found.definitions.length}):`,
      ...definitions.map(renderSymbol),
      `Used (${counted}):`,
      ...files.flatMap((file) => [`${file.repo}@${file.commit} ${file.path}`, ...file.uses.map(renderUse)]),
      ...notes,
      ...(next === null ? [] : [`cursor: ${next}`]),
    ].join("\n"),
    structured: {
      definitions: definitions.map(({ repo, commit, path, start_line, end_line, kind, name }) => {
        return { repo, commit, path, start_line, end_line, kind, name };
      }),
      files,
      total,
      files_total: filesTotal,
      next_cursor: next,
      notes,
    },
  };
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

type InFile = Use & Pick<FoundReference, "repo" | "commit" | "path">;

function byFile(references: readonly InFile[]): z.infer<typeof fileSchema>[] {
  const files = Map.groupBy(references, ({ repo, path }) => `${repo} ${path}`);
  return [...files.values()].flatMap((inFile) => {
    const [first] = inFile;
    const uses = inFile.map(({ line, text, kind, within }) => ({ line, text, kind, within }));
    return first === undefined ? [] : [{ repo: first.repo, commit: first.commit, path: first.path, uses }];
  });
}

function renderUse({ line, text, kind, within }: Use): string {
  return `  ${line}: ${text}${within === null ? "" : `  [${kind} in ${within}]`}`;
}
