import type { Clock } from "@sightline/foundation/clock";
import { getDelivery, settleDelivery, type DeliveryRow } from "./deliveries.store.ts";
import { findWatchedRepository } from "./pushes.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { actOnPush } from "./plan-jobs.ts";

type Replaying = { readonly tenantId: string; readonly id: string };

/** Acts on a delivery once more, by the repository's settings of today; `undefined` when the tenant has no such delivery. */
export async function replayDelivery(
  { database, clock }: { readonly database: CodeIndexDatabase; readonly clock: Clock },
  { tenantId, id }: Replaying,
): Promise<DeliveryRow | undefined> {
  const delivery = await getDelivery(database, { tenantId, id });
  const repository = delivery && (await findWatchedRepository(database, { tenantId, id: delivery.repo_id }));
  if (delivery === undefined || repository === undefined) {
    return undefined;
  }
  const now = clock.now();
  await database.query.transaction().execute(async (transaction) => {
    const outcome = await actOnPush(database, transaction, { repository, push: delivery.push, counts: false, now });
    await settleDelivery(transaction, { id, tenantId, replayedAt: now, ...outcome });
  });
  return getDelivery(database, { tenantId, id });
}
