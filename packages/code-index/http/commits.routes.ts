import type { ServerResponse } from "node:http";
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
import { blame, compareCommits, readCommit, readLineHistory } from "#retrieval/commits/read-revisions.ts";
import { searchCommits } from "#retrieval/commits/search-commits.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { untilAborted, type CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { repositoryParamsSchema, scopeOfRepository } from "#http/kit/find-repository.ts";
import { whileAwaited, type IncomingRequest } from "#http/kit/request-tenant.ts";

export function commitRoutes({ database }: { readonly database: CodeIndexDatabase }): Routes {
  return (server) => {
    server.get(
      "/api/v1/repos/:repo_id/commits",
      route("reader", "Its newest commits, by words, path, author and time", {
        params: repositoryParamsSchema,
        querystring: commitsRequestSchema,
        response: { 200: commitsAnswerSchema },
      }),
      read(searchCommits),
    );

    server.get(
      "/api/v1/repos/:repo_id/commits/:commit",
      route("reader", "A commit by hash, tag, branch or HEAD~3, with what it changed against its first parent", {
        params: commitParamsSchema,
        querystring: commitRequestSchema,
        response: { 200: commitAnswerSchema },
      }),
      read(readCommit),
    );

    server.get(
      "/api/v1/repos/:repo_id/compare",
      route("reader", "What differs between two revisions", {
        params: repositoryParamsSchema,
        querystring: compareRequestSchema,
        response: { 200: compareAnswerSchema },
      }),
      read(compareCommits),
    );

    server.get(
      "/api/v1/repos/:repo_id/blame",
      route("reader", "Which commit last changed each line of a file", {
        params: repositoryParamsSchema,
        querystring: fileRequestSchema,
        response: { 200: blameAnswerSchema },
      }),
      read(blame),
    );

    server.get(
      "/api/v1/repos/:repo_id/line-history",
      route("reader", "The commits that changed some lines of a file, with what they changed there", {
        params: repositoryParamsSchema,
        querystring: lineHistoryRequestSchema,
        response: { 200: lineHistoryAnswerSchema },
      }),
      read(readLineHistory),
    );
  };

  /** Answers what is asked about a repository; nothing is read any more once nobody waits for it. */
  function read<Params extends { readonly repo_id: string }, Query extends { readonly ref?: string | undefined }, Answer>(
    answer: (database: CodeIndexDatabase, scope: RepositoryScope, params: Params & Query) => Promise<Answer>,
  ) {
    return async (
      request: IncomingRequest & { readonly params: Params; readonly query: Query },
      reply: { readonly raw: ServerResponse },
    ): Promise<Answer> => {
      const { params, query } = request;
      const scope = await scopeOfRepository(database, request, { repoId: params.repo_id, ref: query.ref });
      return answer(untilAborted(database, whileAwaited(reply.raw)), scope, { ...params, ...query });
    };
  }
}
