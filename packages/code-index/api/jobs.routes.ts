import { AppError } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Routes } from "@sightline/foundation/http-server";
import { z } from "zod";
import { jobSchema, pageOf } from "#contract.ts";
import { getJob, listJobs, requestCancel, type JobRow } from "#store/jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenant.ts";
import { keyOfCursor, pageOfRows, pageQuerySchema } from "./page.ts";
import { presentJob } from "./presenters.ts";
import { tenantOf } from "./request-tenant.ts";

type JobDependencies = { readonly database: CodeIndexDatabase; readonly clock: Clock };

const jobParamsSchema = z.object({ job_id: z.string() });
const jobsQuerySchema = pageQuerySchema.extend({ repo_id: z.uuid().optional() });

export function jobRoutes({ database, clock }: JobDependencies): Routes {
  return (server) => {
    server.get(
      "/api/v1/jobs",
      { config: { auth: "reader" }, schema: { querystring: jobsQuerySchema, response: { 200: pageOf(jobSchema) } } },
      async (request) => {
        const { limit, cursor, repo_id: repoId } = request.query;
        const after = keyOfCursor(cursor, z.uuid());
        const rows = await listJobs(database, { tenantId: tenantOf(request).tenantId, repoId, after, limit: limit + 1 });
        return pageOfRows(rows, limit, { present: presentJob, keyOf: (row) => row.job_id });
      },
    );

    server.get(
      "/api/v1/jobs/:job_id",
      { config: { auth: "reader" }, schema: { params: jobParamsSchema, response: { 200: jobSchema } } },
      async (request) => {
        const jobId = jobIdOf(request.params.job_id);
        return presentJob(known(await getJob(database, { tenantId: tenantOf(request).tenantId, jobId })));
      },
    );

    server.post(
      "/api/v1/jobs/:job_id/cancel",
      { config: { auth: "user" }, schema: { params: jobParamsSchema, response: { 200: jobSchema } } },
      async (request) => {
        const jobId = jobIdOf(request.params.job_id);
        const { tenantId } = tenantOf(request);
        return presentJob(known(await requestCancel(database, { tenantId, jobId, now: clock.now() })));
      },
    );
  };
}

/** What can't be an identifier is the identifier of no job. */
function jobIdOf(given: string): string {
  const id = z.uuid().safeParse(given);
  if (!id.success) {
    throw jobNotFound();
  }
  return id.data;
}

function known(row: JobRow | undefined): JobRow {
  if (row === undefined) {
    throw jobNotFound();
  }
  return row;
}

function jobNotFound(): AppError {
  return new AppError({ code: "job_not_found", status: 404, message: "There is no job with this id; GET /api/v1/jobs lists them." });
}
