import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { changeViewRequestSchema, createViewRequestSchema, viewListSchema, viewSchema, type View } from "#contract.ts";
import type { OneInProject } from "#store/reader.ts";
import { changeView, deleteView, findView, insertView, listViews, type ViewRow, MAX_VIEWS } from "./views.store.ts";
import { getReader } from "#query/access/request-reader.ts";
import { enterProject, requireRole, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { readListTerms } from "./list-terms.ts";
import { orRefuse, refusal } from "@sightline/foundation/errors";

const config = { auth: "user" };
const oneParams = projectParams.extend({ view_id: z.uuid() });

/** Saved lists of traces: a person's own, and those that are shared in the project. */
export function viewRoutes({ query }: Pick<RouteDependencies, "query">) {
  async function load(chosen: OneInProject): Promise<ViewRow> {
    return orRefuse(await findView(query, chosen), viewNotFound);
  }

  /** @throws {AppError} 404 or 403 when they may not change it. */
  async function requireChange(chosen: OneInProject): Promise<void> {
    await requireRole(query, { id: chosen.projectId, reader: chosen.reader, role: "editor" });
    if (!(await load(chosen)).can_change) {
      throw notYourView();
    }
  }

  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/views";

    server.get(
      path,
      {
        config,
        schema: {
          summary: "Saved views of a project's traces: one's own and the shared",
          params: projectParams,
          response: { 200: viewListSchema },
        },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "viewer");
        return { items: (await listViews(query, { projectId, reader })).map(present), next_cursor: null };
      },
    );

    server.post(
      path,
      {
        config,
        schema: {
          summary: "Save a view of a project's traces",
          params: projectParams,
          body: createViewRequestSchema,
          response: { 201: viewSchema },
        },
      },
      async (request, reply) => {
        const { order, shared, ...fields } = request.body;
        readListTerms({ q: fields.query });
        const { reader, projectId } = await enterProject(query, request, "editor");
        const id = uuidv7();
        if (!(await insertView(query, { ...fields, sort_order: order, is_shared: shared, projectId, reader, id }))) {
          throw tooManyViews();
        }
        return reply.status(201).send(present(await load({ projectId, reader, id })));
      },
    );

    server.patch(
      `${path}/:view_id`,
      {
        config,
        schema: { summary: "Change a saved view", params: oneParams, body: changeViewRequestSchema, response: { 200: viewSchema } },
      },
      async (request) => {
        const chosen = { projectId: request.params.project_id, reader: getReader(request), id: request.params.view_id };
        const { order, shared, ...fields } = request.body;
        readListTerms({ q: fields.query });
        await requireChange(chosen);
        const given = { ...fields, sort_order: order, is_shared: shared };
        await changeView(query, chosen, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
        return present(await load(chosen));
      },
    );

    server.delete(
      `${path}/:view_id`,
      { config, schema: { summary: "Delete a saved view", params: oneParams, response: { 204: z.null() } } },
      async (request, reply) => {
        const chosen = { projectId: request.params.project_id, reader: getReader(request), id: request.params.view_id };
        await requireChange(chosen);
        await deleteView(query, chosen);
        return reply.status(204).send(null);
      },
    );
  };
}

function present({ sort_order: order, is_shared: shared, changed_at: changedAt, ...view }: ViewRow): View {
  return { ...view, order, shared, changed_at: changedAt.toISOString() };
}

const viewNotFound = () => refusal(404, "view_not_found", "There is no such view, or it is somebody's own. GET …/views lists yours.");

const notYourView = () =>
  refusal(403, "not_your_view", "Only its author or an owner of the project changes a shared view. Save one of your own.");

const tooManyViews = () =>
  refusal(409, "too_many_views", `You have ${MAX_VIEWS} saved views in this project, which is the most. Delete some.`);
