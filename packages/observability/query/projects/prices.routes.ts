import { refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import { deletePriceRequestSchema, priceListSchema, putPriceRequestSchema, type Price } from "#contract.ts";
import { deletePrice, listPrices, MAX_PRICES, putPrice, type PriceRow } from "#prices/prices.store.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";

const HOUR_MS = 3_600_000;
const changing = { auth: "user-or-operator" };

/** Serves the prices of a project's model calls. Every change also applies to stored calls: costs are computed when they are read. */
export function priceRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/projects/:project_id/prices",
      {
        config: { auth: "user-or-key" },
        schema: {
          summary: "Prices of models, the project's own and the defaults",
          params: projectParams,
          response: { 200: priceListSchema },
        },
      },
      async (request) => {
        const { reader, projectId } = await enterProject(query, request, "viewer");
        return { items: (await listPrices(query, { projectId, reader })).map(present) };
      },
    );

    server.put(
      "/api/v1/projects/:project_id/prices",
      {
        config: changing,
        schema: {
          summary: "Set what a model's tokens cost from an hour on",
          params: projectParams,
          body: putPriceRequestSchema,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const { reader, projectId } = await enterProject(query, request, "owner");
        const { cache_read: cacheRead, cache_write: cacheWrite, valid_from: validFrom, ...price } = request.body;
        const isPut = await putPrice(query, {
          ...price,
          projectId,
          cacheRead,
          cacheWrite,
          validFrom: toHour(validFrom === undefined ? clock.now() : new Date(validFrom)),
          changedBy: toAuthor(reader),
          reader,
        });
        if (!isPut) {
          throw refusal(409, "too_many_prices", `A project has ${MAX_PRICES} prices at the most. Delete versions that count no longer.`);
        }
        log.info({ project: projectId, model: price.model, by: toAuthor(reader) }, "a price was set");
        return reply.status(204).send(null);
      },
    );

    server.delete(
      "/api/v1/projects/:project_id/prices",
      {
        config: changing,
        schema: {
          summary: "Take back one of the project's own prices",
          params: projectParams,
          querystring: deletePriceRequestSchema,
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        const { reader, projectId } = await enterProject(query, request, "owner");
        const { model, valid_from: validFrom } = request.query;
        if (!(await deletePrice(query, { projectId, reader, model, validFrom: new Date(validFrom) }))) {
          throw refusal(
            404,
            "price_not_found",
            "The project has no price of its own for that model from that hour; GET …/prices lists them.",
          );
        }
        log.info({ project: projectId, model, by: toAuthor(reader) }, "a price was taken back");
        return reply.status(204).send(null);
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
