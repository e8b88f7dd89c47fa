import { z } from "zod";
import { grepCaseSchema, type GrepMatch } from "#contract.ts";
import { grep, type FoundLines } from "#retrieval/grep/grep.ts";
import { createPlaces, fitPage, renderPage } from "#mcp/kit/fit.ts";
import { cursorField, defineTool, textField, whereFields } from "#mcp/kit/tool.ts";

export const grepTool = defineTool({
  name: "grep",
  title: "Find every matching line",
  description: `Find every line that holds an exact text or matches a regular expression, by repository, path and line: complete, unlike search.
For counts, all occurrences, punctuation and short texts; search finds the best place for a question.`,
  inputSchema: z.strictObject({
    pattern: textField(2_000, "A text to find letter for letter, or with regex an expression (RE2)."),
    regex: z.boolean().default(false).describe("Within a line, unless it says \\n or (?s)."),
    case: grepCaseSchema.default("sensitive").describe("smart: sensitive when the pattern has a capital letter."),
    ...whereFields,
    context: z.int().min(0).max(10).default(0).describe("Lines shown before and after each match."),
    limit: z.int().min(1).max(1_000).default(100).describe("Matching lines at the most."),
    cursor: cursorField,
  }),
  answer: async (request, { database, memory, access, grepLimit, maxTokens }) =>
    answerGrep(await grep({ database, memory, limit: grepLimit }, access, request), maxTokens),
});

const OVERHEAD_TOKENS = 250;

function answerGrep(found: FoundLines, maxTokens: number): string {
  const { total, reason } = found;
  const page = { ...found, notes: [...found.notes, ...(reason === undefined ? [] : [reason])] };
  const { shown, ...going } = fitPage(linesOfFiles(found), page, {
    maxTokens: maxTokens - OVERHEAD_TOKENS,
    unit: " lines",
    render: (line) => line,
  });
  const counted = `${shown.length}${total === null ? "" : ` of ${total}`} matching lines:`;
  return renderPage([shown.length === 0 ? "No line matches." : counted, ...shown], going);
}

type Match = Pick<GrepMatch, "line" | "text" | "before" | "after">;

/** Each matching line, the first of a file with the file's name. */
function linesOfFiles({ files }: FoundLines): readonly string[] {
  const placeOf = createPlaces();
  return files.flatMap((file) => {
    const place = placeOf(file);
    return file.matches.map(({ line, text, ranges, before, after }, index) => {
      const max = Math.min(MAX_LINE_LENGTH, Math.floor(MAX_MATCH_LENGTH / (1 + before.length + after.length)));
      const shown = (each: string) => shortenAround(each, 0, max);
      const match = { line, text: shortenAround(text, ranges[0]?.[0] ?? 0, max), before: before.map(shown), after: after.map(shown) };
      return `${index === 0 ? `${place}\n` : ""}${renderMatch(match)}`;
    });
  });
}

/** Characters of a line; longer ones are data. */
const MAX_LINE_LENGTH = 300;
const BEFORE = 60;
/** Characters of a match with the lines around it, since one match is always shown. */
const MAX_MATCH_LENGTH = 3_000;

/** What is around a place of a line. */
function shortenAround(text: string, place: number, max: number): string {
  if (text.length <= max) {
    return text;
  }
  const from = Math.max(0, Math.min(place - BEFORE, text.length - max));
  const cut = text.slice(from, from + max).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + max < text.length ? "…" : ""}`;
}

/** `12: text` for a line that matches, `11- text` for those around. */
function renderMatch({ line, text, before, after }: Match): string {
  return [
    ...before.map((given, index) => `  ${line - before.length + index}- ${given}`),
    `  ${line}: ${text}`,
    ...after.map((given, index) => `  ${line + 1 + index}- ${given}`),
  ].join("\n");
}
