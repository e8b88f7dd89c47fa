import { sql, type RawBuilder } from "kysely";
import type { ProjectRole } from "#contract.ts";
import type { Query } from "#schema.ts";

export type { ProjectRole } from "#contract.ts";

/** Roles by groups, beside those of a member. */
type Granted = readonly { readonly id: string; readonly role: ProjectRole }[];

/** The caller. Every statement that reads or changes what belongs to a project takes one, and checks it itself. */
export type Reader =
  | { readonly kind: "operator" }
  | { readonly kind: "user"; readonly tenantId: string; readonly userId: string; readonly isAdmin: boolean; readonly granted?: Granted }
  /** An API key, or whatever else was let into one project. `canChange`: its scope lets it write what the route is about; `canRelease`: and what production runs. */
  | {
      readonly kind: "project-key";
      readonly tenantId: string;
      readonly projectId: string;
      readonly keyId: string;
      readonly canChange: boolean;
      readonly canRelease: boolean;
    };

/** A reader, and the project that they read. */
export type InProject = { readonly projectId: string; readonly reader: Reader };

/** One thing of a project, by its id. */
export type OneInProject = InProject & { readonly id: string };

const ROLES: readonly ProjectRole[] = ["viewer", "editor", "owner"];

/**
 * Whether `reader` has at least `role` in the project whose row goes by the name `project`. The operator and a tenant's admins are owners
 * of all they can see; everybody of the tenant is an editor of a project that is open to it; an API key is a viewer of its own, and where its scope says so an editor.
 */
export function hasRole(reader: Reader, role: ProjectRole, project = "project"): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${project}.${name}`);
  if (reader.kind === "operator") {
    return sql<boolean>`true`;
  }
  const isOfTenant = sql<boolean>`${column("tenant_id")} = ${reader.tenantId}`;
  if (reader.kind === "project-key") {
    return role === "viewer" || (role === "editor" && reader.canChange)
      ? sql<boolean>`(${isOfTenant} and ${column("id")} = ${reader.projectId}::uuid)`
      : sql<boolean>`false`;
  }
  if (reader.isAdmin) {
    return isOfTenant;
  }
  const isOpen = role === "owner" ? sql<boolean>`false` : sql<boolean>`${column("access")} = 'tenant'`;
  const enough = ROLES.slice(ROLES.indexOf(role));
  const granted = (reader.granted ?? []).filter((one) => enough.includes(one.role)).map(({ id }) => id);
  return sql<boolean>`(${isOfTenant} and (${isOpen} or ${column("id")} = any(${granted}::uuid[]) or exists (
    select 1 from observability.project_members as member
    where member.project_id = ${column("id")} and member.user_id = ${reader.userId} and member.role = any(${enough}::text[])
  )))`;
}

/** Does what {@link hasRole} does in statements that have no project's row: tells whether `reader` has at least `role` in the project of that id. */
export function hasRoleIn(reader: Reader, role: ProjectRole, projectId: RawBuilder<string> | string): RawBuilder<boolean> {
  // Columns of none are nothing that Citus could pass from node to node.
  return sql<boolean>`exists (select 1 from observability.projects as project where project.id = ${projectId} and ${hasRole(reader, role)})`;
}

/**
 * The projects that `reader` may see, for statements about the rows of several: told their ids, those are read where they are, also when
 * they are on several nodes.
 */
export async function listVisibleIds(query: Query, reader: Reader): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select project.id from observability.projects as project where ${hasRole(reader, "viewer")}`.execute(query);
  return rows.map(({ id }) => id);
}

/** The role of `reader` in a project, by the same rules; null when they may not see it. */
export function selectRole(reader: Reader, project = "project"): RawBuilder<ProjectRole | null> {
  const cases = ROLES.toReversed().map((role) => sql`when ${hasRole(reader, role, project)} then ${role}`);
  return sql<ProjectRole | null>`case ${sql.join(cases, sql` `)} end`;
}

/** `undefined` also when there is no such project: who may not see one learns nothing of it. */
export async function findRole(
  query: Query,
  { id, reader }: { readonly id: string; readonly reader: Reader },
): Promise<ProjectRole | undefined> {
  const row = await query
    .selectFrom("observability.projects as project")
    .select(selectRole(reader).as("role"))
    .where("project.id", "=", id)
    .executeTakeFirst();
  return row?.role ?? undefined;
}

/** @returns false also when there is no such project: who may not see one learns nothing of it. */
export async function hasProjectRole(
  query: Query,
  { id, reader, role }: { readonly id: string; readonly reader: Reader; readonly role: ProjectRole },
): Promise<boolean> {
  const found = await findRole(query, { id, reader });
  return found !== undefined && isEnough(found, role);
}

export function isEnough(role: ProjectRole, wanted: ProjectRole): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}
