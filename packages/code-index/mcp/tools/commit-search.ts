import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { commitSchema, commitsAnswerSchema, commitsRequestSchema, type Commit } from "#contract.ts";
import { searchCommits } from "#retrieval/commits/search-commits.ts";
import { fitItems } from "#mcp/kit/fit.ts";
import { oneRepoField, refField, addTool, maxTokensSchema, tokensWithin, type ToolAnswer, type ToolContext } from "#mcp/kit/tool.ts";

const asked = commitsRequestSchema.shape;

const inputSchema = z.strictObject({
  repo: oneRepoField,
  query: asked.query.describe("Words of the message, a ticket's number or what changed; the newest commits when left out."),
  path: asked.path.describe(
    "Only commits that changed it: a file (followed through exact renames), a folder, or part of a path with * for anything.",
  ),
  author: asked.author.describe("Part of the author's name or email."),
  since: asked.since.describe("Committed then or later: 2026-01-31, or with time and zone."),
  until: asked.until.describe("Committed then or before."),
  ref: refField,
  limit: z.int().min(1).max(100).default(10).describe("Commits at the most; 1 with path tells when a file last changed."),
  cursor: asked.cursor.describe("next_cursor of the answer before, to go on."),
  max_tokens: maxTokensSchema,
});

const shownSchema = commitSchema.pick({
  commit: true,
  author: true,
  author_email: true,
  authored_at: true,
  committed_at: true,
  subject: true,
  body: true,
  paths: true,
  paths_total: true,
});

const outputSchema = z.object({
  repo: z.string(),
  ref: z.string(),
  commits: z.array(shownSchema),
  depth: commitsAnswerSchema.shape.depth.describe("What is known of the branch: the newest so many commits."),
  path: commitsAnswerSchema.shape.path,
  next_cursor: z.string().nullable(),
  notes: z.array(z.string()),
});

const DESCRIPTION = `Search a repository's commits, by words of the message, by what they changed, by author and time; the newest first when no query is given.
With path and limit 1 it tells when a file last changed, by whom and why. It knows messages and paths, not the changed lines.`;

export function addCommitSearchTool(server: McpServer, context: ToolContext): void {
  addTool(server, context, {
    name: "commit_search",
    title: "Search commits",
    description: DESCRIPTION,
    inputSchema,
    outputSchema,
    answer: async ({ max_tokens: maxTokens, repo, ...request }, { database, access }) =>
      answerFor(await searchCommits(database, { ...access, repo, ref: request.ref }, request), tokensWithin(maxTokens)),
  });
}

const OVERHEAD_TOKENS = 200;
/** Of the characters that a commit has: one is shown however long it is. */
const BODY = 500;
const SUBJECT = 300;
const AUTHOR = 100;
const PATHS = 8;
/** Paths are shown whole or not at all. */
const PATHS_IN_ALL = 1_600;

function answerFor({ repo, ref, depth, path, ...found }: Awaited<ReturnType<typeof searchCommits>>, maxTokens: number): ToolAnswer {
  const commits = found.commits.map(shorten);
  const shown = fitItems(commits, { maxTokens: maxTokens - OVERHEAD_TOKENS, render });
  const isCut = shown.length < commits.length;
  const next = isCut ? found.cursorAfter(shown.length) : found.next_cursor;
  const notes = [
    ...found.notes,
    ...(isCut
      ? [`Cut to max_tokens: ${shown.length} of ${commits.length} shown; go on with cursor, or ask with a larger max_tokens.`]
      : []),
  ];
  const names = within(path?.is === "file" ? path.names.slice(1) : []);
  const earlier = names.length === 0 ? [] : [`The file was ${names.join(", before that ")}.`];
  return {
    text: [`${repo} ${ref}`, ...shown.map(render), ...earlier, ...notes, ...(next === null ? [] : [`cursor: ${next}`])].join("\n"),
    structured: {
      repo,
      ref,
      commits: shown,
      depth,
      path: path === null ? null : { ...path, names: within(path.names) },
      next_cursor: next,
      notes,
    },
  };
}

type Shown = z.infer<typeof shownSchema>;

function shorten({ repo: _repo, parents: _parents, body, paths, ...commit }: Commit): Shown {
  return {
    ...commit,
    author: cut(commit.author, AUTHOR),
    author_email: cut(commit.author_email, AUTHOR),
    subject: cut(commit.subject, SUBJECT),
    body: cut(body, BODY),
    paths: within(paths.slice(0, PATHS)),
  };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}

/** The first of them that are not too long together. */
function within(paths: readonly string[]): string[] {
  let left = PATHS_IN_ALL;
  const overflowing = paths.findIndex((path) => (left -= path.length) < 0);
  return paths.slice(0, overflowing === -1 ? paths.length : overflowing);
}

function render({ commit, author, author_email: email, committed_at: at, subject, body, paths, paths_total: total }: Shown): string {
  const more =
    total > paths.length ? `${paths.length === 0 ? "" : " and "}${total - paths.length} ${paths.length === 0 ? "files" : "more"}` : "";
  const message = body === "" ? "" : `\n${body.replaceAll(/^/gmu, "    ")}`;
  return `${commit} ${at.slice(0, 10)} ${author} <${email}>\n  ${subject}${message}\n  ${total === 0 ? "no file of its own" : `${paths.join(", ")}${more}`}`;
}
