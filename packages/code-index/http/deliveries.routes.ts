import type { Clock } from "@sightline/foundation/clock";
import type { Routes } from "@sightline/foundation/http/http-server";
import { route } from "@sightline/foundation/http/route";
import { z } from "zod";
import { deliverySchema, deliveryStatusSchema, toPageSchema, type Delivery } from "#contract.ts";
import { getDelivery, listDeliveries, type DeliveryRow } from "#webhooks/deliveries.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { replayDelivery } from "#webhooks/replay-delivery.ts";
import { found, parseId } from "#http/kit/found.ts";
import { keyOfCursor, pageOfRows, pageQuerySchema } from "#http/kit/page.ts";
import { presentRow } from "#http/kit/presenters.ts";
import { getTenant } from "#http/kit/request-tenant.ts";

type DeliveryDependencies = { readonly database: CodeIndexDatabase; readonly clock: Clock };

const paramsSchema = z.object({ delivery_id: z.string() });
const querySchema = pageQuerySchema.extend({ repo_id: z.uuid().optional(), status: deliveryStatusSchema.optional() });

export function deliveryRoutes({ database, clock }: DeliveryDependencies): Routes {
  return (server) => {
    server.get(
      "/api/v1/webhooks/deliveries",
      route("user", "What webhooks sent in the last 30 days, newest first", {
        querystring: querySchema,
        response: { 200: toPageSchema(deliverySchema) },
      }),
      async (request) => {
        const { limit, cursor, repo_id: repoId, status } = request.query;
        const after = keyOfCursor(cursor, z.uuid());
        const rows = await listDeliveries(database, { tenantId: getTenant(request).tenantId, repoId, status, after, limit: limit + 1 });
        return pageOfRows(rows, limit, { present, keyOf: (row) => row.id });
      },
    );

    server.get(
      "/api/v1/webhooks/deliveries/:delivery_id",
      route("user", "One delivery and what came of it", { params: paramsSchema, response: { 200: deliverySchema } }),
      async (request) => {
        const id = parseId("delivery", request.params.delivery_id);
        return present(found("delivery", await getDelivery(database, { tenantId: getTenant(request).tenantId, id })));
      },
    );

    server.post(
      "/api/v1/webhooks/deliveries/:delivery_id/replay",
      route("admin", "Act on a delivery once more", { params: paramsSchema, response: { 200: deliverySchema } }),
      async (request) => {
        const id = parseId("delivery", request.params.delivery_id);
        return present(found("delivery", await replayDelivery({ database, clock }, { tenantId: getTenant(request).tenantId, id })));
      },
    );
  };
}

function present(row: DeliveryRow): Delivery {
  return presentRow(deliverySchema, { ...row, changes: row.push.changes });
}
