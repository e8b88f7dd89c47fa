import { z } from "zod";
import type { SourceFile } from "#contract.ts";
import { blame, readFileAtCommit, readLineHistory } from "#retrieval/commits/read-revisions.ts";
import { readFile, readOutline } from "#retrieval/files/read-file.ts";
import { takeTokens } from "#tokens/count-tokens.ts";
import { fenceFor, numberLines } from "#mcp/kit/fit.ts";
import { renderBlame, renderLineHistory, renderOutline } from "#mcp/kit/render-file.ts";
import { defineTool, revisionField, textField, oneRepoField, whereFields } from "#mcp/kit/tool.ts";

export const readFileTool = defineTool({
  name: "read_file",
  title: "Read a file",
  description: `Read a file, or some of its lines, at the indexed commit or another. Name start and end when you know the place: it is cheaper.
Cut to max_tokens, it says where to read on.`,
  inputSchema: z.strictObject({
    repo: oneRepoField,
    path: textField(4_096, "Its whole path."),
    ref: whereFields.ref,
    start: z.int().min(1).optional().describe("First line, from 1."),
    end: z.int().min(1).optional().describe("Last line, included."),
    commit: revisionField.optional(),
    show: z
      .enum(["text", "outline", "blame", "history"])
      .default("text")
      .describe("outline: what it defines. blame: who last changed each line. history: commits that changed the lines."),
  }),
  answer: async ({ repo, ref, show, commit, ...reading }, { database, access, maxTokens }) => {
    const scope = { ...access, repo, ref };
    const asked = { ...reading, commit };
    if (show === "blame") {
      return renderBlame(await blame(database, scope, asked), maxTokens);
    }
    if (show === "history") {
      return renderLineHistory(await readLineHistory(database, scope, { ...asked, limit: MAX_CHANGES }), maxTokens);
    }
    if (show === "outline") {
      return renderOutline(await readOutline(database, scope, asked.path), asked, maxTokens);
    }
    const file = await (commit === undefined
      ? readFile(database, scope, reading)
      : readFileAtCommit(database, scope, { ...reading, commit }));
    return answerReadFile(file, maxTokens);
  },
});

const MAX_CHANGES = 100;
const OVERHEAD_TOKENS = 150;

function answerReadFile(file: SourceFile, maxTokens: number): string {
  const numbered = numberLines(file.content, file.start_line);
  const shown = takeTokens(numbered, maxTokens - OVERHEAD_TOKENS);
  const isCut = shown.length < numbered.length;
  const end = isCut ? file.start_line + Math.max(shown.split("\n").length - (shown.endsWith("\n") ? 1 : 0), 1) - 1 : file.end_line;
  const next = end < file.total_lines ? `read on with start=${Math.max(end + 1, file.start_line + 1)}, or ` : "";
  const note = isCut ? `\nCut to max_tokens: ${next}ask with a larger max_tokens.` : "";
  const fence = fenceFor(shown);
  const guess = file.encoding?.guessed === true ? `, not UTF-8: read as ${file.encoding.name}, by guess` : "";
  const head = `${file.repo}@${file.commit} ${file.path}:${file.start_line}-${end} of ${file.total_lines} lines${guess}`;
  return `${head}\n${fence}\n${shown.replace(/\n$/, "")}\n${fence}${note}`;
}
