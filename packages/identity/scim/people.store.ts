import { sql } from "kysely";
import { foldEmail, storableText } from "#accounts/account.store.ts";
import type { Queries, Transaction } from "#schema.ts";
import type { Filter } from "./filter.ts";

/** Attributes that people can be asked for by. */
export const PERSON_ATTRIBUTES = ["username", "externalid", "id", "emails", "emails.value", "active"];

export type Page = { readonly startIndex: number; readonly count: number };

/** A person whom the directory has to do with. */
export type StoredPerson = NonNullable<Awaited<ReturnType<typeof findPerson>>>;

type Said = Pick<StoredPerson, "externalId" | "givenName" | "familyName">;

/** Those that it keeps, and other accounts of domains that the tenant has proven. */
const IS_KNOWN = sql<boolean>`case when person.user_id is not null then person.removed_at is null else exists (
  select from identity.sso_domains as proven join identity.sso_providers as provider on provider.id = proven.provider_id
  where provider.tenant_id = "user".tenant_id and proven.verified_at is not null
    and proven.domain = substring("user".folded_email from '[^@]*$')) end`;

function accounts(queries: Queries, tenantId: string) {
  return queries
    .selectFrom("identity.users as user")
    .leftJoin("identity.scim_people as person", "person.user_id", "user.id")
    .select([
      "user.id",
      "user.email",
      "user.name",
      "user.disabled_at as disabledAt",
      "user.created_at as createdAt",
      "person.external_id as externalId",
      "person.given_name as givenName",
      "person.family_name as familyName",
      "person.changed_at as changedAt",
    ])
    .where("user.tenant_id", "=", tenantId);
}

export async function findPerson(queries: Queries, tenantId: string, id: string) {
  return accounts(queries, tenantId).where("user.id", "=", id).where(IS_KNOWN).executeTakeFirst();
}

/** An account whose person was removed from the directory, and comes back. */
export async function findRemoved(queries: Queries, tenantId: string, email: string) {
  const isRemoved = sql<boolean>`folded_email = ${storableText(foldEmail(email))} and removed_at is not null`;
  return accounts(queries, tenantId).where(isRemoved).executeTakeFirst();
}

export async function listPeople(queries: Queries, tenantId: string, filter: Filter, { startIndex, count }: Page) {
  const [email, external] = [filter.get("username") ?? filter.get("emails.value") ?? filter.get("emails"), filter.get("externalid")];
  const [id, active] = [filter.get("id"), filter.get("active")];
  const found = accounts(queries, tenantId)
    .where(IS_KNOWN)
    .$if(email !== undefined, (query) => query.where("folded_email", "=", storableText(foldEmail(email ?? ""))))
    .$if(id !== undefined, (query) => query.where(sql<boolean>`"user".id::text = ${storableText(id ?? "").toLowerCase()}`))
    .$if(external !== undefined, (query) => query.where("external_id", "=", storableText(external ?? "")))
    .$if(active !== undefined, (query) => query.where("disabled_at", active === "true" ? "is" : "is not", null));
  const { total } = await found
    .clearSelect()
    .select(sql<number>`count(*)::int`.as("total"))
    .executeTakeFirstOrThrow();
  return {
    total,
    rows: await found
      .orderBy("user.id")
      .offset(startIndex - 1)
      .limit(count)
      .execute(),
  };
}

/** Notes what the directory says of an account that it keeps from now on. */
export async function savePerson(transaction: Transaction, userId: string, person: Said, now: Date, isRemoved = false) {
  const { externalId, givenName, familyName } = person;
  const said = {
    external_id: externalId,
    given_name: givenName,
    family_name: familyName,
    changed_at: now,
    removed_at: isRemoved ? now : null,
  };
  await transaction
    .insertInto("identity.scim_people")
    .values({ user_id: userId, ...said })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(said))
    .execute();
  if (isRemoved) {
    await transaction.deleteFrom("identity.group_members").where("user_id", "=", userId).execute();
  }
}
