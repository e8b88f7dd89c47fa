import { listVisibleProjects, type VisibleProject } from "./visible-projects.store.ts";
import { ambiguousProject, projectMissing, unknownProject } from "./tools.errors.ts";
import type { Reading } from "./trace-tool.ts";

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
