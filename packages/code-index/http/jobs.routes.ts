import { refusal } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import type { Authenticator, HttpServer, Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import type { Logger } from "@sightline/foundation/log";
import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import { z } from "zod";
import { jobSchema, jobStatusSchema, jobTriggerSchema, toPageSchema, startedJobSchema } from "#contract.ts";
import { enqueueJob, getJob, listJobs, requestCancel, type JobRow } from "#store/records/jobs.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { found, parseId } from "#http/kit/found.ts";
import { findRepository, requireIndexedRef } from "#http/kit/find-repository.ts";
import { createJobEvents } from "./job-events.ts";
import { keyOfCursor, pageOfRows, pageQuerySchema } from "#http/kit/page.ts";
import { presentJob } from "#http/kit/presenters.ts";
import { getAccess, getTenant, type IncomingRequest } from "#http/kit/request-tenant.ts";

type JobDependencies = {
  readonly database: CodeIndexDatabase;
  readonly clock: Clock;
  readonly log: Logger;
  /** Asked again while somebody watches a job. */
  readonly reader: Authenticator;
};

const jobParamsSchema = z.object({ job_id: z.string() });
const jobsQuerySchema = pageQuerySchema.extend({
  repo_id: z.uuid().optional(),
  status: jobStatusSchema.optional(),
  trigger: jobTriggerSchema.optional(),
});

const eventStream = streamedAnswer(
  "text/event-stream",
  "Server-sent events: `job` with the job's state, at once and at each change, until it has ended.",
);

export function jobRoutes(dependencies: JobDependencies): Routes {
  return (server) => {
    reading(dependencies, server);
    watching(dependencies, server);
    changing(dependencies, server);
  };
}

function reading({ database }: JobDependencies, server: HttpServer): void {
  server.get(
    "/api/v1/jobs",
    route("reader", "Index jobs, newest first", { querystring: jobsQuerySchema, response: { 200: toPageSchema(jobSchema) } }),
    async (request) => {
      const { limit, cursor, repo_id: repoId, status, trigger } = request.query;
      const after = keyOfCursor(cursor, z.uuid());
      const rows = await listJobs(database, { ...readingOf(request), repoId, status, trigger, after, limit: limit + 1 });
      return pageOfRows(rows, limit, { present: presentJob, keyOf: (row) => row.job_id });
    },
  );

  server.get(
    "/api/v1/jobs/:job_id",
    route("reader", "One index job", { params: jobParamsSchema, response: { 200: jobSchema } }),
    async (request) => presentJob(await findJob(database, request, request.params.job_id)),
  );
}

function watching({ database, clock, log, reader }: JobDependencies, server: HttpServer): void {
  const events = createJobEvents({ database, clock, log });
  server.addHook("preClose", async () => events.stop());

  server.get(
    "/api/v1/jobs/:job_id/events",
    route("reader", "Its progress as server-sent events; 204 once it has ended", {
      params: jobParamsSchema,
      response: { 200: eventStream, 204: z.null() },
    }),
    async (request, reply) => {
      const { job_id: jobId } = request.params;
      const job = await findJob(database, request, jobId);
      const lastEventId = request.headers["last-event-id"];
      const stream = events.open({
        tenantId: job.tenant_id,
        job,
        lastEventId: typeof lastEventId === "string" ? lastEventId : undefined,
        check: async () => {
          await reader(request);
          await findJob(database, request, jobId);
        },
      });
      if (stream === undefined) {
        return reply.status(204).send(null);
      }
      return reply
        .header("content-type", "text/event-stream; charset=utf-8")
        .header("cache-control", "no-store")
        .header("x-accel-buffering", "no")
        .send(stream);
    },
  );
}

function changing({ database, clock }: JobDependencies, server: HttpServer): void {
  server.post(
    "/api/v1/jobs/:job_id/cancel",
    route("user", "Stop a job that waits or runs", { params: jobParamsSchema, response: { 200: jobSchema } }),
    async (request) => {
      const jobId = parseId("job", request.params.job_id);
      const { tenantId } = getTenant(request);
      return presentJob(found("job", await requestCancel(database, { tenantId, jobId, now: clock.now() })));
    },
  );

  server.post(
    "/api/v1/jobs/:job_id/retry",
    route("user", "Queue a job that failed once more", { params: jobParamsSchema, response: { 202: startedJobSchema } }),
    async (request, reply) => {
      const job = await findJob(database, request, request.params.job_id);
      if (job.status === "queued" || job.status === "running") {
        throw refusal(
          409,
          "job_not_ended",
          `The job is ${job.status}; only one that has ended can be tried again. Cancel it first, or wait.`,
        );
      }
      // An admin may have taken its branch away since.
      const ref = requireIndexedRef(await findRepository(database, getAccess(request), job.repo_id), job.ref ?? undefined);
      const again = await enqueueJob(database, {
        tenantId: job.tenant_id,
        repoId: job.repo_id,
        ref,
        mode: job.mode,
        trigger: "api",
        now: clock.now(),
      });
      return reply.status(202).send({ job: presentJob(again) });
    },
  );
}

function readingOf(request: IncomingRequest) {
  const { tenant, repositories } = getAccess(request);
  return { tenantId: tenant.tenantId, repositories };
}

async function findJob(database: CodeIndexDatabase, request: IncomingRequest, jobId: string): Promise<JobRow> {
  return found("job", await getJob(database, { ...readingOf(request), jobId: parseId("job", jobId) }));
}
