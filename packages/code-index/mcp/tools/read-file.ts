import { z } from "zod";
import { fileSchema, type SourceFile } from "#contract.ts";
import { readFile } from "#retrieval/files/read-file.ts";
import { countTokens, takeTokens } from "#tokens/count-tokens.ts";
import { fenceFor } from "#mcp/kit/fit.ts";
import { defineTool, oneRepoField, whereFields, type ToolAnswer } from "#mcp/kit/tool.ts";

export const readFileTool = defineTool({
  name: "read_file",
  title: "Read a file",
  description: `Read a file, or some of its lines, at the indexed commit. Name start and end when you know the place: it is cheaper.
When it is cut to max_tokens, next_start says where to read on.`,
  inputSchema: z.strictObject({
    repo: oneRepoField,
    path: z.string().min(1).max(4096).describe("The file's whole path in the repository."),
    ref: whereFields.ref,
    start: z.int().min(1).optional().describe("First line, from 1."),
    end: z.int().min(1).optional().describe("Last line, included."),
  }),
  outputSchema: fileSchema.extend({
    next_start: z.int().nullable().describe("Where to read on when lines asked for were left out."),
  }),
  answer: async ({ repo, ref, ...reading }, { database, access, maxTokens }) =>
    answerReadFile(await readFile(database, { ...access, repo, ref }, reading), maxTokens),
});

const OVERHEAD_TOKENS = 150;

function answerReadFile(file: SourceFile, maxTokens: number): ToolAnswer {
  const { content, shown } = fitContent(file.content, maxTokens - OVERHEAD_TOKENS);
  const isCut = content.length < file.content.length;
  const end = isCut ? file.start_line + shown - 1 : file.end_line;
  const nextStart = isCut && end < file.total_lines ? Math.max(end + 1, file.start_line + 1) : null;
  const head = `${file.repo}@${file.commit} ${file.path}:${file.start_line}-${end} of ${file.total_lines} lines`;
  const note = isCut ? `\nCut to max_tokens: read on with start=${nextStart ?? file.total_lines}, or ask with a larger max_tokens.` : "";
  const fence = fenceFor(content);
  return {
    text: `${head}\n${fence}\n${content.replace(/\n$/, "")}\n${fence}${note}`,
    structured: { ...file, end_line: end, content, truncated: file.truncated || isCut, next_start: nextStart },
  };
}

/** The beginning that fits as text and, where more characters are escaped, as JSON. */
function fitContent(whole: string, maxTokens: number): { readonly content: string; readonly shown: number } {
  let content = takeTokens(whole, maxTokens);
  for (let cost = countTokens(JSON.stringify(content)); cost > maxTokens && content !== ""; cost = countTokens(JSON.stringify(content))) {
    content = takeTokens(content, Math.floor((countTokens(content) * maxTokens) / cost) - 1);
  }
  const lines = content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return { content, shown: Math.max(lines, 1) };
}
