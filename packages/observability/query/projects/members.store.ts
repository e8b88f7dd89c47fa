import { sql, type Kysely, type Transaction } from "kysely";
import type { ObservabilitySchema } from "#schema.ts";
import { microsOf, type Position } from "#store/position.ts";
import { hasRole, type ProjectRole, type Reader } from "#store/reader.ts";

type Query = Kysely<ObservabilitySchema>;

export type MemberRow = {
  readonly user_id: string;
  readonly role: ProjectRole;
  readonly added_at: Date;
  readonly added_by: string;
};

/** More would make every look at a project's members slow, and are easier served by opening it to the tenant. */
export const MAX_MEMBERS = 1_000;

/** Newest first, for everybody who sees the project. */
export async function listMembers(
  query: Query,
  wanted: { readonly projectId: string; readonly reader: Reader; readonly after: Position | undefined; readonly limit: number },
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
      microsOf("member.added_at").as("position"),
    ])
    .where("project.id", "=", projectId)
    .where(hasRole(reader, "viewer"));
  if (after !== undefined) {
    const instant = sql`timestamptz 'epoch' + ${after.micros}::bigint * interval '1 microsecond'`;
    rows = rows.where(sql<boolean>`(member.added_at, member.user_id) < (${instant}, ${after.id}::text)`);
  }
  return rows.orderBy("member.added_at", "desc").orderBy("member.user_id", "desc").limit(limit).execute();
}

type Change = { readonly projectId: string; readonly reader: Reader; readonly userId: string };

/** `refused`: the reader may not, or there is no such project. */
export type MemberChange = "done" | "refused" | "last_owner" | "too_many";

/** Adds somebody, or gives them another role. The tenant's last word is its admins': only they leave a project without an owner. */
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

/** Owners remove anybody, everybody themself. Who is no member is removed already. */
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

/** One change of a project's members after the other, so that two owners who leave at once see each other. */
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
