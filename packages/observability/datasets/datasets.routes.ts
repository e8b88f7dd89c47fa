import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  changeDatasetRequestSchema,
  createDatasetRequestSchema,
  datasetPageSchema,
  datasetSchema,
  listDatasetsRequestSchema,
  type Dataset,
  type JsonObject,
} from "#contract.ts";
import { readCursor, toPage } from "#query/access/cursor.ts";
import { refuseOtherBranch } from "#query/access/job-limits.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { datasetNotFound } from "./datasets.errors.ts";
import { changeDataset, deleteDataset, findDataset, insertDataset, listDatasets, type DatasetRow, MAX_DATASETS } from "./datasets.store.ts";
import { compileSchema } from "#checks/json-schema.ts";

const config = { auth: "user-or-evaluate" };
export const datasetParams = projectParams.extend({ dataset_id: z.uuid() });

/** Datasets of a project, without their items. */
export function datasetRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/datasets";

    server.get(
      path,
      {
        config,
        schema: {
          summary: "Datasets of a project, newest first; also by an API key with the scope evaluate",
          params: projectParams,
          querystring: listDatasetsRequestSchema,
          response: { 200: datasetPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, name } = request.query;
        const after = readCursor(cursor);
        const project = await enterProject(query, request, "viewer");
        return toPage(await listDatasets(query, { ...project, name, after, limit: limit + 1 }), limit, ({ position: _position, ...row }) =>
          present(row),
        );
      },
    );

    server.post(
      path,
      {
        config,
        schema: {
          summary: "Make an empty dataset",
          params: projectParams,
          body: createDatasetRequestSchema,
          response: { 201: datasetSchema },
        },
      },
      async (request, reply) => {
        const { name, description, input_schema: input, expected_schema: expected } = request.body;
        const schemas = { input_schema: readSchema(input, "input_schema"), expected_schema: readSchema(expected, "expected_schema") };
        const project = await enterProject(query, request, "editor");
        const [id, author] = [uuidv7(), toAuthor(project.reader)];
        if (!(await insertDataset(query, { ...project, id, name, description, ...schemas, author, now: clock.now() }))) {
          const twins = await listDatasets(query, { ...project, name, after: undefined, limit: 1 });
          throw twins.length > 0 ? nameTaken(name) : tooManyDatasets();
        }
        log.info({ project: project.projectId, dataset: id, by: author }, "a dataset was made");
        return reply.status(201).send(present(orRefuse(await findDataset(query, { ...project, id }), datasetNotFound)));
      },
    );

    server.get(
      `${path}/:dataset_id`,
      { config, schema: { summary: "A dataset", params: datasetParams, response: { 200: datasetSchema } } },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        return present(orRefuse(await findDataset(query, { ...project, id: request.params.dataset_id }), datasetNotFound));
      },
    );

    server.patch(
      `${path}/:dataset_id`,
      {
        config,
        schema: { summary: "Change a dataset", params: datasetParams, body: changeDatasetRequestSchema, response: { 200: datasetSchema } },
      },
      async (request) => {
        const { name, description, input_schema: input, expected_schema: expected } = request.body;
        const given = {
          name,
          description,
          input_schema: input === undefined ? undefined : readSchema(input, "input_schema"),
          expected_schema: expected === undefined ? undefined : readSchema(expected, "expected_schema"),
        };
        const project = await enterProject(query, request, "editor");
        const chosen = { ...project, id: request.params.dataset_id };
        if (name !== undefined) {
          const [twin] = await listDatasets(query, { ...project, name, after: undefined, limit: 1 });
          if (twin !== undefined && twin.id !== chosen.id) {
            throw nameTaken(name);
          }
        }
        const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        await changeDataset(query, chosen, change, clock.now());
        return present(orRefuse(await findDataset(query, chosen), datasetNotFound));
      },
    );

    server.delete(
      `${path}/:dataset_id`,
      {
        config,
        schema: { summary: "Delete a dataset with its items and its experiments", params: datasetParams, response: { 204: z.null() } },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        // Experiments of every branch go with it.
        refuseOtherBranch(request, null);
        if (!(await deleteDataset(query, { ...project, id: request.params.dataset_id }))) {
          throw datasetNotFound();
        }
        log.info({ project: project.projectId, dataset: request.params.dataset_id, by: toAuthor(project.reader) }, "a dataset was deleted");
        return reply.status(204).send(null);
      },
    );
  };
}

/** @returns its JSON text. @throws {AppError} 400 `invalid_schema`. */
function readSchema(schema: JsonObject | null, name: string): string {
  if (schema !== null) {
    compileSchema(schema, name);
  }
  return JSON.stringify(schema);
}

function present({ created_at: createdAt, changed_at: changedAt, ...row }: DatasetRow): Dataset {
  return { ...row, created_at: createdAt.toISOString(), changed_at: changedAt.toISOString() };
}

const nameTaken = (name: string) =>
  refusal(409, "dataset_name_taken", `The project has a dataset called ${name}; choose another name, or add to that one.`);

const tooManyDatasets = () => refusal(409, "too_many_datasets", `A project has at most ${MAX_DATASETS} datasets. Delete some.`);
