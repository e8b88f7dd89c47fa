import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { changeViewRequestSchema, createViewRequestSchema, viewListSchema, viewSchema, type View } from "#contract.ts";
import type { Query } from "#schema.ts";
import type { Reader } from "#store/reader.ts";
import { changeView, deleteView, findView, insertView, listViews, type ViewRow, MAX_VIEWS } from "./views.store.ts";
import { readerOf } from "#query/access/reader-of.ts";
import { requireRole } from "#query/access/require-role.ts";
import { termsOf } from "./traces-wanted.ts";
import { AppError } from "@sightline/foundation/errors";

type Chosen = { readonly projectId: string; readonly reader: Reader; readonly id: string };

const config = { auth: "user" };
const params = z.object({ project_id: z.uuid() });
const oneParams = params.extend({ view_id: z.uuid() });

/** Saved lists of traces: a person's own, and those that are shared in the project. */
export function viewRoutes({ query }: { readonly query: Query }) {
  async function load(chosen: Chosen): Promise<ViewRow> {
    const view = await findView(query, chosen);
    if (view === undefined) {
      throw viewNotFound();
    }
    return view;
  }

  /** @throws {AppError} 404 or 403 when they may not change it. */
  async function requireChange(chosen: Chosen): Promise<void> {
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
        schema: { summary: "Saved views of a project's traces: one's own and the shared", params, response: { 200: viewListSchema } },
      },
      async (request) => {
        const [reader, projectId] = [readerOf(request), request.params.project_id];
        await requireRole(query, { id: projectId, reader, role: "viewer" });
        return { items: (await listViews(query, { projectId, reader })).map(present), next_cursor: null };
      },
    );

    server.post(
      path,
      {
        config,
        schema: { summary: "Save a view of a project's traces", params, body: createViewRequestSchema, response: { 201: viewSchema } },
      },
      async (request, reply) => {
        const [reader, projectId, id] = [readerOf(request), request.params.project_id, uuidv7()];
        const { order, shared, ...fields } = request.body;
        termsOf({ q: fields.query });
        await requireRole(query, { id: projectId, reader, role: "editor" });
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
        const chosen = { projectId: request.params.project_id, reader: readerOf(request), id: request.params.view_id };
        const { order, shared, ...fields } = request.body;
        termsOf({ q: fields.query });
        await requireChange(chosen);
        const given = { ...fields, sort_order: order, is_shared: shared };
        await changeView(query, chosen, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
        return present(await load(chosen));
      },
    );

    server.delete(
      `${path}/:view_id`,
      { config, schema: { summary: "Delete a saved view", params: oneParams, response: { 204: z.void() } } },
      async (request, reply) => {
        const chosen = { projectId: request.params.project_id, reader: readerOf(request), id: request.params.view_id };
        await requireChange(chosen);
        await deleteView(query, chosen);
        return reply.status(204).send();
      },
    );
  };
}

function present({ sort_order: order, is_shared: shared, changed_at: changedAt, ...view }: ViewRow): View {
  return { ...view, order, shared, changed_at: changedAt.toISOString() };
}

function viewNotFound(): AppError {
  return new AppError({
    code: "view_not_found",
    status: 404,
    message: "There is no such view, or it is somebody's own. GET …/views lists yours.",
  });
}

function notYourView(): AppError {
  return new AppError({
    code: "not_your_view",
    status: 403,
    message: "Only its author or an owner of the project changes a shared view. Save one of your own.",
  });
}

function tooManyViews(): AppError {
  return new AppError({
    code: "too_many_views",
    status: 409,
    message: `You have ${MAX_VIEWS} saved views in this project, which is the most. Delete some.`,
  });
}
