import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { z } from "zod";
import {
  coverageRequestSchema,
  coverageSchema,
  fileRequestSchema,
  fileSchema,
  outlineRequestSchema,
  outlineSchema,
  refSchema,
  treeRequestSchema,
  treeSchema,
} from "#contract.ts";
import { readFileAtCommit } from "#retrieval/commits/read-revisions.ts";
import { readCoverage, readFile, readOutline, readTree } from "#retrieval/files/read-file.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { findRepository, repositoryParamsSchema, scopeOfRepository } from "#http/kit/find-repository.ts";
import { presentRef } from "#http/kit/presenters.ts";
import { getAccess } from "#http/kit/request-tenant.ts";

export function fileRoutes({ database }: { readonly database: CodeIndexDatabase }): Routes {
  return (server) => {
    server.get(
      "/api/v1/repos/:repo_id/refs",
      route("reader", "Its indexed branches, the default one first", { params: repositoryParamsSchema, response: { 200: refsSchema } }),
      async (request) => {
        const { refs } = await findRepository(database, getAccess(request), request.params.repo_id);
        return { refs: refs.map(presentRef) };
      },
    );

    server.get(
      "/api/v1/repos/:repo_id/tree",
      route("reader", "Every path of the indexed commit, those that are not searchable too", {
        params: repositoryParamsSchema,
        querystring: treeRequestSchema,
        response: { 200: treeSchema },
      }),
      async (request) =>
        readTree(database, await scopeOfRepository(database, request, { repoId: request.params.repo_id, ref: request.query.ref })),
    );

    server.get(
      "/api/v1/repos/:repo_id/file",
      route("reader", "A file, or some of its lines, of the indexed commit or of any revision", {
        params: repositoryParamsSchema,
        querystring: fileRequestSchema,
        response: { 200: fileSchema },
      }),
      async (request) => {
        const { ref, commit, ...reading } = request.query;
        const scope = await scopeOfRepository(database, request, { repoId: request.params.repo_id, ref: ref });
        return commit === undefined ? readFile(database, scope, reading) : readFileAtCommit(database, scope, { ...reading, commit });
      },
    );

    server.get(
      "/api/v1/repos/:repo_id/outline",
      route("reader", "What a file defines, from top to bottom", {
        params: repositoryParamsSchema,
        querystring: outlineRequestSchema,
        response: { 200: outlineSchema },
      }),
      async (request) => {
        const { ref, path } = request.query;
        return readOutline(database, await scopeOfRepository(database, request, { repoId: request.params.repo_id, ref: ref }), path);
      },
    );

    server.get(
      "/api/v1/repos/:repo_id/coverage",
      route("reader", "Whether a path is searchable, and why not", {
        params: repositoryParamsSchema,
        querystring: coverageRequestSchema,
        response: { 200: coverageSchema },
      }),
      async (request) => {
        const { ref, path } = request.query;
        return readCoverage(database, await scopeOfRepository(database, request, { repoId: request.params.repo_id, ref: ref }), path);
      },
    );
  };
}

const refsSchema = z.object({ refs: z.array(refSchema) });
