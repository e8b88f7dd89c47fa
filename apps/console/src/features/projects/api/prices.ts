import { type Price, type PutPriceRequest, priceListSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type { Api } from "#http/api.ts";
import { pathOf } from "./projects.ts";

export function pricesQuery(api: Api, projectId: string) {
  return queryOptions({
    queryKey: ["projects", projectId, "prices"],
    queryFn: async ({ signal }) => {
      const path = `${pathOf(projectId)}/prices`;
      return (await api.request({ part: "observability", path, answer: priceListSchema, signal })).items;
    },
  });
}

export async function putPrice(api: Api, projectId: string, body: PutPriceRequest): Promise<void> {
  await api.request({ part: "observability", method: "PUT", path: `${pathOf(projectId)}/prices`, body, answer: z.unknown() });
}

export async function deletePrice(api: Api, projectId: string, { model, valid_from: validFrom }: Price): Promise<void> {
  const query = { model, valid_from: validFrom };
  await api.request({ part: "observability", method: "DELETE", path: `${pathOf(projectId)}/prices`, query, answer: z.unknown() });
}
