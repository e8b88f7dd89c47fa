import { z } from "zod";
import { findDataset, listDatasets, type DatasetRow } from "#datasets/datasets.store.ts";
import type { InProject } from "#store/reader.ts";
import { listVisibleProjects, type VisibleProject } from "./visible-projects.store.ts";
import { ambiguousProject, projectMissing, unknownDataset, unknownProject } from "./tools.errors.ts";
import type { Reading } from "./trace-tool.ts";

export const projectField = z.string().max(200).optional().describe("A project's name or id; may be left out when there is only one.");

/** A name that goes to the database, which knows no NUL. */
export const nameField = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !name.includes("\0"), "a NUL character can't be in a name");

/**
 * The project of that name, in either case, or id; without one the only one there is.
 *
 * @throws {AppError} `project_not_found`, `project_ambiguous`, `project_missing`, each with the projects there are.
 */
export async function findProject(
  { query, reader }: Pick<Reading, "query" | "reader">,
  requested: string | undefined,
): Promise<VisibleProject> {
  const visible = await listVisibleProjects(query, reader);
  const [only, ...others] = visible;
  if (requested === undefined) {
    if (only === undefined || others.length > 0) {
      throw projectMissing(visible);
    }
    return only;
  }
  const wanted = requested.trim().toLowerCase();
  const byId = visible.find(({ id }) => id === wanted);
  const [named, ...namesakes] = byId === undefined ? visible.filter(({ name }) => name.toLowerCase() === wanted) : [byId];
  if (named === undefined) {
    throw unknownProject(requested, visible);
  }
  if (namesakes.length > 0) {
    throw ambiguousProject(requested, visible);
  }
  return named;
}

const NAMED = 20;

/** The dataset of that name or id. @throws {AppError} `dataset_not_found`, with those there are. */
export async function findDatasetNamed({ query }: Pick<Reading, "query">, of: InProject, requested: string): Promise<DatasetRow> {
  const list = (name: string | undefined, limit: number) => listDatasets(query, { ...of, name, after: undefined, limit });
  const isId = z.uuid().safeParse(requested).success;
  const found = (isId ? await findDataset(query, { ...of, id: requested }) : undefined) ?? (await list(requested, 1))[0];
  if (found === undefined) {
    throw unknownDataset(requested, await list(undefined, NAMED));
  }
  return found;
}
