import { z } from "zod";
import { commitsRequestSchema, type Commit } from "#contract.ts";
import { searchCommits } from "#retrieval/commits/search-commits.ts";
import { fitPage, renderPage } from "#mcp/kit/fit.ts";
import { defineTool, cursorField, textField, oneRepoField, whereFields } from "#mcp/kit/tool.ts";

const asked = commitsRequestSchema.shape;

/** As the contract has it, whose patterns of days and times are long. */
function timeField(description: string) {
  return z
    .string()
    .refine((text) => asked.since.safeParse(text).success, "expected a day such as 2026-01-31, or a time with its zone")
    .describe(description);
}

export const commitSearchTool = defineTool({
  name: "commit_search",
  title: "Search commits",
  description: `Search a repository's commits by message, change, author and time; the newest first without a query.
With path and limit 1 it tells when a file last changed, by whom and why.`,
  inputSchema: z.strictObject({
    repo: oneRepoField,
    query: textField(2_000, "Words of the message, or a ticket's number.", 0).optional(),
    changed: textField(500, "Text they add or remove.").optional(),
    path: textField(4_096, "Only what changed it: a file (followed through renames), a folder, or part of a path with *.", 0).optional(),
    author: textField(300, "Part of the author's name or email.", 0).optional(),
    since: timeField("Committed then or later: 2026-01-31, or with time and zone.").optional(),
    until: timeField("Committed then or before.").optional(),
    ref: whereFields.ref,
    limit: z.int().min(1).max(100).default(10).describe("Commits at the most; 1 with path tells when a file last changed."),
    cursor: cursorField,
  }),
  answer: async ({ repo, ...request }, { database, access, maxTokens }) =>
    answerCommits(await searchCommits(database, { ...access, repo, ref: request.ref }, request), maxTokens),
});

const OVERHEAD_TOKENS = 200;
/** Limits in characters, since one commit is always shown, however long it is. */
const MAX_BODY = 500;
const MAX_SUBJECT = 300;
const MAX_AUTHOR = 100;
const MAX_PATHS = 8;
/** Paths are shown whole or not at all. */
const MAX_PATH_CHARACTERS = 1_600;

function answerCommits({ repo, ref, path, ...found }: Awaited<ReturnType<typeof searchCommits>>, maxTokens: number): string {
  const fitting = { maxTokens: maxTokens - OVERHEAD_TOKENS, render: renderCommit };
  const { shown, ...going } = fitPage(found.commits.map(presentCommit), found, fitting);
  const names = pathsThatFit(path?.is === "file" ? path.names.slice(1) : []);
  const earlier = names.length === 0 ? [] : [`The file was ${names.join(", before that ")}.`];
  return renderPage([`${repo} ${ref}`, ...shown.map(renderCommit), ...earlier], going);
}

type Shown = Omit<Commit, "repo" | "parents">;

function presentCommit({ repo: _repo, parents: _parents, body, paths, ...commit }: Commit): Shown {
  return {
    ...commit,
    author: truncateField(commit.author, MAX_AUTHOR),
    author_email: truncateField(commit.author_email, MAX_AUTHOR),
    subject: truncateField(commit.subject, MAX_SUBJECT),
    body: truncateField(body, MAX_BODY),
    paths: pathsThatFit(paths.slice(0, MAX_PATHS)),
  };
}

function truncateField(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}

/** The first of them that are not too long together. */
function pathsThatFit(paths: readonly string[]): string[] {
  let left = MAX_PATH_CHARACTERS;
  const overflowing = paths.findIndex((path) => (left -= path.length) < 0);
  return paths.slice(0, overflowing === -1 ? paths.length : overflowing);
}

function renderCommit({ commit, author, author_email: email, committed_at: at, subject, body, paths, paths_total: total }: Shown): string {
  const more =
    total > paths.length ? `${paths.length === 0 ? "" : " and "}${total - paths.length} ${paths.length === 0 ? "files" : "more"}` : "";
  const message = body === "" ? "" : `\n${body.replaceAll(/^/gmu, "    ")}`;
  return `${commit} ${at.slice(0, 10)} ${author} <${email}>\n  ${subject}${message}\n  ${total === 0 ? "no file of its own" : `${paths.join(", ")}${more}`}`;
}
