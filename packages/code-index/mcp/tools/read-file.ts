import { z } from "zod";
import type { SourceFile } from "#contract.ts";
import { readFile } from "#retrieval/files/read-file.ts";
import { takeTokens } from "#tokens/count-tokens.ts";
import { fenceFor, numberLines } from "#mcp/kit/fit.ts";
import { defineTool, textField, oneRepoField, whereFields } from "#mcp/kit/tool.ts";

export const readFileTool = defineTool({
  name: "read_file",
  title: "Read a file",
  description: `Read a file, or some of its lines, at the indexed commit. Name start and end when you know the place: it is cheaper.
When it is cut to max_tokens, it says where to read on.`,
  inputSchema: z.strictObject({
    repo: oneRepoField,
    path: textField(4_096, "Its whole path."),
    ref: whereFields.ref,
    start: z.int().min(1).optional().describe("First line, from 1."),
    end: z.int().min(1).optional().describe("Last line, included."),
  }),
  answer: async ({ repo, ref, ...reading }, { database, access, maxTokens }) =>
    answerReadFile(await readFile(database, { ...access, repo, ref }, reading), maxTokens),
});

const OVERHEAD_TOKENS = 150;

function answerReadFile(file: SourceFile, maxTokens: number): string {
  const numbered = numberLines(file.content, file.start_line);
  const shown = takeTokens(numbered, maxTokens - OVERHEAD_TOKENS);
  const isCut = shown.length < numbered.length;
  const end = isCut ? file.start_line + Math.max(shown.split("\n").length - (shown.endsWith("\n") ? 1 : 0), 1) - 1 : file.end_line;
  const next = end < file.total_lines ? `read on with start=${Math.max(end + 1, file.start_line + 1)}, or ` : "";
  const note = isCut ? `\nCut to max_tokens: ${next}ask with a larger max_tokens.` : "";
  const fence = fenceFor(shown);
  const head = `${file.repo}@${file.commit} ${file.path}:${file.start_line}-${end} of ${file.total_lines} lines`;
  return `${head}\n${fence}\n${shown.replace(/\n$/, "")}\n${fence}${note}`;
}
