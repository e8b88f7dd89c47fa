import { AppError } from "@sightline/foundation/errors";
import type { Clock } from "@sightline/foundation/clock";
import { getDelivery, settleReplay, type DeliveryRow } from "./deliveries.store.ts";
import { findWatchedRepository } from "./pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { actOnPush } from "./plan-jobs.ts";

type Replaying = { readonly tenantId: string; readonly id: string };

/**
 * Acts on a delivery once more, by the repository's settings of today.
 *
 * @throws {AppError} `delivery_not_found` (404)
 */
export async function replayDelivery(
  { database, clock }: { readonly database: CodeIndexDatabase; readonly clock: Clock },
  { tenantId, id }: Replaying,
): Promise<DeliveryRow> {
  const delivery = known(await getDelivery(database, { tenantId, id }));
  const repository = await findWatchedRepository(database, { tenantId, id: delivery.repo_id });
  if (repository === undefined) {
    throw deliveryNotFound();
  }
  const now = clock.now();
  await database.query.transaction().execute(async (transaction) => {
    const outcome = await actOnPush(database, transaction, { repository, push: delivery.push, counts: false, now });
    await settleReplay(transaction, { id, tenantId, now, ...outcome });
  });
  return known(await getDelivery(database, { tenantId, id }));
}

export function known(row: DeliveryRow | undefined): DeliveryRow {
  if (row === undefined) {
    throw deliveryNotFound();
  }
  return row;
}

export function deliveryNotFound(): AppError {
  return new AppError({
    code: "delivery_not_found",
    status: 404,
    message: "There is no delivery with this id; GET /api/v1/webhooks/deliveries lists those of the last 30 days.",
  });
}
