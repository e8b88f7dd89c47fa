import { sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { Queries, Transaction } from "#schema.ts";

/** A group of the tenant with its people, by name. */
export type StoredGroup = NonNullable<Awaited<ReturnType<typeof findGroup>>>;

type GroupQuery = {
  readonly tenantId: string;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly externalId?: string | undefined;
  readonly member?: string | undefined;
};

function groups(queries: Queries, { tenantId, id, name, externalId, member }: GroupQuery) {
  const hasMember = sql<boolean>`exists (select from identity.group_members where group_id = "group".id and user_id::text = ${member ?? ""})`;
  return queries
    .selectFrom("identity.groups as group")
    .where("tenant_id", "=", tenantId)
    .$if(id !== undefined, (query) => query.where(sql<boolean>`"group".id::text = ${id ?? ""}`))
    .$if(name !== undefined, (query) => query.where("name", "=", name ?? ""))
    .$if(externalId !== undefined, (query) => query.where("external_id", "=", externalId ?? ""))
    .$if(member !== undefined, (query) => query.where(hasMember));
}

export async function listGroups(queries: Queries, asked: GroupQuery & { readonly offset?: number; readonly limit: number }) {
  return groups(queries, asked)
    .select(["group.id", "group.name", "external_id as externalId", "created_at as createdAt", "changed_at as changedAt"])
    .select((group) =>
      jsonArrayFrom(
        group
          .selectFrom("identity.group_members as member")
          .innerJoin("identity.users as user", "user.id", "member.user_id")
          .select(["user.id", "user.email", "user.name", sql<boolean>`"user".disabled_at is not null`.as("disabled")])
          .whereRef("member.group_id", "=", "group.id")
          .orderBy("folded_email"),
      ).as("members"),
    )
    .orderBy("group.name")
    .offset(asked.offset ?? 0)
    .limit(asked.limit)
    .execute();
}

export async function findGroup(queries: Queries, asked: GroupQuery) {
  return (await listGroups(queries, { ...asked, limit: 1 }))[0];
}

export async function countGroups(queries: Queries, asked: GroupQuery): Promise<number> {
  return (await groups(queries, asked).select(COUNT).executeTakeFirstOrThrow()).count;
}

const COUNT = sql<number>`count(*)::int`.as("count");
export const MAX_GROUPS = 1_000;
/** Of all groups: lists of them have their people. */
const MAX_MEMBERS = 100_000;

export async function hasTooMany(queries: Queries, tenantId: string): Promise<boolean> {
  const members = groups(queries, { tenantId }).innerJoin("identity.group_members as member", "member.group_id", "group.id").select(COUNT);
  return (await countGroups(queries, { tenantId })) > MAX_GROUPS || (await members.executeTakeFirstOrThrow()).count > MAX_MEMBERS;
}

type KeptGroup = Pick<StoredGroup, "id" | "name" | "externalId"> & { readonly tenantId: string; readonly members: readonly string[] };

/** Makes or changes the group, with all of its people; ids that are no account of the tenant are passed over. @returns who came and who went. */
export async function saveGroup(transaction: Transaction, { id, tenantId, name, externalId, members }: KeptGroup, now: Date) {
  const kept = { name, external_id: externalId, changed_at: now };
  await transaction
    .insertInto("identity.groups")
    .values({ ...kept, id, tenant_id: tenantId, created_at: now })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(kept))
    .execute();
  const { rows: removed } = await sql<{ id: string }>`delete from identity.group_members
    where group_id = ${id} and user_id::text <> all(${[...members]}::text[]) returning user_id as id`.execute(transaction);
  const { rows: added } = await sql<{ id: string }>`insert into identity.group_members (group_id, user_id)
    select ${id}::uuid, id from identity.users where tenant_id = ${tenantId} and id::text = any(${[...members]}::text[])
    on conflict do nothing returning user_id as id`.execute(transaction);
  return { added: added.map((one) => one.id), removed: removed.map((one) => one.id) };
}

export async function deleteGroup(transaction: Transaction, id: string): Promise<void> {
  await transaction.deleteFrom("identity.groups").where("id", "=", id).execute();
}

/**
 * People whom the directory keeps, and whose role is another than their groups give: those give the role of admin whose name, or the
 * directory's own name for them, company sign-in has among the values of admins. Nobody is listed while there is no such group. Those who
 * are kept for emergencies keep theirs. People who are gone are listed too: they do not come back as an admin.
 */
export async function listOtherRoles(queries: Queries, tenantId: string) {
  const admins = sql`select given.id from identity.groups as given join identity.sso_providers as provider on provider.tenant_id = given.tenant_id
    where given.tenant_id = ${tenantId} and role_claim is not null and (given.name = any(admin_values) or given.external_id = any(admin_values))`;
  const isAdmin = sql<boolean>`exists (select from identity.group_members where user_id = "user".id and group_id in (${admins}))`;
  return queries
    .selectFrom("identity.users as user")
    .innerJoin("identity.scim_people as person", "person.user_id", "user.id")
    .select(["user.id", sql<"admin" | "member">`case when ${isAdmin} then 'admin' else 'member' end`.as("role")])
    .where("tenant_id", "=", tenantId)
    .where("break_glass", "=", false)
    .where(sql<boolean>`(role = 'admin') <> ${isAdmin} and exists (${admins})`)
    .execute();
}
