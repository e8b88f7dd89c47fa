import { type Price, type PutPriceRequest, priceListSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";

const pricesOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/prices`;

export function pricesQuery(projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "prices"],
    queryFn: answerTo(observability.get(pricesOf(projectId), { answer: onlyItems(priceListSchema) })),
  });
}

export const putPrice = (projectId: string, body: PutPriceRequest) => observability.put(pricesOf(projectId), { body });

export const deletePrice = (projectId: string, { model, valid_from: validFrom }: Price) =>
  observability.delete(pricesOf(projectId), { query: { model, valid_from: validFrom } });
