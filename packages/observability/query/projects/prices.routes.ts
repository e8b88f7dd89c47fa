import type { Clock } from "@sightline/foundation/clock";
import { AppError } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { Logger } from "@sightline/foundation/log";
import { z } from "zod";
import { deletePriceRequestSchema, priceListSchema, putPriceRequestSchema, type Price } from "#contract.ts";
import type { Query } from "#schema.ts";
import { deletePrice, listPrices, MAX_PRICES, putPrice, type PriceRow } from "#prices/prices.store.ts";
import { authorOf, readerOf } from "#query/access/reader-of.ts";
import { requireRole } from "#query/access/require-role.ts";

type PricesOptions = { readonly query: Query; readonly clock: Clock; readonly log: Logger };

const HOUR_MS = 3_600_000;
const changing = { auth: "user-or-operator" };

/** Serves the prices of a project's model calls. Every change also applies to stored calls: costs are computed when they are read. */
export function priceRoutes({ query, clock, log }: PricesOptions) {
  const params = z.object({ project_id: z.uuid() });

  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/prices",
      {
        config: { auth: "user-or-key" },
        schema: { summary: "Prices of models, the project's own and the defaults", params, response: { 200: priceListSchema } },
      },
      async (request) => {
        const [reader, projectId] = [readerOf(request), request.params.project_id];
        await requireRole(query, { id: projectId, reader, role: "viewer" });
        return { items: (await listPrices(query, { projectId, reader })).map(present) };
      },
    );

    server.put(
      "/api/v1/projects/:project_id/prices",
      {
        config: changing,
        schema: {
          summary: "Set what a model's tokens cost from an hour on",
          params,
          body: putPriceRequestSchema,
          response: { 204: z.void() },
        },
      },
      async (request, reply) => {
        const { project_id: projectId } = request.params;
        const reader = readerOf(request);
        await requireRole(query, { id: projectId, reader, role: "owner" });
        const { cache_read: cacheRead, cache_write: cacheWrite, valid_from: validFrom, ...price } = request.body;
        const isPut = await putPrice(query, {
          ...price,
          projectId,
          cacheRead,
          cacheWrite,
          validFrom: toHour(validFrom === undefined ? clock.now() : new Date(validFrom)),
          changedBy: authorOf(reader),
          reader,
        });
        if (!isPut) {
          throw new AppError({
            code: "too_many_prices",
            status: 409,
            message: `A project has ${MAX_PRICES} prices at the most. Delete versions that count no longer.`,
          });
        }
        log.info({ project: projectId, model: price.model, by: authorOf(reader) }, "a price was set");
        return reply.status(204).send();
      },
    );

    server.delete(
      "/api/v1/projects/:project_id/prices",
      {
        config: changing,
        schema: {
          summary: "Take back one of the project's own prices",
          params,
          querystring: deletePriceRequestSchema,
          response: { 204: z.void() },
        },
      },
      async (request, reply) => {
        const { project_id: projectId } = request.params;
        const reader = readerOf(request);
        await requireRole(query, { id: projectId, reader, role: "owner" });
        const { model, valid_from: validFrom } = request.query;
        if (!(await deletePrice(query, { projectId, reader, model, validFrom: new Date(validFrom) }))) {
          throw new AppError({
            code: "price_not_found",
            status: 404,
            message: "The project has no price of its own for that model from that hour; GET …/prices lists them.",
          });
        }
        log.info({ project: projectId, model, by: authorOf(reader) }, "a price was taken back");
        return reply.status(204).send();
      },
    );
  };
}

function toHour(date: Date): Date {
  return new Date(Math.floor(date.getTime() / HOUR_MS) * HOUR_MS);
}

function present({ valid_from: validFrom, ...row }: PriceRow): Price {
  return { ...row, valid_from: validFrom.toISOString() };
}
