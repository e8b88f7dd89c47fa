import { refusal } from "@sightline/foundation/errors";

export const datasetNotFound = () =>
  refusal(404, "dataset_not_found", "There is no such dataset; GET /api/v1/projects/:project_id/datasets lists them.");

export const versionNotFound = (newest: number) =>
  refusal(404, "version_not_found", newest === 0 ? "The dataset is empty: add items first." : `The dataset has versions 1 to ${newest}.`);
