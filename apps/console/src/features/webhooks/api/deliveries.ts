import { type Delivery, deliverySchema, type deliveryStatusSchema, pageOf } from "@sightline/code-index/contract";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { z } from "zod";
import type { Api } from "#http/api.ts";

export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>;
export type DeliveryFilter = { readonly status: DeliveryStatus | undefined; readonly repositoryId: string | undefined };

/** The beginning of the key of every list of deliveries. */
export const DELIVERIES_KEY = ["webhook deliveries"] as const;

const DELIVERIES = "/api/v1/webhooks/deliveries";
const PAGE_SIZE = 50;
const EVERY_MS = 5_000;

/** Deliveries of webhooks, newest first. */
export function deliveriesQuery(api: Api, { status, repositoryId }: DeliveryFilter) {
  return infiniteQueryOptions({
    queryKey: [...DELIVERIES_KEY, status, repositoryId],
    queryFn: ({ pageParam, signal }) =>
      api.request({
        part: "code-index",
        path: DELIVERIES,
        query: { status, repo_id: repositoryId, cursor: pageParam, limit: PAGE_SIZE },
        answer: pageOf(deliverySchema),
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}

/** Acts on a delivery as if it had just arrived. */
export function replayDelivery(api: Api, id: string): Promise<Delivery> {
  return api.request({
    part: "code-index",
    method: "POST",
    path: `${DELIVERIES}/${encodeURIComponent(id)}/replay`,
    answer: deliverySchema,
  });
}
