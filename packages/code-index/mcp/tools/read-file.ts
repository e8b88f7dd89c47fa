import { z } from "zod";
import type { BlameAnswer, SourceFile } from "#contract.ts";
import { blame } from "#retrieval/commits/blame.ts";
import { readFileAtCommit } from "#retrieval/commits/file-at-commit.ts";
import { readFile } from "#retrieval/files/read-file.ts";
import { takeTokens } from "#tokens/count-tokens.ts";
import { fenceFor, fitItems, numberLines } from "#mcp/kit/fit.ts";
import { defineTool, hashField, textField, oneRepoField, whereFields } from "#mcp/kit/tool.ts";

export const readFileTool = defineTool({
  name: "read_file",
  title: "Read a file",
  description: `Read a file, or some of its lines, at the indexed commit or another. Name start and end when you know the place: it is cheaper.
When it is cut to max_tokens, it says where to read on.`,
  inputSchema: z.strictObject({
    repo: oneRepoField,
    path: textField(4_096, "Its whole path."),
    ref: whereFields.ref,
    start: z.int().min(1).optional().describe("First line, from 1."),
    end: z.int().min(1).optional().describe("Last line, included."),
    commit: hashField.optional().describe("As it was at this commit."),
    blame: z.boolean().default(false).describe("Show who last changed each line, not its text."),
  }),
  answer: async ({ repo, ref, blame: isBlame, commit, ...reading }, { database, access, maxTokens }) => {
    const scope = { ...access, repo, ref };
    if (isBlame) {
      return answerBlame(await blame(database, scope, { ...reading, commit }), maxTokens);
    }
    const file = await (commit === undefined
      ? readFile(database, scope, reading)
      : readFileAtCommit(database, scope, { ...reading, commit }));
    return answerReadFile(file, maxTokens);
  },
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

function answerBlame({ repo, commit, path, ranges, commits, notes, total_lines: lines }: BlameAnswer, maxTokens: number): string {
  const known = new Map(commits.map((each) => [each.commit, each]));
  const render = ({ start_line: start, end_line: end, commit: by, path: name }: BlameAnswer["ranges"][number]) => {
    const from = by === null ? undefined : known.get(by);
    const what =
      from === undefined
        ? "older than what is kept"
        : `${from.commit.slice(0, 12)} ${from.committed_at.slice(0, 10)} ${from.author.slice(0, 60)}: ${from.subject.slice(0, 100)}`;
    return `${start}-${end} ${what}${name === path ? "" : ` (then ${name})`}`;
  };
  const shown = fitItems(ranges, { maxTokens: maxTokens - OVERHEAD_TOKENS, render });
  const next = ranges[shown.length]?.start_line;
  const cut = next === undefined ? [] : [`Cut to max_tokens: go on with start=${next}, or ask with a larger max_tokens.`];
  return [`${repo}@${commit} ${path}: who last changed its ${lines} lines`, ...shown.map(render), ...notes, ...cut].join("\n");
}
