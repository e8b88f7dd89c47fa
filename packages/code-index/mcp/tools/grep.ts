import { z } from "zod";
import { grepCaseSchema, grepFileSchema, grepMatchSchema } from "#contract.ts";
import { grep, type FoundLines } from "#retrieval/grep/grep.ts";
import { answerPage, fitPage } from "#mcp/kit/fit.ts";
import { defineTool, pageFields, whereFields, type ToolAnswer } from "#mcp/kit/tool.ts";

/** Lines around a match only where there are any. */
const matchSchema = grepMatchSchema.omit({ ranges: true }).partial({ before: true, after: true });

export const grepTool = defineTool({
  name: "grep",
  title: "Find every matching line",
  description: `Find every line that holds an exact text or matches a regular expression, by repository, path and line: complete, unlike search.
Use it to count or list all occurrences, or for punctuation and short texts; use search when you look for the best place for a question.`,
  inputSchema: z.strictObject({
    pattern: z.string().min(1).max(2_000).describe("A text to find letter for letter, or with regex a regular expression (RE2 syntax)."),
    regex: z
      .boolean()
      .default(false)
      .describe("Read the pattern as a regular expression. It matches within a line unless it says \\n or (?s)."),
    case: grepCaseSchema.default("sensitive").describe("smart: sensitive when the pattern has a capital letter."),
    ...whereFields,
    context: z.int().min(0).max(10).default(0).describe("Lines shown before and after each match."),
    limit: z.int().min(1).max(1_000).default(100).describe("Matching lines at the most."),
    cursor: z.string().min(1).max(10_000).optional().describe("next_cursor of the answer before, to go on."),
  }),
  outputSchema: z.object({
    files: z.array(grepFileSchema.pick({ repo: true, commit: true, path: true }).extend({ matches: z.array(matchSchema) })),
    matches: z.int().describe("Matching lines in this answer."),
    total: z.int().nullable().describe("Matching lines of all pages; null when there was no time to count them."),
    partial: z.boolean().describe("Not everything was looked at; go on with next_cursor."),
    ...pageFields,
  }),
  answer: async (request, { database, access, grepLimit, maxTokens }) =>
    answerGrep(await grep({ database, limit: grepLimit }, access, request), maxTokens),
});

const OVERHEAD_TOKENS = 250;

function answerGrep(found: FoundLines, maxTokens: number): ToolAnswer {
  const { total, partial, reason } = found;
  const page = { ...found, notes: [...found.notes, ...(reason === undefined ? [] : [reason])] };
  const { shown, ...going } = fitPage(linesOfFiles(found), page, {
    maxTokens: maxTokens - OVERHEAD_TOKENS,
    unit: " lines",
    render: ({ fileHeader, match }) => `${fileHeader}\n${renderMatch(match)}`,
    dataOf: ({ place, fileHeader, match }) => (fileHeader === "" ? match : [place, match]),
  });
  const files = byFile(shown);
  const counted = `${shown.length}${total === null ? "" : ` of ${total}`} matching lines:`;
  return answerPage(
    [
      shown.length === 0 ? "No line matches." : counted,
      ...files.flatMap(({ repo, commit, path, matches }) => [`${repo}@${commit} ${path}`, ...matches.map(renderMatch)]),
    ],
    { files, matches: shown.length, total, partial },
    going,
  );
}

type Match = z.infer<typeof matchSchema>;
type Line = {
  readonly place: { readonly repo: string; readonly commit: string; readonly path: string };
  /** Names the file, on its first line. */
  readonly fileHeader: string;
  readonly match: Match;
};

function linesOfFiles({ files }: FoundLines): readonly Line[] {
  return files.flatMap(({ repo, commit, path, matches }) => {
    const place = { repo, commit, path };
    return matches.map(({ line, text, ranges, before, after }, index) => {
      const most = Math.min(MAX_LINE_LENGTH, Math.floor(MAX_MATCH_LENGTH / (1 + before.length + after.length)));
      const shown = (each: string) => shortenAround(each, 0, most);
      return {
        place,
        fileHeader: index === 0 ? `${repo}@${commit} ${path}` : "",
        match: {
          line,
          text: shortenAround(text, ranges[0]?.[0] ?? 0, most),
          ...(before.length === 0 ? {} : { before: before.map(shown) }),
          ...(after.length === 0 ? {} : { after: after.map(shown) }),
        },
      };
    });
  });
}

/** Characters of a line; longer ones are data. */
const MAX_LINE_LENGTH = 300;
const BEFORE = 60;
/** Characters of a match with the lines around it, since one match is always shown. */
const MAX_MATCH_LENGTH = 3_000;

/** What is around a place of a line. */
function shortenAround(text: string, place: number, most: number): string {
  if (text.length <= most) {
    return text;
  }
  const from = Math.max(0, Math.min(place - BEFORE, text.length - most));
  const cut = text.slice(from, from + most).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + most < text.length ? "…" : ""}`;
}

function byFile(lines: readonly Line[]) {
  return [...Map.groupBy(lines, ({ place }) => place)].map(([place, inFile]) => ({
    ...place,
    matches: inFile.map(({ match }) => match),
  }));
}

/** `12: text` for a line that matches, `11- text` for those around. */
function renderMatch({ line, text, before = [], after = [] }: Match): string {
  return [
    ...before.map((given, index) => `  ${line - before.length + index}- ${given}`),
    `  ${line}: ${text}`,
    ...after.map((given, index) => `  ${line + 1 + index}- ${given}`),
  ].join("\n");
}
