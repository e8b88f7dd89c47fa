import type { Clock } from "@sightline/foundation/clock";
import type { HttpServer } from "@sightline/foundation/http-server";
import type { Kysely } from "kysely";
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
import type { ObservabilitySchema } from "#schema.ts";
import { changeProject, findProject, insertProject, listProjects, type ProjectSummary } from "#store/projects.store.ts";
import { actorOf } from "./actor.ts";
import { positionOf, toPage } from "./cursor.ts";
import { projectNotFound } from "./not-found.errors.ts";
import { tenantOf } from "./tenant.ts";

type ProjectsOptions = { readonly query: Kysely<ObservabilitySchema>; readonly clock: Clock };

const RECENT_MS = 24 * 60 * 60 * 1000;
const config = { auth: "user" };

export function projectRoutes({ query, clock }: ProjectsOptions) {
  const recentSince = () => new Date(clock.now().getTime() - RECENT_MS);

  async function load(id: string, tenantId: string | undefined): Promise<Project> {
    const project = await findProject(query, { id, tenantId, recentSince: recentSince() });
    if (project === undefined) {
      throw projectNotFound();
    }
    return present(project);
  }

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects",
      { config, schema: { summary: "Projects of the tenant", querystring: listRequestSchema, response: { 200: projectPageSchema } } },
      async (request) => {
        const { cursor, limit } = request.query;
        const after = positionOf(cursor);
        const rows = await listProjects(query, { tenantId: tenantOf(request), recentSince: recentSince(), after, limit: limit + 1 });
        return toPage(rows, limit, present);
      },
    );

    server.post(
      "/api/v1/projects",
      { config, schema: { summary: "Create a project", body: createProjectRequestSchema, response: { 201: projectSchema } } },
      async (request, reply) => {
        const [id, tenantId] = [uuidv7(), tenantOf(request)];
        await insertProject(query, { id, tenantId, name: request.body.name });
        return reply.status(201).send(await load(id, tenantId));
      },
    );

    server.get(
      "/api/v1/projects/:project_id",
      { config, schema: { summary: "One project", params: z.object({ project_id: z.uuid() }), response: { 200: projectSchema } } },
      (request) => load(request.params.project_id, tenantOf(request)),
    );

    server.patch(
      "/api/v1/projects/:project_id",
      {
        config: { auth: "admin-or-operator" },
        schema: {
          summary: "Change its name, or how many days traces are kept",
          params: z.object({ project_id: z.uuid() }),
          body: changeProjectRequestSchema,
          response: { 200: projectSchema },
        },
      },
      async (request) => {
        const [id, { tenantId }] = [request.params.project_id, actorOf(request)];
        const { name, retention_days: retentionDays } = request.body;
        if (!(await changeProject(query, { id, tenantId, name, retentionDays }))) {
          throw projectNotFound();
        }
        return load(id, tenantId);
      },
    );
  };
}

function present(project: ProjectSummary): Project {
  const {
    id,
    name,
    created_at: createdAt,
    retention_days: retentionDays,
    recent_traces: recentTraces,
    last_trace_at: lastTraceAt,
  } = project;
  return {
    id,
    name,
    created_at: createdAt.toISOString(),
    retention_days: retentionDays,
    recent_traces: recentTraces,
    last_trace_at: lastTraceAt?.toISOString() ?? null,
  };
}
