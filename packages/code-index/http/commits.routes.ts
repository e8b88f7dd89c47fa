import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import {
  blameAnswerSchema,
  commitAnswerSchema,
  commitParamsSchema,
  commitRequestSchema,
  commitsAnswerSchema,
  commitsRequestSchema,
  compareAnswerSchema,
  compareRequestSchema,
  fileRequestSchema,
  lineHistoryAnswerSchema,
  lineHistoryRequestSchema,
} from "#contract.ts";
import { blame } from "#retrieval/commits/blame.ts";
import { compareCommits } from "#retrieval/commits/compare-commits.ts";
import { readLineHistory } from "#retrieval/commits/line-history.ts";
import { readCommit } from "#retrieval/commits/read-commit.ts";
import { searchCommits } from "#retrieval/commits/search-commits.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { untilAborted, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { findRepository, repositoryParamsSchema } from "#http/kit/find-repository.ts";
import { scopeOf, whileAwaited, type IncomingRequest } from "#http/kit/request-tenant.ts";

export function commitRoutes({ database }: { readonly database: CodeIndexDatabase }): Routes {
  return (server) => {
    server.get(
      "/api/v1/repos/:repo_id/commits",
      route("reader", "Its newest commits, by words, path, author and time", {
        params: repositoryParamsSchema,
        querystring: commitsRequestSchema,
        response: { 200: commitsAnswerSchema },
      }),
      async (request) =>
        searchCommits(database, await scopeOfRepository(request, request.params.repo_id, request.query.ref), request.query),
    );

    server.get(
      "/api/v1/repos/:repo_id/commits/:commit",
      route("reader", "A commit by its hash, or the beginning of it, with what it changed against its first parent", {
        params: commitParamsSchema,
        querystring: commitRequestSchema,
        response: { 200: commitAnswerSchema },
      }),
      async (request, reply) => {
        const { repo_id: repoId, commit } = request.params;
        const scope = await scopeOfRepository(request, repoId, request.query.ref);
        return readCommit(untilAborted(database, whileAwaited(reply.raw)), scope, { ...request.query, commit });
      },
    );

    server.get(
      "/api/v1/repos/:repo_id/compare",
      route("reader", "What changed between two commits of a branch", {
        params: repositoryParamsSchema,
        querystring: compareRequestSchema,
        response: { 200: compareAnswerSchema },
      }),
      async (request, reply) => {
        const scope = await scopeOfRepository(request, request.params.repo_id, request.query.ref);
        return compareCommits(untilAborted(database, whileAwaited(reply.raw)), scope, request.query);
      },
    );

    server.get(
      "/api/v1/repos/:repo_id/blame",
      route("reader", "Which commit last changed each line of a file", {
        params: repositoryParamsSchema,
        querystring: fileRequestSchema,
        response: { 200: blameAnswerSchema },
      }),
      async (request, reply) => {
        const scope = await scopeOfRepository(request, request.params.repo_id, request.query.ref);
        return blame(untilAborted(database, whileAwaited(reply.raw)), scope, request.query);
      },
    );

    server.get(
      "/api/v1/repos/:repo_id/line-history",
      route("reader", "The commits that changed some lines of a file, with what they changed there", {
        params: repositoryParamsSchema,
        querystring: lineHistoryRequestSchema,
        response: { 200: lineHistoryAnswerSchema },
      }),
      async (request, reply) => {
        const scope = await scopeOfRepository(request, request.params.repo_id, request.query.ref);
        return readLineHistory(untilAborted(database, whileAwaited(reply.raw)), scope, request.query);
      },
    );
  };

  async function scopeOfRepository(request: IncomingRequest, repoId: string, ref: string | undefined): Promise<RepositoryScope> {
    const access = scopeOf(request);
    const { full_name: repo } = await findRepository(database, access, repoId);
    return { ...access, repo, ref };
  }
}
