import { AppError } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Routes } from "@sightline/foundation/http-server";
import type { CodeIndexConfig } from "#config.ts";
import {
  indexModeSchema,
  pageOf,
  registerRepositoryRequestSchema,
  repositorySchema,
  startedJobSchema,
  startIndexRequestSchema,
} from "#contract.ts";
import { chooseCloneUrl } from "#source/clone-url.ts";
import { enqueueJob } from "#store/jobs.store.ts";
import { listRepositories } from "#store/read-repositories.store.ts";
import { registerRepository } from "#store/repositories.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { findRepository, repositoryParamsSchema } from "./find-repository.ts";
import { keyOfCursor, pageOfRows, pageQuerySchema } from "./page.ts";
import { presentJob, presentRepository } from "./presenters.ts";
import { scopeOf, tenantOf } from "./request-tenant.ts";

type RepositoryDependencies = {
  readonly config: Pick<CodeIndexConfig, "CODEINDEX_ALLOW_FILE_URLS">;
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
};

export function repositoryRoutes(dependencies: RepositoryDependencies): Routes {
  return (server) => {
    registration(dependencies)(server);
    indexing(dependencies)(server);
  };
}

function registration({ config, database, clock }: RepositoryDependencies): (server: Parameters<Routes>[0]) => void {
  return (server) => {
    server.post(
      "/api/v1/repos",
      { config: { auth: "admin" }, schema: { body: registerRepositoryRequestSchema, response: { 201: repositorySchema } } },
      async (request, reply) => {
        const { tenantId } = tenantOf(request);
        const { full_name: fullName, clone_url: cloneUrl } = request.body;
        const chosen = chooseCloneUrl({ fullName, cloneUrl, allowFileUrls: config.CODEINDEX_ALLOW_FILE_URLS });
        const row = await registerRepository(database, { tenantId, fullName, cloneUrl: chosen });
        await enqueueJob(database, { tenantId, repoId: row.id, mode: "full", trigger: "registration", now: clock.now() });
        return reply.status(201).send(presentRepository(row));
      },
    );

    server.get(
      "/api/v1/repos",
      { config: { auth: "reader" }, schema: { querystring: pageQuerySchema, response: { 200: pageOf(repositorySchema) } } },
      async (request) => {
        const { limit, cursor } = request.query;
        const after = keyOfCursor(cursor, registerRepositoryRequestSchema.shape.full_name);
        const rows = await listRepositories(database, { ...scopeOf(request), after, limit: limit + 1 });
        return pageOfRows(rows, limit, { present: presentRepository, keyOf: (row) => row.full_name });
      },
    );

    server.get(
      "/api/v1/repos/:repo_id",
      { config: { auth: "reader" }, schema: { params: repositoryParamsSchema, response: { 200: repositorySchema } } },
      async (request) => presentRepository(await findRepository(database, scopeOf(request), request.params.repo_id)),
    );
  };
}

function indexing({ database, clock }: RepositoryDependencies): (server: Parameters<Routes>[0]) => void {
  return (server) => {
    server.post(
      "/api/v1/repos/:repo_id/index",
      {
        config: { auth: "user" },
        schema: { params: repositoryParamsSchema, body: startIndexRequestSchema, response: { 202: startedJobSchema } },
      },
      async (request, reply) => {
        const mode = indexModeSchema.safeParse(request.body.mode);
        if (!mode.success) {
          throw new AppError({
            code: "invalid_mode",
            status: 400,
            message: 'The mode is "full" (build everything anew) or "incremental" (only what changed).',
          });
        }
        const { tenantId } = tenantOf(request);
        const repository = await findRepository(database, scopeOf(request), request.params.repo_id);
        const job = await enqueueJob(database, { tenantId, repoId: repository.id, mode: mode.data, trigger: "api", now: clock.now() });
        return reply.status(202).send({ job: presentJob(job) });
      },
    );
  };
}
