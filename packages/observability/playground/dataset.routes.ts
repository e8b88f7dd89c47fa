import { hash } from "node:crypto";
import { orRefuse, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { v7 as uuidv7 } from "uuid";
import type { z } from "zod";
import { listVariables, MAX_PLAYED_ITEMS, playDatasetRequestSchema, playedDatasetSchema } from "#contract.ts";
import { datasetNotFound } from "#datasets/datasets.errors.ts";
import { findDataset, holdDataset } from "#datasets/datasets.store.ts";
import { countItems, sizeOfInputs } from "#datasets/items.store.ts";
import { insertExperiment } from "#experiments/experiments.store.ts";
import { aboutCost } from "#judges/budget.store.ts";
import { connectionNotFound } from "#models/connections.errors.ts";
import { findConnection } from "#models/connections.store.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { InProject } from "#store/reader.ts";
import { insertItems, type Played } from "./played-items.store.ts";
import { findPriced } from "./run-call.ts";

type Variants = z.output<typeof playDatasetRequestSchema>["variants"];
type Beginning = InProject & Played & Readonly<Record<"name" | "author", string>> & { readonly items: number; readonly now: Date };

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
        const { dataset_id: id, split, name, variants, is_estimate: isEstimate } = request.body;
        const { version } = orRefuse(await findDataset(query, { ...project, id }), datasetNotFound);
        const wanted = { ...project, datasetId: id, version, split };
        const count = await countItems(query, wanted);
        if (count === 0 || count > MAX_PLAYED_ITEMS) {
          throw wrongSize(count);
        }
        const bytes = await sizeOfInputs(query, wanted);
        let about: number | null = 0;
        for (const { connection_id: connectionId, model, messages, tools } of variants) {
          orRefuse(await findConnection(query, { ...project, id: connectionId }), connectionNotFound);
          const { price } = await findPriced(query, project.projectId, model);
          const words = JSON.stringify([messages, tools]);
          const sent = Buffer.byteLength(words) * count + (listVariables(words).length > 0 ? bytes : 0);
          about = about === null || price === undefined ? null : about + aboutCost(price, { bytes: sent, calls: count });
        }
        const told = { calls: count * variants.length, about };
        if (isEstimate) {
          return reply.status(200).send({ ...told, experiment_ids: [] });
        }
        const begun = { ...wanted, name, items: count, author: toAuthor(project.reader), now: clock.now() };
        const experimentIds = await begin(begun, variants);
        log.info({ project: project.projectId, dataset: id, experiments: experimentIds, calls: told.calls }, "a dataset is played");
        return reply.status(201).send({ ...told, experiment_ids: experimentIds });
      },
    );
  };

  /** All of them, or none. */
  function begin({ datasetId, version, now, name, ...begun }: Beginning, variants: Variants): Promise<string[]> {
    return query.transaction().execute(async (transaction) => {
      // Whoever deletes the dataset came first, or finds all of this.
      orRefuse((await holdDataset(transaction, { ...begun, id: datasetId })) || undefined, datasetNotFound);
      const ids = variants.map(() => uuidv7());
      for (const [at, { prompt, ...call }] of variants.entries()) {
        const { messages, tools, connection_id: _connection, ...parameters } = call;
        const messagesHash = hash("sha256", JSON.stringify(messages)).slice(0, 16);
        const experiment = {
          id: ids[at] ?? "",
          dataset_id: datasetId,
          dataset_version: version,
          name: variants.length === 1 ? name : `${name}, variant ${at + 1}`,
          branch: null,
          commit: null,
          is_dirty: false,
          config: JSON.stringify({ ...parameters, tools: tools.map((tool) => tool.name), messages_hash: messagesHash, prompt }),
          call: JSON.stringify(call),
          repetitions: 1,
          evaluators: "[]",
          created_at: now,
        };
        await insertExperiment(transaction, { ...begun, ...experiment });
        if ((await insertItems(transaction, { ...begun, experimentId: experiment.id }, { datasetId, version, split: begun.split })) === 0) {
          throw wrongSize(0);
        }
      }
      return ids;
    });
  }
}
