import type { HttpServer } from "@sightline/foundation/http/http-server";
import { bulkAnswerSchema, scoreTracesRequestSchema, tagTracesRequestSchema } from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor, getUserReader } from "#query/access/request-reader.ts";
import { requireScoreValue } from "#query/access/score-value.ts";
import { scoreTraces, tagTraces } from "./bulk.store.ts";

const config = { auth: "user" };

/** What is done to many traces of the list at once. */
export function bulkRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/traces";

    server.post(
      `${path}/tag`,
      {
        config,
        schema: {
          summary: "Add tags to traces, or take away tags that were added here",
          params: projectParams,
          body: tagTracesRequestSchema,
          response: { 200: bulkAnswerSchema },
        },
      },
      async (request) => {
        const { trace_ids: ids, add, remove } = request.body;
        const project = await enterProject(query, request, "editor");
        const traces = await tagTraces(query, { ...project, ids, add, remove });
        log.info({ project: project.projectId, traces, add, remove, by: toAuthor(project.reader) }, "traces were tagged");
        return { traces };
      },
    );

    server.post(
      `${path}/score`,
      {
        config,
        schema: {
          summary: "Give traces the same score, in place of the one of that name that you gave them so before",
          params: projectParams,
          body: scoreTracesRequestSchema,
          response: { 200: bulkAnswerSchema },
        },
      },
      async (request) => {
        const { trace_ids: ids, name, comment } = request.body;
        const project = await enterProject(query, request, "editor");
        const value = await requireScoreValue(query, { ...project, score: request.body });
        const author = getUserReader(request).userId;
        const traces = await scoreTraces(query, { ...project, ids, name, value, comment, author, scoredAt: clock.now() });
        log.info({ project: project.projectId, traces, score: name, by: author }, "traces were scored");
        return { traces };
      },
    );
  };
}
