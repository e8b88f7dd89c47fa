import type { Routes } from "@sightline/foundation/http/http-server";
import { commitsAnswerSchema, commitsRequestSchema } from "#contract.ts";
import { searchCommits } from "#retrieval/commits/search-commits.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { findRepository, repositoryParamsSchema } from "#http/kit/find-repository.ts";
import { scopeOf } from "#http/kit/request-tenant.ts";

/** The newest commits of a repository's branches. */
export function commitRoutes({ database }: { readonly database: CodeIndexDatabase }): Routes {
  return (server) => {
    server.get(
      "/api/v1/repos/:repo_id/commits",
      {
        config: { auth: "reader" },
        schema: {
          summary: "Its newest commits, by words, path, author and time",
          params: repositoryParamsSchema,
          querystring: commitsRequestSchema,
          response: { 200: commitsAnswerSchema },
        },
      },
      async (request) => {
        const access = scopeOf(request);
        const { full_name: repo } = await findRepository(database, access, request.params.repo_id);
        return searchCommits(database, { ...access, repo, ref: request.query.ref }, request.query);
      },
    );
  };
}
