import { refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { createScoreRequestSchema, listScoresRequestSchema, scoreNamesSchema, scorePageSchema, scoreSchema } from "#contract.ts";
import { deleteScore, hasAllScores, insertScore, listScoreNames, listScores, MAX_SCORES } from "./scores.store.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { getReader, getUserReader, toAuthor } from "#query/access/request-reader.ts";
import { requireScoreValue } from "#query/access/score-value.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";

const config = { auth: "user" };
const id = z.uuid();
const MAX_NAMES = 200;

/** Serves scores that people give traces and observations, beside those that come with the events. */
export function scoreRoutes({ query, clock }: Pick<RouteDependencies, "query" | "clock">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/scores",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Scores of the application and of people",
          params: projectParams,
          querystring: listScoresRequestSchema,
          response: { 200: scorePageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, trace_id: traceId, name } = request.query;
        const after = readCursor(cursor);
        const { reader, projectId } = await enterProject(query, request, "viewer");
        const rows = await listScores(query, { projectId, reader, traceId, name, after, limit: limit + 1 });
        return toPage(rows, limit, ({ position: _position, scored_at: scoredAt, ...row }) => ({
          ...row,
          scored_at: scoredAt.toISOString(),
        }));
      },
    );

    server.get(
      "/api/v1/projects/:project_id/scores/names",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Names that scores of the project have, 200 at the most",
          params: projectParams,
          response: { 200: scoreNamesSchema },
        },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "viewer");
        return { items: [...(await listScoreNames(query, { reader, projectId, limit: MAX_NAMES }))] };
      },
    );

    server.post(
      "/api/v1/projects/:project_id/scores",
      {
        config: { auth: "user-or-scoring-key" },
        schema: {
          summary: "Score a trace or one of its steps; also by an API key with the scope scores",
          params: projectParams,
          body: createScoreRequestSchema,
          response: { 201: scoreSchema },
        },
      },
      async (request, reply) => {
        // A key that was let in may score; of people editors may.
        const isPerson = getReader(request).kind === "user";
        const needed = isPerson ? "editor" : "viewer";
        const { projectId, reader } = await enterProject(query, request, needed);
        const { trace_id: traceId, observation_id: observationId, name, comment } = request.body;
        const value = await requireScoreValue(query, { projectId, reader, score: request.body });
        if (await hasAllScores(query, projectId, traceId)) {
          throw refusal(409, "too_many_scores", `The trace has ${MAX_SCORES} scores, which is the most.`);
        }
        const source = isPerson ? "person" : "application";
        const [scoreId, author, scoredAt] = [uuidv7(), isPerson ? toAuthor(reader) : null, clock.now()];
        const given = { traceId, observationId, name, value, comment, source, author, scoredAt } as const;
        if (!(await insertScore(query, { id: scoreId, projectId, reader, needed, ...given }))) {
          throw refusal(
            404,
            "trace_not_found",
            "The project has no such trace, or the trace no such observation; one that has just run may take a moment to arrive.",
          );
        }
        return reply.status(201).send({
          id: scoreId,
          trace_id: traceId,
          observation_id: observationId ?? null,
          name,
          ...value,
          comment: comment ?? null,
          source,
          author,
          evaluator_version: null,
          judge_trace_id: null,
          is_calibrated: null,
          queue_id: null,
          is_resolution: false,
          scored_at: scoredAt.toISOString(),
        });
      },
    );

    server.delete(
      "/api/v1/projects/:project_id/scores/:score_id",
      {
        config,
        schema: {
          summary: "Delete a score that a person gave; its author, or an owner of the project",
          params: z.object({ project_id: id, score_id: id }),
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const { projectId } = await enterProject(query, request, "editor");
        const reader = getUserReader(request);
        if (!(await deleteScore(query, { projectId, id: request.params.score_id, reader, author: reader.userId }))) {
          throw refusal(
            404,
            "score_not_found",
            "There is no score of that id that you may delete: your own, or as an owner any that was given here.",
          );
        }
        return reply.status(204).send(null);
      },
    );
  };
}
