import { z } from "zod";
import { listSome, nearestFirst } from "#retrieval/scope/repository-errors.ts";
import { listRepositories, type RepositoryRow } from "#store/records/read-repositories.store.ts";
import { fitItems } from "#mcp/kit/fit.ts";
import { presentRepository } from "#http/kit/presenters.ts";
import { defineTool, textField } from "#mcp/kit/tool.ts";

type Listed = {
  readonly repo: string;
  readonly status: string;
  readonly commit: string | null;
  readonly files: number;
  /** Other branches that can be searched, by ref. */
  readonly refs: readonly string[];
};

export const listReposTool = defineTool({
  name: "list_repos",
  title: "List repositories",
  description: "List the repositories of the index by name, with their status and the commit that is searched.",
  inputSchema: z.strictObject({
    query: textField(200, "Part of the name.", 0).optional(),
  }),
  answer: async ({ query }, { database, access, maxTokens }) => {
    const rows = await listRepositories(database, { ...access, limit: REPOSITORIES });
    const wanted = query === undefined ? rows : rows.filter((row) => row.full_name.toLowerCase().includes(query.toLowerCase()));
    if (query !== undefined && wanted.length === 0 && rows.length > 0) {
      const names = rows.map((row) => row.full_name);
      return `No repository is registered under such a name; the nearest: ${listSome(nearestFirst(names, query), NAMED)}.`;
    }
    return answerListRepos(wanted, maxTokens);
  },
});

const REPOSITORIES = 10_000;
const NAMED = 5;
const OVERHEAD_TOKENS = 100;

function answerListRepos(rows: readonly RepositoryRow[], maxTokens: number): string {
  const repositories = fitItems(rows.map(presentListed), { maxTokens: maxTokens - OVERHEAD_TOKENS, render: renderRepository });
  const cut = rows.length - repositories.length;
  const notes = cut === 0 ? [] : [`Cut to max_tokens: ${cut} more; name a part of the name as query, or ask with a larger max_tokens.`];
  const text = rows.length === 0 ? "No repository is registered yet." : repositories.map(renderRepository).join("\n");
  return [text, ...notes].join("\n");
}

function presentListed(row: RepositoryRow): Listed {
  const { full_name: repo, index_status: status, indexed_commit: commit, files, refs } = presentRepository(row);
  const others = refs.filter((ref) => !ref.is_default && ref.indexed_commit !== null).map(({ name }) => name);
  return { repo, status, commit, files, refs: others };
}

function renderRepository({ repo, status, commit, files, refs }: Listed): string {
  const others = refs.length === 0 ? "" : `; also the branches ${refs.join(", ")}`;
  return commit === null ? `${repo} (${status}, not searchable yet)` : `${repo}@${commit} (${status}, ${files} files${others})`;
}
