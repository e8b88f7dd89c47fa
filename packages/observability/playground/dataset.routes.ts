import { hash } from "node:crypto";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { z } from "zod";
import { listVariables, MAX_PLAYED_ITEMS, playDatasetRequestSchema, playedDatasetSchema, type PlaygroundRequest } from "#contract.ts";
import { datasetNotFound } from "#datasets/datasets.errors.ts";
import { findDataset } from "#datasets/datasets.store.ts";
import { countItems, sizeOfInputs } from "#datasets/items.store.ts";
import { beginExperiment } from "#experiments/begin-experiment.ts";
import { aboutCost } from "#judges/budget.store.ts";
import { connectionNotFound } from "#models/connections.errors.ts";
import { findConnection } from "#models/connections.store.ts";
import { enterProject, projectParams } from "#query/access/project-route.ts";
import type { RouteDependencies } from "#query/access/project-route.ts";
import type { InProject } from "#store/reader.ts";
import { insertItems } from "./played-items.store.ts";
import { findCountedPrice } from "./run-call.ts";

type Body = z.output<typeof playDatasetRequestSchema>;

const wrongSize = (count: number) =>
  refusal(
    400,
    "dataset_size",
    `It has ${count} items, and 1 to ${MAX_PLAYED_ITEMS} can be asked of at once. Choose a split, or another dataset.`,
  );

/** The playground over a dataset: each variant an experiment, whose items a model is asked of in the background. */
export function playDatasetRoutes({ query, clock, log }: RouteDependencies) {
  return (server: HttpServer): void => {
    server.post(
      "/api/v1/projects/:project_id/playground/experiments",
      {
        config: { auth: "user" },
        bodyLimit: 8 * 1024 * 1024,
        schema: {
          summary: "Ask models of each item of a dataset, as an experiment a variant; or say what that would cost",
          params: projectParams,
          body: playDatasetRequestSchema,
          response: { 200: playedDatasetSchema, 201: playedDatasetSchema },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "editor");
        const { dataset_id: id, split, variants, is_estimate: isEstimate } = request.body;
        const { version } = orRefuse(await findDataset(query, { ...project, id }), datasetNotFound);
        const wanted = { ...project, datasetId: id, version, split };
        const count = await countItems(query, wanted);
        if (count === 0 || count > MAX_PLAYED_ITEMS) {
          throw wrongSize(count);
        }
        const bytes = await sizeOfInputs(query, wanted);
        const costs = [];
        for (const variant of variants) {
          costs.push(await estimate(project, variant, { count, bytes }));
        }
        const about = costs.reduce<number | null>((sum, cost) => (sum === null || cost === undefined ? null : sum + cost), 0);
        const told = { calls: count * variants.length, about };
        if (isEstimate) {
          return reply.status(200).send({ ...told, experiment_ids: [] });
        }
        const experimentIds = await begin(project, request.body, version);
        log.info({ project: project.projectId, dataset: id, experiments: experimentIds, calls: told.calls }, "a dataset is played");
        return reply.status(201).send({ ...told, experiment_ids: experimentIds });
      },
    );
  };

  async function estimate(
    project: InProject,
    variant: PlaygroundRequest,
    { count, bytes }: { readonly count: number; readonly bytes: number },
  ) {
    orRefuse(await findConnection(query, { ...project, id: variant.connection_id }), connectionNotFound);
    const { price } = await findCountedPrice(query, project.projectId, variant.model);
    const words = JSON.stringify([variant.messages, variant.tools]);
    const sent = Buffer.byteLength(words) * count + (listVariables(words).length > 0 ? bytes : 0);
    return price && aboutCost(price, { bytes: sent, calls: count });
  }

  /** All of them, or none. */
  function begin(project: InProject, { dataset_id: datasetId, split, name, variants }: Body, version: number): Promise<string[]> {
    return query.transaction().execute(async (transaction) => {
      const ids = [];
      for (const [at, { prompt, ...call }] of variants.entries()) {
        const { messages, tools, model, temperature, max_tokens } = call;
        const { id } = await beginExperiment(
          transaction,
          { ...project, now: clock.now() },
          {
            dataset_id: datasetId,
            dataset_version: version,
            split,
            name: variants.length === 1 ? name : `${name}, variant ${at + 1}`,
            branch: null,
            commit: null,
            is_dirty: false,
            repetitions: 1,
            evaluators: [],
            config: {
              model,
              temperature,
              max_tokens,
              tools: tools.map((tool) => tool.name),
              messages_hash: hash("sha256", JSON.stringify(messages)).slice(0, 16),
              prompt,
            },
            call: JSON.stringify(call),
          },
        );
        await insertItems(transaction, { ...project, experimentId: id }, { datasetId, version, split });
        ids.push(id);
      }
      return ids;
    });
  }
}
