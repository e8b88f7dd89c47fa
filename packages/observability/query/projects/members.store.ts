import { sql, type Transaction } from "kysely";
import type { ObservabilitySchema, Query } from "#schema.ts";
import { selectMicros, type Position } from "#store/position.ts";
import { hasRole, type ProjectRole, type Reader, type InProject } from "#store/reader.ts";

export type MemberRow = {
  readonly user_id: string;
  readonly role: ProjectRole;
  readonly added_at: Date;
  readonly added_by: string;
};

/** More members would make every check of them slow, and are served better by opening the project to the tenant. */
export const MAX_MEMBERS = 1_000;

/** Lists members, newest first, for everybody who sees the project. */
export async function listMembers(
  query: Query,
  wanted: InProject & { readonly after: Position | undefined; readonly limit: number },
): Promise<readonly (MemberRow & { readonly id: string; readonly position: string })[]> {
  const { projectId, reader, after, limit } = wanted;
  let rows = query
    .selectFrom("observability.project_members as member")
    .innerJoin("observability.projects as project", "project.id", "member.project_id")
    .select([
      "member.user_id",
      "member.user_id as id",
      "member.role",
      "member.added_at",
      "member.added_by",
      selectMicros("member.added_at").as("position"),
    ])
    .where("project.id", "=", projectId)
    .where(hasRole(reader, "viewer"));
  if (after !== undefined) {
    const instant = sql`timestamptz 'epoch' + ${after.micros}::bigint * interval '1 microsecond'`;
    rows = rows.where(sql<boolean>`(member.added_at, member.user_id) < (${instant}, ${after.id}::text)`);
  }
  return rows.orderBy("member.added_at", "desc").orderBy("member.user_id", "desc").limit(limit).execute();
}

type Change = InProject & { readonly userId: string };

/** `refused`: the reader may not, or there is no such project. */
export type MemberChange = "done" | "refused" | "last_owner" | "too_many";

/** Adds a member or changes their role. Only the tenant's admins may leave a project without an owner. */
export async function putMember(
  query: Query,
  { projectId, reader, userId, role, by }: Change & { readonly role: ProjectRole; readonly by: string },
): Promise<MemberChange> {
  return query.transaction().execute(async (transaction) => {
    if (!(await lockProject(transaction, projectId, hasRole(reader, "owner")))) {
      return "refused";
    }
    if (role !== "owner" && !isAboveOwners(reader) && (await isLastOwner(transaction, projectId, userId))) {
      return "last_owner";
    }
    const { rows } = await sql`
      insert into observability.project_members as member (project_id, user_id, role, added_by)
      select ${projectId}::uuid, ${userId}::text, ${role}::text, ${by}::text
      where (
        select count(*) from observability.project_members where project_id = ${projectId} and user_id <> ${userId}
      ) < ${MAX_MEMBERS}
      on conflict (project_id, user_id) do update set role = excluded.role
      returning member.user_id`.execute(transaction);
    return rows.length > 0 ? "done" : "too_many";
  });
}

/** Removes a member: owners remove anybody, everybody themself. Somebody who is no member counts as removed. */
export async function removeMember(query: Query, { projectId, reader, userId }: Change): Promise<MemberChange> {
  return query.transaction().execute(async (transaction) => {
    const isSelf = reader.kind === "user" && reader.userId === userId;
    if (!(await lockProject(transaction, projectId, hasRole(reader, isSelf ? "viewer" : "owner")))) {
      return "refused";
    }
    if (!isAboveOwners(reader) && (await isLastOwner(transaction, projectId, userId))) {
      return "last_owner";
    }
    await transaction
      .deleteFrom("observability.project_members")
      .where("project_id", "=", projectId)
      .where("user_id", "=", userId)
      .execute();
    return "done";
  });
}

/** Serialises changes of a project's members, so that two owners who leave at once see each other. */
async function lockProject(
  transaction: Transaction<ObservabilitySchema>,
  projectId: string,
  isAllowed: ReturnType<typeof hasRole>,
): Promise<boolean> {
  const row = await transaction
    .selectFrom("observability.projects as project")
    .select("project.id")
    .where("project.id", "=", projectId)
    .where(isAllowed)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

async function isLastOwner(transaction: Transaction<ObservabilitySchema>, projectId: string, userId: string): Promise<boolean> {
  const owners = await transaction
    .selectFrom("observability.project_members")
    .select("user_id")
    .where("project_id", "=", projectId)
    .where("role", "=", "owner")
    .limit(2)
    .execute();
  return owners.length === 1 && owners[0]?.user_id === userId;
}

function isAboveOwners(reader: Reader): boolean {
  return reader.kind === "operator" || (reader.kind === "user" && reader.isAdmin);
}
