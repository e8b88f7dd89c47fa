import { fromCursor } from "@sightline/foundation/cursor";
import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { z } from "zod";
import {
  datasetDiffRequestSchema,
  datasetDiffSchema,
  datasetVersionPageSchema,
  itemPageSchema,
  itemsFromTracesRequestSchema,
  itemsFromTracesSchema,
  listItemsRequestSchema,
  listRequestSchema,
  writeItemsRequestSchema,
  writtenItemsSchema,
} from "#contract.ts";
import { cutPage } from "#query/access/cursor.ts";
import { refuseBlindJob } from "#query/access/job-limits.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { datasetNotFound, versionNotFound } from "./datasets.errors.ts";
import { datasetParams } from "./datasets.routes.ts";
import { findDataset } from "./datasets.store.ts";
import { ITEM_VALUES } from "./item-values.ts";
import { chooseTraces, itemsFromTraces } from "./items-from-traces.ts";
import { findItems, listItems, listTouched, listVersions } from "./items.store.ts";
import { diffItems, presentItem } from "./present-item.ts";
import { writeItems } from "./write-items.ts";

const config = { auth: "user-or-evaluate" };
const BODY_BYTES = 16 * 1024 * 1024;

/** Items of datasets, in versions. */
export function itemRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/datasets/:dataset_id";

    server.get(
      `${path}/items`,
      {
        config,
        schema: {
          summary: "Items of one version of a dataset; of the newest unless another is named",
          params: datasetParams,
          querystring: listItemsRequestSchema,
          response: { 200: itemPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, version: wanted, split = null } = request.query;
        const after = cursor === undefined ? undefined : fromCursor(cursor, z.tuple([z.uuid()]))[0];
        const project = await enterProject(query, request, "viewer");
        const datasetId = request.params.dataset_id;
        const dataset = orRefuse(await findDataset(query, { ...project, id: datasetId }), datasetNotFound);
        const version = wanted ?? dataset.version;
        if (version > dataset.version) {
          throw versionNotFound(dataset.version);
        }
        const rows = await listItems(query, { ...project, datasetId, version, split, after, limit: limit + 1 });
        const { shown, ...page } = cutPage(rows, limit, (row) => [row.item_id]);
        return { version, items: shown.map(presentItem), ...page };
      },
    );

    server.post(
      `${path}/items`,
      {
        config: { ...config, exactValues: ITEM_VALUES },
        bodyLimit: BODY_BYTES,
        schema: {
          summary: "Add, change and delete items: one new version, or none when nothing changes",
          params: datasetParams,
          body: writeItemsRequestSchema,
          response: { 200: writtenItemsSchema },
        },
      },
      async (request) => {
        const { items, delete: deleted, reason } = request.body;
        const project = await enterProject(query, request, "editor");
        const author = toAuthor(project.reader);
        const id = request.params.dataset_id;
        const written = await writeItems(query, { ...project, id, items, deleted, reason, author, now: clock.now() });
        log.info({ project: project.projectId, dataset: id, version: written.version, by: author }, "items of a dataset were written");
        return written;
      },
    );

    server.post(
      `${path}/items/from-traces`,
      {
        config: { ...config, exactValues: ITEM_VALUES },
        schema: {
          summary:
            "Make items of recorded traces: of those that are named, or of a step of each; of a session; or of a sample of what a query finds",
          params: datasetParams,
          body: itemsFromTracesRequestSchema,
          response: { 200: itemsFromTracesSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        refuseBlindJob(request);
        const [id, author, now] = [request.params.dataset_id, toAuthor(project.reader), clock.now()];
        const dataset = orRefuse(await findDataset(query, { ...project, id }), datasetNotFound);
        const asked = { ...project, ...request.body, ...(request.body.corrects ? { dataset } : {}), now };
        const { traces, matching } = await chooseTraces(query, asked);
        if (request.body.preview) {
          return { version: dataset.version, items: [], matching };
        }
        const items = await itemsFromTraces(query, asked, traces);
        const reason =
          items.length === 1 ? "from a trace" : `from ${items.length}${matching > items.length ? ` of ${matching}` : ""} traces`;
        return { ...(await writeItems(query, { ...project, id, items, deleted: [], reason, author, now })), matching };
      },
    );

    server.get(
      `${path}/diff`,
      {
        config,
        schema: {
          summary: "Items that two versions of a dataset don't have alike, with what changed of each",
          params: datasetParams,
          querystring: datasetDiffRequestSchema,
          response: { 200: datasetDiffSchema },
        },
      },
      async (request) => {
        const { cursor, limit, from, to: wanted } = request.query;
        const after = cursor === undefined ? undefined : fromCursor(cursor, z.tuple([z.uuid()]))[0];
        const project = await enterProject(query, request, "viewer");
        const datasetId = request.params.dataset_id;
        const dataset = orRefuse(await findDataset(query, { ...project, id: datasetId }), datasetNotFound);
        const to = wanted ?? dataset.version;
        if (Math.max(from, to) > dataset.version) {
          throw versionNotFound(dataset.version);
        }
        const between = [Math.min(from, to), Math.max(from, to)] as const;
        const touched = await listTouched(query, { ...project, datasetId, between, after, limit: limit + 1 });
        const { shown, ...page } = cutPage(touched, limit, (row) => [row.item_id]);
        const ids = shown.map((row) => row.item_id);
        const itemsOf = (version: number) =>
          ids.length === 0 ? [] : findItems(query, { ...project, datasetId, version, split: null, ids });
        return { from, to, items: diffItems(ids, await itemsOf(from), await itemsOf(to)), ...page };
      },
    );

    server.get(
      `${path}/versions`,
      {
        config,
        schema: {
          summary: "Versions of a dataset, newest first: who made each, why, and what changed",
          params: datasetParams,
          querystring: listRequestSchema,
          response: { 200: datasetVersionPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit } = request.query;
        const before = cursor === undefined ? undefined : fromCursor(cursor, z.tuple([z.int32()]))[0];
        const project = await enterProject(query, request, "viewer");
        const datasetId = request.params.dataset_id;
        orRefuse(await findDataset(query, { ...project, id: datasetId }), datasetNotFound);
        const rows = await listVersions(query, { ...project, datasetId, before, limit: limit + 1 });
        const { shown, ...page } = cutPage(rows, limit, (row) => [row.version]);
        return {
          items: shown.map(({ project_id: _project, dataset_id: _dataset, made_at: madeAt, ...row }) => ({
            ...row,
            made_at: madeAt.toISOString(),
          })),
          ...page,
        };
      },
    );
  };
}
