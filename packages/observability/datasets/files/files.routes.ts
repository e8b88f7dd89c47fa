import { Readable } from "node:stream";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import { createSemaphore } from "@sightline/foundation/semaphore";
import { exportItemsRequestSchema, importedItemsSchema, importItemsRequestSchema } from "#contract.ts";
import { datasetNotFound, versionNotFound } from "#datasets/datasets.errors.ts";
import { datasetParams } from "#datasets/datasets.routes.ts";
import { findDataset } from "#datasets/datasets.store.ts";
import { enterProject, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { exportItems } from "./export-items.ts";
import { importItems } from "./import-items.ts";
import { readCsv, readJsonLines } from "./read-items.ts";
import { withReceivedFile } from "./received-file.ts";

const config = { auth: "user-or-evaluate" };
const READERS = new Map([
  ["application/x-ndjson", readJsonLines],
  ["application/jsonl", readJsonLines],
  ["text/csv", readCsv],
]);
const TYPES = { jsonl: "application/jsonl; charset=utf-8", csv: "text/csv; charset=utf-8" };

/** Datasets that come from files and go to files. */
export function fileRoutes({ query, clock, log }: RouteDependencies) {
  // Each holds a connection until its file is written.
  const importing = createSemaphore({ atOnce: 2, waitMs: 30_000 });
  return async (server: HttpServer): Promise<void> => {
    const path = "/api/v1/projects/:project_id/datasets/:dataset_id/items";

    await server.register(async (scope: HttpServer) => {
      scope.removeAllContentTypeParsers();
      // Read as it arrives.
      scope.addContentTypeParser("*", async (_request: unknown, body: Readable) => body);
      scope.post(
        `${path}/import`,
        {
          config,
          schema: {
            summary:
              "Add and change the items of a file, one JSON object a line (application/x-ndjson) or CSV (text/csv), as one new version; none when a line can't be read. Also with Content-Encoding: gzip",
            params: datasetParams,
            querystring: importItemsRequestSchema,
            response: { 200: importedItemsSchema },
          },
        },
        async (request) => {
          const project = await enterProject(query, request, "editor");
          const [id, author, { reason }] = [request.params.dataset_id, toAuthor(project.reader), request.query];
          orRefuse(await findDataset(query, { ...project, id }), datasetNotFound);
          const [type = ""] = (request.headers["content-type"] ?? "").split(";");
          const read = orRefuse(READERS.get(type.trim().toLowerCase()), unreadable);
          const body = request.body instanceof Readable ? request.body : Readable.from([]);
          const sent = { body, encoding: request.headers["content-encoding"] };
          const imported = await withReceivedFile(sent, (content) =>
            importing.run("all", undefined, () => importItems(query, { ...project, id, author, reason, now: clock.now() }, read(content))),
          );
          log.info(
            { project: project.projectId, dataset: id, version: imported.version, by: author },
            "a file was imported into a dataset",
          );
          return imported;
        },
      );
    });

    server.get(
      `${path}/export`,
      {
        config,
        schema: {
          summary: "The items of one version as a file that can be imported; of the newest unless another is named",
          params: datasetParams,
          querystring: exportItemsRequestSchema,
          response: { 200: streamedAnswer(["application/jsonl", "text/csv"], "One item a line, or CSV.") },
        },
      },
      async (request, reply) => {
        const { format, version: wanted, split = null } = request.query;
        const project = await enterProject(query, request, "viewer");
        const id = request.params.dataset_id;
        const dataset = orRefuse(await findDataset(query, { ...project, id }), datasetNotFound);
        const version = wanted ?? dataset.version;
        if (version > dataset.version) {
          throw versionNotFound(dataset.version);
        }
        return reply
          .type(TYPES[format])
          .header("content-disposition", `attachment; filename="sightline-dataset-${id}-${version}.${format}"`)
          .header("cache-control", "no-store")
          .send(Readable.from(exportItems(query, { ...project, id, version, split }, format), { objectMode: true, highWaterMark: 1 }));
      },
    );
  };
}

const unreadable = () =>
  refusal(415, "unsupported_media_type", "Send lines of JSON with Content-Type: application/x-ndjson, or CSV with Content-Type: text/csv.");
