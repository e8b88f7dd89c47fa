import type { Clock } from "@sightline/foundation/clock";
import type { Routes } from "@sightline/foundation/http/http-server";
import { previewAnswerSchema, previewSchema } from "#contract.ts";
import { askForPreview } from "#store/records/previews.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { found } from "#http/kit/found.ts";
import { findRepository, repositoryParamsSchema } from "#http/kit/find-repository.ts";
import { scopeOf } from "#http/kit/request-tenant.ts";
import { route } from "#http/kit/route.ts";

type PreviewDependencies = { readonly database: CodeIndexDatabase; readonly clock: Clock };

/** What an index of a repository would hold, before it is made. The indexer counts it; `202` until it has. */
export function previewRoutes({ database, clock }: PreviewDependencies): Routes {
  return (server) => {
    server.get(
      "/api/v1/repos/:repo_id/preview",
      route("user", "What an index would hold and leave out, and why; 202 until it is counted", {
        params: repositoryParamsSchema,
        response: { 200: previewAnswerSchema, 202: previewAnswerSchema },
      }),
      async (request, reply) => {
        const access = scopeOf(request);
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
  };
}
