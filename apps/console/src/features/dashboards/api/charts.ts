import { type Chart, type CreateChartRequest, chartListSchema, chartSchema } from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, onlyItems } from "#http/queries.ts";

const chartsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/charts`;

/** The charts that people put on the dashboard, in their order. */
export function chartsQuery(projectId: string) {
  return queryOptions({
    queryKey: ["charts", projectId],
    queryFn: answerTo(observability.get(chartsOf(projectId), { answer: onlyItems(chartListSchema) })),
    staleTime: 30_000,
  });
}

/** Saves a new chart, or what has changed of one. */
export const saveChart = (projectId: string, { id, ...body }: CreateChartRequest & { readonly id: string | undefined }) =>
  id === undefined
    ? observability.post(chartsOf(projectId), { body, answer: chartSchema })
    : observability.patch(chartsOf(projectId) + encoded`/${id}`, { body, answer: chartSchema });

export const orderCharts = (projectId: string, ids: readonly Chart["id"][]) =>
  observability.put(`${chartsOf(projectId)}/order`, { body: { ids } });

export const deleteChart = (projectId: string, id: string) => observability.delete(chartsOf(projectId) + encoded`/${id}`);
