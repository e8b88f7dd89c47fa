import { orRefuse } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";
import type { z } from "zod";
import type { createExperimentRequestSchema } from "#contract.ts";
import { datasetNotFound, versionNotFound } from "#datasets/datasets.errors.ts";
import { findDataset } from "#datasets/datasets.store.ts";
import { countItems } from "#datasets/items.store.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { insertExperiment } from "./experiments.store.ts";

type Beginning = InProject & { readonly now: Date };
/** `call`: what the playground asks with each item, as JSON. */
type Given = z.output<typeof createExperimentRequestSchema> & { readonly call?: string };

/** @throws {AppError} 404 where there is no such dataset, or version. @returns its id, and the dataset's version. */
export async function beginExperiment(query: Query, { now, ...project }: Beginning, given: Given) {
  const { dataset_version: wanted, dataset_id: datasetId, ...rest } = given;
  const dataset = orRefuse(await findDataset(query, { ...project, id: datasetId }), datasetNotFound);
  const version = wanted ?? dataset.version;
  if (version === 0 || version > dataset.version) {
    throw versionNotFound(dataset.version);
  }
  const id = uuidv7();
  await insertExperiment(query, {
    ...project,
    ...rest,
    id,
    dataset_id: datasetId,
    dataset_version: version,
    config: JSON.stringify(given.config),
    evaluators: JSON.stringify(given.evaluators),
    author: toAuthor(project.reader),
    created_at: now,
    items: await countItems(query, { ...project, datasetId, version, split: given.split }),
  });
  return { id, version };
}
