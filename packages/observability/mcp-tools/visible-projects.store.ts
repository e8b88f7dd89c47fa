import type { Query } from "#schema.ts";
import { hasRole, type Reader } from "#store/reader.ts";

export type VisibleProject = { readonly id: string; readonly name: string };

/** More are not told apart by name. */
const MOST = 500;

/** Projects that `reader` may see, by name. */
export async function listVisibleProjects(query: Query, reader: Reader): Promise<readonly VisibleProject[]> {
  return query
    .selectFrom("observability.projects as project")
    .select(["project.id", "project.name"])
    .where(hasRole(reader, "viewer"))
    .orderBy("project.name")
    .orderBy("project.id")
    .limit(MOST)
    .execute();
}
