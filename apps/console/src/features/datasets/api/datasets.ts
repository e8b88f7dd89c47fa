import {
  type CreateDatasetRequest,
  type ItemsFromTracesRequest,
  type WriteItemsRequest,
  datasetPageSchema,
  datasetSchema,
  datasetVersionPageSchema,
  itemPageSchema,
  itemsFromTracesSchema,
  writtenItemsSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo, pageByPage, readAllPages } from "#http/queries.ts";

const PAGE = 50;

const datasetsOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/datasets`;
const pathOf = (projectId: string, id: string) => datasetsOf(projectId) + encoded`/${id}`;

export const datasetsKey = (projectId: string) => ["projects", projectId, "datasets"] as const;

export function datasetsQuery(projectId: string) {
  return queryOptions({
    queryKey: [...datasetsKey(projectId), "all"],
    queryFn: readAllPages(observability.get(datasetsOf(projectId), { answer: datasetPageSchema })),
  });
}

export function datasetQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: [...datasetsKey(projectId), id],
    queryFn: answerTo(observability.get(pathOf(projectId, id), { answer: datasetSchema })),
  });
}

/** Items of one version, or of the newest. */
export function itemsQuery(projectId: string, id: string, asked: { readonly version?: string; readonly split?: string }) {
  return pageByPage(
    [...datasetsKey(projectId), id, "items", asked],
    observability.get(`${pathOf(projectId, id)}/items`, { query: { ...asked, limit: PAGE }, answer: itemPageSchema }),
  );
}

export function versionsQuery(projectId: string, id: string) {
  return pageByPage(
    [...datasetsKey(projectId), id, "versions"],
    observability.get(`${pathOf(projectId, id)}/versions`, { query: { limit: PAGE }, answer: datasetVersionPageSchema }),
  );
}

export const createDataset = (projectId: string, body: CreateDatasetRequest) =>
  observability.post(datasetsOf(projectId), { body, answer: datasetSchema });

export const changeDataset = (projectId: string, id: string, body: { readonly name: string; readonly description: string }) =>
  observability.patch(pathOf(projectId, id), { body, answer: datasetSchema });

export const deleteDataset = (projectId: string, id: string) => observability.delete(pathOf(projectId, id));

export const writeItems = (projectId: string, id: string, body: WriteItemsRequest) =>
  observability.post(`${pathOf(projectId, id)}/items`, { body, answer: writtenItemsSchema });

export const addFromTraces = (projectId: string, id: string, body: ItemsFromTracesRequest) =>
  observability.post(`${pathOf(projectId, id)}/items/from-traces`, { body, answer: itemsFromTracesSchema });
