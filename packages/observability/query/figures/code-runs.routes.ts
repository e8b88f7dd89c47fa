import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Kysely } from "kysely";
import { z } from "zod";
import { codeRunsRequestSchema, codeRunsSchema, type CodePlace, type CodeRuns, type CodeRunsRequest } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { findCodeRuns, type CodePlaceRow } from "./code-runs.store.ts";
import { hasProjectRole, type Reader } from "#store/reader.ts";
import { findUncountedHours } from "#counting/uncounted-hours.store.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { getReader } from "#query/access/request-reader.ts";

type CodeRunsOptions = { readonly query: Kysely<ObservabilitySchema>; readonly clock: Clock };

const DAY_MS = 86_400_000;

/** Serves the traces that ran a piece of code. */
export function codeRunRoutes({ query, clock }: CodeRunsOptions) {
  async function find(
    reader: Reader,
    projectId: string | undefined,
    { days, limit, repo, path, from, to }: CodeRunsRequest,
  ): Promise<CodeRuns> {
    const since = new Date(clock.now().getTime() - days * DAY_MS);
    const rows = await findCodeRuns(query, { reader, projectId, repo, path, from, to, since, limit: limit + 1 });
    const { since: uncounted } = await findUncountedHours(query, { reader, projectId, from: since });
    return { items: rows.slice(0, limit).map(present), truncated: rows.length > limit, uncounted_since: uncounted?.toISOString() ?? null };
  }

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/code",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Which functions of a file ran in a project's traces, how often, how long and how well",
          params: z.object({ project_id: z.uuid() }),
          querystring: codeRunsRequestSchema,
          response: { 200: codeRunsSchema },
        },
      },
      async (request) => {
        const [reader, id] = [getReader(request), request.params.project_id];
        if (!(await hasProjectRole(query, { id, reader, role: "viewer" }))) {
          throw projectNotFound();
        }
        return find(reader, id, request.query);
      },
    );

    server.get(
      "/api/v1/code-runs",
      {
        config: { auth: "user" },
        schema: {
          summary: "The same over all projects that whoever asks may see",
          querystring: codeRunsRequestSchema,
          response: { 200: codeRunsSchema },
        },
      },
      (request) => find(getReader(request), undefined, request.query),
    );
  };
}

function present(row: CodePlaceRow): CodePlace {
  return {
    project_id: row.project_id,
    project: row.project_name,
    function: row.function === "" ? null : row.function,
    line: row.line,
    commit: row.commit === "" ? null : row.commit,
    runs: row.runs,
    failures: row.failures,
    p95_ms: row.p95_ms,
    last_run_at: row.last_at.toISOString(),
    latest: row.latest.map((run) => ({
      project_id: row.project_id,
      trace_id: run.trace_id,
      trace_name: run.trace_name ?? "(start not received)",
      observation_id: run.id,
      status: run.status,
      started_at: new Date(run.at).toISOString(),
      duration_ms: run.duration_ms,
    })),
  };
}
