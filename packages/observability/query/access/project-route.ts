import type { Clock } from "@sightline/foundation/clock";
import { orRefuse } from "@sightline/foundation/errors";
import type { getPrincipal } from "@sightline/foundation/http/principal";
import type { Logger } from "@sightline/foundation/log";
import { z } from "zod";
import type { ProjectRole } from "#contract.ts";
import type { Query } from "#schema.ts";
import { findRole, isEnough, type InProject, type Reader } from "#store/reader.ts";
import { projectNotFound, roleMissing } from "./not-found.errors.ts";
import { getReader } from "./request-reader.ts";

/** What routes are made with; each takes what it uses. */
export type RouteDependencies = { readonly query: Query; readonly clock: Clock; readonly log: Logger };

/** The parameters of routes below `/api/v1/projects/:project_id`. */
export const projectParams = z.object({ project_id: z.uuid() });

type ProjectRequest = Parameters<typeof getPrincipal>[0] & { readonly params: z.infer<typeof projectParams> };

/** Lets a request into its project. @throws {AppError} as {@link requireRole} does. */
export async function enterProject(query: Query, request: ProjectRequest, role: ProjectRole): Promise<InProject> {
  const entered = { reader: getReader(request), projectId: request.params.project_id };
  await requireRole(query, { id: entered.projectId, reader: entered.reader, role });
  return entered;
}

type ProjectAccess = { readonly id: string; readonly reader: Reader; readonly role: ProjectRole };

/**
 * Explains a refusal before a statement that checks the same finds nothing.
 *
 * @throws {AppError} 404 `project_not_found` when the reader may not see the project, 403 `role_missing` when the role
 * is too low.
 */
export async function requireRole(query: Query, { id, reader, role }: ProjectAccess): Promise<void> {
  const found = orRefuse(await findRole(query, { id, reader }), projectNotFound);
  if (!isEnough(found, role)) {
    throw roleMissing(role);
  }
}
