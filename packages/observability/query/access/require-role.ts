import type { ProjectRole } from "#contract.ts";
import type { Query } from "#schema.ts";
import { findRole, isEnough, type Reader } from "#store/reader.ts";
import { projectNotFound, roleMissing } from "./not-found.errors.ts";

type Wanted = { readonly id: string; readonly reader: Reader; readonly role: ProjectRole };

/**
 * Explains a refusal before a statement that checks the same finds nothing.
 *
 * @throws {AppError} 404 `project_not_found` when the reader may not see the project, 403 `role_missing` when the role
 * is too low.
 */
export async function requireRole(query: Query, { id, reader, role }: Wanted): Promise<void> {
  const found = await findRole(query, { id, reader });
  if (found === undefined) {
    throw projectNotFound();
  }
  if (!isEnough(found, role)) {
    throw roleMissing(role);
  }
}
