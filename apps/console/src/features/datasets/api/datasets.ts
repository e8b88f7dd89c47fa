import {
  type CreateDatasetRequest,
  type ItemsFromTracesRequest,
  type WriteItemsRequest,
  datasetDiffSchema,
  datasetPageSchema,
  datasetSchema,
  datasetVersionPageSchema,
  importedItemsSchema,
  itemPageSchema,
  itemsFromTracesSchema,
  writtenItemsSchema,
} from "@sightline/observability/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import type { Download } from "#http/send.ts";
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
    observability.get(`${pathOf(projectId, id)}/items`, { query: { ...asked, limit: PAGE }, answer: itemPageSchema, exact: true }),
  );
}

/** What a version changed of the one before it. */
export function changesQuery(projectId: string, id: string, version: number) {
  return pageByPage(
    [...datasetsKey(projectId), id, "diff", version],
    observability.get(`${pathOf(projectId, id)}/diff`, {
      query: { from: version - 1, to: version, limit: PAGE },
      answer: datasetDiffSchema,
      exact: true,
    }),
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

/** Smaller files are not worth packing. */
const WORTH_BYTES = 1024 * 1024;
/** Files are written whole, and each trace is read whole. */
const LONG_MS = 120_000;

/** Sends a file as a new version; a large one packed, since it has half a minute to arrive. */
export async function importFile(projectId: string, id: string, file: File) {
  const isPacked = file.size > WORTH_BYTES;
  return observability.post(`${pathOf(projectId, id)}/items/import`, {
    query: { reason: `from ${file.name}`.slice(0, 500) },
    body: isPacked ? await new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob() : file,
    headers: {
      "content-type": file.name.toLowerCase().endsWith(".csv") ? "text/csv" : "application/x-ndjson",
      ...(isPacked ? { "content-encoding": "gzip" } : {}),
    },
    deadlineMs: LONG_MS,
    answer: importedItemsSchema,
  });
}

type Exported = { readonly format: "jsonl" | "csv"; readonly version: string | undefined; readonly split: string | undefined };
export const exportOf = (projectId: string, id: string, query: Exported): Download => ({
  part: "observability",
  path: `${pathOf(projectId, id)}/items/export`,
  query,
  accept: query.format === "csv" ? "text/csv" : "application/jsonl",
});

export const addFromTraces = (projectId: string, id: string, body: ItemsFromTracesRequest) =>
  observability.post(`${pathOf(projectId, id)}/items/from-traces`, { body, deadlineMs: LONG_MS, answer: itemsFromTracesSchema });
