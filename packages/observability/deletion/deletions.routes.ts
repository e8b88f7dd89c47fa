import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import {
  bulkAnswerSchema,
  deleteTracesRequestSchema,
  deletionPageSchema,
  deletionParamsSchema,
  deletionSchema,
  listRequestSchema,
  userParamsSchema,
  type Deletion,
} from "#contract.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { InProject } from "#store/reader.ts";
import { deleteTraces } from "./delete-traces.store.ts";
import { findDeletion, listDeletions, recordDeletion, type DeletionRow } from "./deletions.store.ts";

const deletionNotFound = () =>
  refusal(404, "deletion_not_found", "The project has no deletion of that id; GET …/deletions lists those it has.");

/** What an owner deletes of what was observed, and what is recorded of that. */
export function deletionRoutes({ query, log }: Pick<RouteDependencies, "query" | "log">) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id";

    server.post(
      `${path}/traces/delete`,
      {
        config: { auth: "user" },
        schema: {
          summary:
            "Delete traces with their steps, scores and dead letters, also from the figures; contents that no other trace needs follow",
          params: projectParams,
          body: deleteTracesRequestSchema,
          response: { 200: bulkAnswerSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "owner");
        const deletion = await record(project);
        const traces = await deleteTraces(query, { ...project, ids: request.body.trace_ids, deletion });
        log.info({ project: project.projectId, traces, deletion: deletion.id, by: deletion.by }, "traces were deleted");
        return { traces };
      },
    );

    server.delete(
      `${path}/users/:user_id`,
      {
        config: { auth: "user-or-operator" },
        schema: {
          summary:
            "Delete all traces of a user of the project's application, with everything that belongs to them; goes on in the background",
          params: userParamsSchema,
          response: { 202: deletionSchema },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "owner");
        const { id, by } = await record(project, request.params.user_id);
        log.info({ project: project.projectId, deletion: id, by }, "the deletion of a user's traces was asked for");
        return reply.status(202).send(await load(project, id));
      },
    );

    server.get(
      `${path}/deletions`,
      {
        config: { auth: "user-or-operator" },
        schema: {
          summary: "What was deleted of the project, by whom and when",
          params: projectParams,
          querystring: listRequestSchema,
          response: { 200: deletionPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit } = request.query;
        const after = readCursor(cursor);
        const project = await enterProject(query, request, "owner");
        return toPage(await listDeletions(query, { ...project, after, limit: limit + 1 }), limit, present);
      },
    );

    server.get(
      `${path}/deletions/:deletion_id`,
      {
        config: { auth: "user-or-operator" },
        schema: { summary: "One deletion, and how far it is", params: deletionParamsSchema, response: { 200: deletionSchema } },
      },
      async (request) => load(await enterProject(query, request, "owner"), request.params.deletion_id),
    );
  };

  async function record(project: InProject, userId?: string) {
    const by = toAuthor(project.reader);
    const id = await recordDeletion(query, { ...project, id: uuidv7(), by, ...(userId !== undefined && { userId }) });
    return { id: orRefuse(id, projectNotFound), by };
  }

  async function load(project: InProject, id: string): Promise<Deletion> {
    return present(orRefuse(await findDeletion(query, { ...project, id }), deletionNotFound));
  }
}

function present({ position: _position, emptied_at: emptiedAt, ...row }: DeletionRow): Deletion {
  return {
    ...row,
    state: row.finished_at !== null ? "done" : emptiedAt === null ? "deleting" : "settling",
    requested_at: row.requested_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
