import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http-server";
import { principalOf } from "@sightline/foundation/principal";
import type { Kysely } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { createScoreRequestSchema, listScoresRequestSchema, scorePageSchema, scoreSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { hasProject } from "#store/projects.store.ts";
import { deleteScore, insertScore, listScores } from "#store/scores.store.ts";
import { positionOf, toPage } from "./cursor.ts";
import { projectNotFound } from "./not-found.errors.ts";
import { tenantOf } from "./tenant.ts";

type ScoresOptions = { readonly query: Kysely<ObservabilitySchema>; readonly clock: Clock };

const config = { auth: "user" };
const id = z.uuid();

/** Values that people give traces and observations, beside those that come with the events. */
export function scoreRoutes({ query, clock }: ScoresOptions) {
  async function check(request: Parameters<typeof principalOf>[0], projectId: string): Promise<void> {
    if (!(await hasProject(query, { id: projectId, tenantId: tenantOf(request) }))) {
      throw projectNotFound();
    }
  }

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/scores",
      {
        config,
        schema: {
          summary: "Scores of the application and of people",
          params: z.object({ project_id: id }),
          querystring: listScoresRequestSchema,
          response: { 200: scorePageSchema },
        },
      },
      async (request) => {
        const { project_id: projectId } = request.params;
        const { cursor, limit, trace_id: traceId, name } = request.query;
        const after = positionOf(cursor);
        await check(request, projectId);
        const rows = await listScores(query, { projectId, traceId, name, after, limit: limit + 1 });
        return toPage(rows, limit, ({ position: _position, scored_at: scoredAt, ...row }) => ({
          ...row,
          scored_at: scoredAt.toISOString(),
        }));
      },
    );

    server.post(
      "/api/v1/projects/:project_id/scores",
      {
        config,
        schema: {
          summary: "Score a trace or one of its steps",
          params: z.object({ project_id: id }),
          body: createScoreRequestSchema,
          response: { 201: scoreSchema },
        },
      },
      async (request, reply) => {
        const { project_id: projectId } = request.params;
        await check(request, projectId);
        const { trace_id: traceId, observation_id: observationId, name, value, comment } = request.body;
        const [scoreId, author, scoredAt] = [uuidv7(), userOf(request).userId, clock.now()];
        if (!(await insertScore(query, { id: scoreId, projectId, traceId, observationId, name, value, comment, author, scoredAt }))) {
          throw new AppError({
            code: "trace_not_found",
            status: 404,
            message: "The project has no such trace, or the trace no such observation; one that has just run may take a moment to arrive.",
          });
        }
        return reply.status(201).send({
          id: scoreId,
          trace_id: traceId,
          observation_id: observationId ?? null,
          name,
          value,
          comment: comment ?? null,
          author,
          scored_at: scoredAt.toISOString(),
        });
      },
    );

    server.delete(
      "/api/v1/projects/:project_id/scores/:score_id",
      {
        config,
        schema: {
          summary: "Delete a score that a person gave; its author or an admin",
          params: z.object({ project_id: id, score_id: id }),
          response: { 204: z.void() },
        },
      },
      async (request, reply) => {
        const { project_id: projectId, score_id: scoreId } = request.params;
        await check(request, projectId);
        const { userId, role } = userOf(request);
        if (!(await deleteScore(query, { projectId, id: scoreId, author: role === "admin" ? undefined : userId }))) {
          throw new AppError({
            code: "score_not_found",
            status: 404,
            message: "There is no score of that id that you may delete: your own, or as an admin any that was given here.",
          });
        }
        return reply.status(204).send();
      },
    );
  };
}

function userOf(request: Parameters<typeof principalOf>[0]) {
  const principal = principalOf(request);
  if (principal.kind !== "user") {
    throw new Error(`${request.routeOptions.url ?? request.url} is for users, its auth class let a ${principal.kind} through`);
  }
  return principal;
}
