import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  changeProjectRequestSchema,
  createProjectRequestSchema,
  listRequestSchema,
  projectPageSchema,
  projectSchema,
  type Project,
} from "#contract.ts";
import { tellAudit, type Accounts } from "#accounts.ts";
import type { Reader } from "#store/reader.ts";
import { deleteProject } from "#store/delete-project.store.ts";
import { changeProject, findProject, insertProject, listProjects, type ProjectSummary } from "#store/projects.store.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { projectNotFound } from "#query/access/not-found.errors.ts";
import { toAuthor, getReader, getUserReader } from "#query/access/request-reader.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";

const RECENT_MS = 24 * 60 * 60 * 1000;
const config = { auth: "user" };

export function projectRoutes({ query, clock, log, accounts }: RouteDependencies & { readonly accounts: Accounts | undefined }) {
  const recentSince = () => new Date(clock.now().getTime() - RECENT_MS);

  async function load(id: string, reader: Reader): Promise<Project> {
    const project = orRefuse(await findProject(query, { id, reader, recentSince: recentSince() }), projectNotFound);
    return present(project);
  }

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects",
      {
        config,
        schema: {
          summary: "Projects that the caller may see, newest first",
          querystring: listRequestSchema,
          response: { 200: projectPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit } = request.query;
        const after = readCursor(cursor);
        const rows = await listProjects(query, { reader: getReader(request), recentSince: recentSince(), after, limit: limit + 1 });
        return toPage(rows, limit, present);
      },
    );

    server.post(
      "/api/v1/projects",
      {
        config,
        schema: {
          summary: "Create a project; who creates it is its first owner",
          body: createProjectRequestSchema,
          response: { 201: projectSchema },
        },
      },
      async (request, reply) => {
        const [id, reader] = [uuidv7(), getUserReader(request)];
        await insertProject(query, { id, tenantId: reader.tenantId, ...request.body, ownerId: reader.userId });
        log.info({ project: id, access: request.body.access, by: reader.userId }, "a project was created");
        return reply.status(201).send(await load(id, reader));
      },
    );

    server.get(
      "/api/v1/projects/:project_id",
      {
        config: { auth: "user-or-key" },
        schema: { summary: "One project", params: projectParams, response: { 200: projectSchema } },
      },
      (request) => load(request.params.project_id, getReader(request)),
    );

    server.patch(
      "/api/v1/projects/:project_id",
      {
        config: { auth: "user-or-operator" },
        schema: {
          summary: "Change its name, who may see it, how many days traces are kept, or whether they may be shared",
          params: projectParams,
          body: changeProjectRequestSchema,
          response: { 200: projectSchema },
        },
      },
      async (request) => {
        const { reader, projectId: id } = await enterProject(query, request, "owner");
        const { name, access, retention_days: retentionDays, is_sharing: isSharing, playground_budget: playgroundBudget } = request.body;
        if (isSharing !== undefined && isSharing !== (await load(id, reader)).is_sharing) {
          const details = { project: id, sharing: isSharing ? "on" : "off" };
          await tellAudit(accounts, { event: "sharing_changed", at: clock.now(), reader, request, details });
        }
        if (!(await changeProject(query, { id, reader, name, access, retentionDays, isSharing, playgroundBudget }))) {
          throw projectNotFound();
        }
        log.info({ project: id, ...request.body, by: toAuthor(reader) }, "a project was changed");
        return load(id, reader);
      },
    );

    server.delete(
      "/api/v1/projects/:project_id",
      {
        config: { auth: "user-or-operator" },
        schema: {
          summary: "Delete a project with everything in it; what it held is gone from the disk a while later",
          params: projectParams,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const { reader, projectId: id } = await enterProject(query, request, "owner");
        if (!(await deleteProject(query, { id, reader }))) {
          throw projectNotFound();
        }
        log.info({ project: id, by: toAuthor(reader) }, "a project was deleted");
        return reply.status(204).send(null);
      },
    );
  };
}

function present(project: ProjectSummary): Project {
  const { position: _position, created_at: createdAt, last_trace_at: lastTraceAt, ...rest } = project;
  return { ...rest, created_at: createdAt.toISOString(), last_trace_at: lastTraceAt?.toISOString() ?? null };
}
