import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { indexStatusSchema } from "#contract.ts";
import { listRepositories, type RepositoryRow } from "#store/repositories.store.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { callTool, maxTokensSchema, READ_ONLY, tokensWithin, type ToolAnswer, type ToolContext } from "./mcp-tool.ts";

const inputSchema = z.object({
  query: z.string().max(200).optional().describe("Part of the name; all repositories when left out."),
  max_tokens: maxTokensSchema,
});

const repositorySchema = z.object({
  repo: z.string(),
  status: indexStatusSchema,
  commit: z.string().nullable(),
  indexed_at: z.string().nullable(),
  files: z.int(),
});

const outputSchema = z.object({ repositories: z.array(repositorySchema), total: z.int(), notes: z.array(z.string()) });

export function addListReposTool(server: McpServer, context: ToolContext): void {
  server.registerTool(
    "list_repos",
    {
      title: "List repositories",
      description: "List the repositories of the index with their status and the commit that is searched.",
      inputSchema,
      outputSchema,
      annotations: READ_ONLY,
    },
    ({ query, max_tokens: maxTokens }) =>
      callTool(context.log, "list_repos", async () => {
        const rows = await listRepositories(context.database, { tenantId: context.tenant.tenantId, limit: REPOSITORIES });
        const wanted = query === undefined ? rows : rows.filter((row) => row.full_name.toLowerCase().includes(query.toLowerCase()));
        return answerFor(wanted, tokensWithin(maxTokens));
      }),
  );
}

const REPOSITORIES = 10_000;
const OVERHEAD_TOKENS = 100;

function answerFor(rows: readonly RepositoryRow[], maxTokens: number): ToolAnswer {
  const listed: z.infer<typeof repositorySchema>[] = [];
  let left = maxTokens - OVERHEAD_TOKENS;
  for (const row of rows) {
    const repository = present(row);
    left -= Math.max(countTokens(render(repository)), countTokens(JSON.stringify(repository)) + 1);
    if (left < 0) {
      break;
    }
    listed.push(repository);
  }
  const cut = rows.length - listed.length;
  const notes = cut === 0 ? [] : [`Cut to max_tokens: ${cut} more; name a part of the name as query, or ask with a larger max_tokens.`];
  const text = rows.length === 0 ? "No repository is registered under such a name." : listed.map(render).join("\n");
  return { text: [text, ...notes].join("\n"), structured: { repositories: listed, total: rows.length, notes } };
}

function present(row: RepositoryRow): z.infer<typeof repositorySchema> {
  return {
    repo: row.full_name,
    status: row.index_status,
    commit: row.indexed_commit,
    indexed_at: row.indexed_at?.toISOString() ?? null,
    files: row.files,
  };
}

function render({ repo, status, commit, files }: z.infer<typeof repositorySchema>): string {
  return commit === null ? `${repo} (${status}, not searchable yet)` : `${repo}@${commit} (${status}, ${files} files)`;
}
