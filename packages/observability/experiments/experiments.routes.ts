import { fromCursor } from "@sightline/foundation/cursor";
import { orRefuse } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import {
  addScoresRequestSchema,
  createExperimentRequestSchema,
  experimentPageSchema,
  experimentSchema,
  finishExperimentRequestSchema,
  listExperimentsRequestSchema,
  listRunsRequestSchema,
  reportedRunsSchema,
  reportRunsRequestSchema,
  runPageSchema,
} from "#contract.ts";
import { datasetNotFound, versionNotFound } from "#datasets/datasets.errors.ts";
import { findDataset } from "#datasets/datasets.store.ts";
import { countItems } from "#datasets/items.store.ts";
import { cutPage, readCursor, toPage } from "#query/access/cursor.ts";
import { refuseOtherBranch } from "#query/access/job-limits.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { OneInProject } from "#store/reader.ts";
import { addScores } from "./add-scores.ts";
import { experimentNotFound } from "./experiments.errors.ts";
import { findExperiment, insertExperiment, listExperiments } from "./experiments.store.ts";
import { finishExperiment } from "./finish-experiment.ts";
import { presentExperiment, presentRun } from "./present-experiment.ts";
import { reportRuns } from "./report-runs.ts";
import { listRuns, listScores } from "./runs.store.ts";

const config = { auth: "user-or-evaluate" };
const BODY_BYTES = 16 * 1024 * 1024;
export const experimentParams = projectParams.extend({ experiment_id: z.uuid() });

/** Experiments and their runs, which applications report. */
export function experimentRoutes({ query, clock, log }: RouteDependencies) {
  async function load(wanted: OneInProject) {
    return orRefuse(await findExperiment(query, wanted), experimentNotFound);
  }

  return (server: HttpServer): void => {
    const path = "/api/v1/projects/:project_id/experiments";

    server.get(
      path,
      {
        config,
        schema: {
          summary: "Experiments of a project, newest first; also by an API key with the scope evaluate",
          params: projectParams,
          querystring: listExperimentsRequestSchema,
          response: { 200: experimentPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, dataset_id: datasetId, branch } = request.query;
        const after = readCursor(cursor);
        const project = await enterProject(query, request, "viewer");
        return toPage(await listExperiments(query, { ...project, datasetId, branch, after, limit: limit + 1 }), limit, presentExperiment);
      },
    );

    server.post(
      path,
      {
        config: { ...config, exactValues: new Set(["config"]) },
        schema: {
          summary: "Begin an experiment over a version of a dataset",
          params: projectParams,
          body: createExperimentRequestSchema,
          response: { 201: experimentSchema },
        },
      },
      async (request, reply) => {
        const { dataset_version: wanted, dataset_id: datasetId, ...given } = request.body;
        const project = await enterProject(query, request, "editor");
        refuseOtherBranch(request, given.branch);
        const dataset = orRefuse(await findDataset(query, { ...project, id: datasetId }), datasetNotFound);
        const version = wanted ?? dataset.version;
        if (version === 0 || version > dataset.version) {
          throw versionNotFound(dataset.version);
        }
        const id = uuidv7();
        await insertExperiment(query, {
          ...project,
          ...given,
          id,
          dataset_id: datasetId,
          dataset_version: version,
          config: JSON.stringify(given.config),
          evaluators: JSON.stringify(given.evaluators),
          author: toAuthor(project.reader),
          created_at: clock.now(),
          items: await countItems(query, { ...project, datasetId, version, split: given.split }),
        });
        log.info({ project: project.projectId, experiment: id, dataset: datasetId, version }, "an experiment began");
        return reply.status(201).send(presentExperiment(await load({ ...project, id })));
      },
    );

    server.get(
      `${path}/:experiment_id`,
      { config, schema: { summary: "An experiment", params: experimentParams, response: { 200: experimentSchema } } },
      async (request) => {
        const project = await enterProject(query, request, "viewer");
        return presentExperiment(await load({ ...project, id: request.params.experiment_id }));
      },
    );

    server.post(
      `${path}/:experiment_id/finish`,
      {
        config,
        schema: {
          summary: "End an experiment: evaluate what awaited its traces",
          params: experimentParams,
          body: finishExperimentRequestSchema,
          response: { 200: experimentSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        const id = request.params.experiment_id;
        refuseOtherBranch(request, (await load({ ...project, id })).branch);
        await finishExperiment(query, { ...project, experimentId: id, ...request.body, now: clock.now() });
        return presentExperiment(await load({ ...project, id }));
      },
    );

    server.post(
      `${path}/:experiment_id/runs`,
      {
        config: { ...config, exactValues: new Set(["output"]) },
        bodyLimit: BODY_BYTES,
        schema: {
          summary: "Report runs of an experiment; safe to repeat",
          params: experimentParams,
          body: reportRunsRequestSchema,
          response: { 200: reportedRunsSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        refuseOtherBranch(request, (await load({ ...project, id: request.params.experiment_id })).branch);
        return reportRuns(query, { ...project, experimentId: request.params.experiment_id }, request.body.runs);
      },
    );

    server.post(
      `${path}/:experiment_id/scores`,
      {
        config,
        bodyLimit: BODY_BYTES,
        schema: {
          summary: "Score the runs of a finished experiment by further evaluators; safe to repeat",
          params: experimentParams,
          body: addScoresRequestSchema,
          response: { 200: reportedRunsSchema },
        },
      },
      async (request) => {
        const project = await enterProject(query, request, "editor");
        refuseOtherBranch(request, (await load({ ...project, id: request.params.experiment_id })).branch);
        return addScores(query, { ...project, experimentId: request.params.experiment_id }, request.body);
      },
    );

    server.get(
      `${path}/:experiment_id/runs`,
      {
        config,
        schema: {
          summary: "Runs of an experiment with their scores, the newest attempt of each, by item and repetition",
          params: experimentParams,
          querystring: listRunsRequestSchema,
          response: { 200: runPageSchema },
        },
      },
      async (request) => {
        const { cursor, limit, item_id: itemId } = request.query;
        const place = cursor === undefined ? undefined : fromCursor(cursor, z.tuple([z.uuid(), z.int32()]));
        const project = await enterProject(query, request, "viewer");
        const of = { ...project, experimentId: request.params.experiment_id };
        await load({ ...project, id: of.experimentId });
        const after = place === undefined ? undefined : { itemId: place[0], repetition: place[1] };
        const rows = await listRuns(query, { ...of, ...(itemId === undefined ? {} : { itemIds: [itemId] }), after, limit: limit + 1 });
        const { shown, ...page } = cutPage(rows, limit, (run) => [run.item_id, run.repetition]);
        const scores = shown.length === 0 ? [] : await listScores(query, { ...of, itemIds: shown.map((run) => run.item_id) });
        return {
          items: shown.map((run) => presentRun(run, scores)),
          ...page,
        };
      },
    );
  };
}
