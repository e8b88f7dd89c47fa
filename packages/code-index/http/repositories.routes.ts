import { refusal } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer, Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import { z } from "zod";
import type { CodeIndexConfig } from "#config.ts";
import {
  changeRepositoryRequestSchema,
  indexModeSchema,
  toPageSchema,
  previewAnswerSchema,
  previewSchema,
  registerRepositoryRequestSchema,
  repositorySchema,
  startedJobSchema,
  startIndexRequestSchema,
} from "#contract.ts";
import { markRepository } from "#store/records/deletions.store.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { askForPreview } from "#store/records/previews.store.ts";
import { listRepositories } from "#store/records/read-repositories.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { changeRepository, registerRepository } from "#tenants/repository-settings.ts";
import { requireSealer, sealWebhookSecret } from "#credentials/sealer.ts";
import { found } from "#http/kit/found.ts";
import { findRepository, repositoryParamsSchema, requireIndexedRef } from "#http/kit/find-repository.ts";
import { keyOfCursor, pageOfRows, pageQuerySchema } from "#http/kit/page.ts";
import { presentJob, presentRepository } from "#http/kit/presenters.ts";
import { getAccess, getTenant } from "#http/kit/request-tenant.ts";

type RepositoryDependencies = {
  readonly config: Pick<CodeIndexConfig, "CODEINDEX_ALLOW_FILE_URLS">;
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  /** Undefined where secrets can't be kept. */
  readonly sealer: Sealer | undefined;
};

export function repositoryRoutes(dependencies: RepositoryDependencies): Routes {
  return (server) => {
    registration(server, dependencies);
    change(server, dependencies);
    indexing(server, dependencies);
    previewing(server, dependencies);
  };
}

function registration(server: HttpServer, { config, database, clock, sealer }: RepositoryDependencies): void {
  server.post(
    "/api/v1/repos",
    route("admin", "Register a repository, and queue its first index unless `index` is false", {
      body: registerRepositoryRequestSchema,
      response: { 201: repositorySchema },
    }),
    async (request, reply) => {
      const context = { database, allowFileUrls: config.CODEINDEX_ALLOW_FILE_URLS, now: clock.now() };
      const { tenantId } = getTenant(request);
      const id = await registerRepository(context, { tenantId, given: request.body, seal: sealWith(sealer) });
      return reply.status(201).send(presentRepository(await findRepository(database, getAccess(request), id)));
    },
  );

  server.get(
    "/api/v1/repos",
    route("reader", "Repositories and the state of their indexes, by name", {
      querystring: pageQuerySchema,
      response: { 200: toPageSchema(repositorySchema) },
    }),
    async (request) => {
      const { limit, cursor } = request.query;
      const after = keyOfCursor(cursor, registerRepositoryRequestSchema.shape.full_name);
      const rows = await listRepositories(database, { ...getAccess(request), after, limit: limit + 1 });
      return pageOfRows(rows, limit, { present: presentRepository, keyOf: (row) => row.full_name });
    },
  );

  server.get(
    "/api/v1/repos/:repo_id",
    route("reader", "One repository, its branches, and what each way of searching can find", {
      params: repositoryParamsSchema,
      response: { 200: repositorySchema },
    }),
    async (request) => presentRepository(await findRepository(database, getAccess(request), request.params.repo_id)),
  );
}

function change(server: HttpServer, { config, database, clock, sealer }: RepositoryDependencies): void {
  server.patch(
    "/api/v1/repos/:repo_id",
    route("admin", "Change its branches, paths, credential, webhook secret or address", {
      params: repositoryParamsSchema,
      body: changeRepositoryRequestSchema,
      response: { 200: repositorySchema },
    }),
    async (request) => {
      const scope = getAccess(request);
      const context = { database, allowFileUrls: config.CODEINDEX_ALLOW_FILE_URLS, now: clock.now() };
      const { id: repoId } = await findRepository(database, scope, request.params.repo_id);
      const { tenantId } = scope.tenant;
      await changeRepository(context, { tenantId, repoId, given: request.body, seal: sealWith(sealer) });
      // One that is being deleted is not found from now on.
      return presentRepository(await findRepository(database, scope, repoId));
    },
  );

  server.delete(
    "/api/v1/repos/:repo_id",
    route("admin", "Delete it; the index is removed in the background", {
      params: repositoryParamsSchema,
      response: { 202: deletingSchema },
    }),
    async (request, reply) => {
      const scope = getAccess(request);
      const { id: repoId } = await findRepository(database, scope, request.params.repo_id);
      const marked = await markRepository(database, { tenantId: scope.tenant.tenantId, repoId, now: clock.now() });
      found("repository", marked ? repoId : undefined);
      return reply.status(202).send({ id: repoId, status: "deleting" });
    },
  );
}

const deletingSchema = z.object({ id: z.uuid(), status: z.literal("deleting") });

function indexing(server: HttpServer, { database, clock }: RepositoryDependencies): void {
  server.post(
    "/api/v1/repos/:repo_id/index",
    route("user", "Queue an index job; one that waits already is joined", {
      params: repositoryParamsSchema,
      body: startIndexRequestSchema,
      response: { 202: startedJobSchema },
    }),
    async (request, reply) => {
      const mode = indexModeSchema.safeParse(request.body.mode);
      if (!mode.success) {
        throw refusal(400, "invalid_mode", 'The mode is "full" (build everything anew) or "incremental" (only what changed).');
      }
      const scope = getAccess(request);
      const repository = await findRepository(database, scope, request.params.repo_id);
      const ref = requireIndexedRef(repository, request.body.ref);
      const asked = { tenantId: scope.tenant.tenantId, repoId: repository.id, ref, mode: mode.data, trigger: "api" as const };
      return reply.status(202).send({ job: presentJob(await enqueueJob(database, { ...asked, now: clock.now() })) });
    },
  );
}

/** What an index would hold, before it is made; the indexer counts it. */
function previewing(server: HttpServer, { database, clock }: RepositoryDependencies): void {
  server.get(
    "/api/v1/repos/:repo_id/preview",
    route("user", "What an index would hold and leave out, and why; 202 until it is counted", {
      params: repositoryParamsSchema,
      response: { 200: previewAnswerSchema, 202: previewAnswerSchema },
    }),
    async (request, reply) => {
      const access = getAccess(request);
      const { id: repoId } = await findRepository(database, access, request.params.repo_id);
      const row = found("repository", await askForPreview(database, { tenantId: access.tenant.tenantId, repoId, now: clock.now() }));
      const pending = row.status === "queued" || row.status === "running";
      return reply.status(pending ? 202 : 200).send({
        status: pending ? "pending" : row.status,
        completed_at: row.completed_at?.toISOString() ?? null,
        preview: row.preview === null ? null : previewSchema.parse(row.preview),
        error_message: row.error_message,
      });
    },
  );
}

const NOT_KEPT = "Secrets can't be kept: the operator has not set CODEINDEX_ENCRYPTION_KEYS.";

function sealWith(sealer: Sealer | undefined) {
  return (sealing: Parameters<typeof sealWebhookSecret>[1]) => sealWebhookSecret(requireSealer(sealer, NOT_KEPT), sealing);
}
