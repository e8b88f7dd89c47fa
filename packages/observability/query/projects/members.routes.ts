import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { listRequestSchema, memberPageSchema, putMemberRequestSchema } from "#contract.ts";
import { listMembers, putMember, removeMember, type MemberChange, MAX_MEMBERS } from "./members.store.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { toAuthor, getReader } from "#query/access/request-reader.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { refusal } from "@sightline/foundation/errors";

const config = { auth: "user-or-operator" };
/** Lower case, as in access tokens. */
const memberParams = projectParams.extend({ user_id: z.uuid().toLowerCase() });

/**
 * Serves the members of a project. Accounts belong to identity and are not known here: the id of nobody's or another
 * tenant's account opens nothing, since the project's tenant must be the access token's too.
 */
export function memberRoutes({ query, log }: Pick<RouteDependencies, "query" | "log">) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/members",
      {
        config,
        schema: {
          summary: "Members of a project, the newest first; the tenant's admins are owners without being members",
          params: projectParams,
          querystring: listRequestSchema,
          response: { 200: memberPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit } = request.query;
        const after = readCursor(cursor);
        const { reader, projectId } = await enterProject(query, request, "viewer");
        const rows = await listMembers(query, { projectId, reader, after, limit: limit + 1 });
        return toPage(rows, limit, ({ id: _id, position: _position, added_at: addedAt, ...row }) => ({
          ...row,
          added_at: addedAt.toISOString(),
        }));
      },
    );

    server.put(
      "/api/v1/projects/:project_id/members/:user_id",
      {
        config,
        schema: {
          summary: "Add somebody to a project, or give them another role",
          params: memberParams,
          body: putMemberRequestSchema,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const { user_id: userId } = request.params;
        const { role } = request.body;
        const { reader, projectId } = await enterProject(query, request, "owner");
        const by = toAuthor(reader);
        check(await putMember(query, { projectId, reader, userId, role, by }));
        log.info({ project: projectId, member: userId, role, by }, "a project's member was added or changed");
        return reply.status(204).send(null);
      },
    );

    server.delete(
      "/api/v1/projects/:project_id/members/:user_id",
      {
        config,
        schema: {
          summary: "Take somebody out of a project; everybody may leave one",
          params: memberParams,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const { user_id: userId } = request.params;
        const by = toAuthor(getReader(request));
        const { reader, projectId } = await enterProject(query, request, by === userId ? "viewer" : "owner");
        check(await removeMember(query, { projectId, reader, userId }));
        log.info({ project: projectId, member: userId, by }, "a project's member was removed");
        return reply.status(204).send(null);
      },
    );
  };
}

function check(change: MemberChange): void {
  switch (change) {
    case "done":
      return;
    case "refused":
      // The caller was an owner when the request arrived.
      throw projectNotFound();
    case "last_owner":
      throw lastOwner();
    case "too_many":
      throw tooManyMembers();
    default:
      change satisfies never;
  }
}

const lastOwner = () =>
  refusal(409, "last_owner", "This is the project's last owner. Make somebody else an owner first, or ask an admin of your organization.");

const tooManyMembers = () =>
  refusal(
    409,
    "too_many_members",
    `A project has ${MAX_MEMBERS} members at the most. Open it to your whole organization instead: PATCH it with {"access": "tenant"}.`,
  );
