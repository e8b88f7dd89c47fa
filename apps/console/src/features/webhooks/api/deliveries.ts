import { type Delivery, deliverySchema, toPageSchema } from "@sightline/code-index/contract";
import { keepPreviousData } from "@tanstack/react-query";
import { codeIndex, encoded } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";

export type DeliveryFilter = { readonly status: Delivery["status"] | undefined; readonly repositoryId: string | undefined };

/** The beginning of the key of every list of deliveries. */
export const DELIVERIES_KEY = ["webhook deliveries"] as const;

const DELIVERIES = "/api/v1/webhooks/deliveries";
const PAGE_SIZE = 50;
const EVERY_MS = 5_000;

/** Deliveries of webhooks, newest first. */
export function deliveriesQuery({ status, repositoryId }: DeliveryFilter) {
  const query = { status, repo_id: repositoryId, limit: PAGE_SIZE };
  return {
    ...pageByPage([...DELIVERIES_KEY, status, repositoryId], codeIndex.get(DELIVERIES, { query, answer: toPageSchema(deliverySchema) })),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  };
}

/** Acts on a delivery as if it had just arrived. */
export const replayDelivery = (id: string) => codeIndex.post(DELIVERIES + encoded`/${id}/replay`, { answer: deliverySchema });
