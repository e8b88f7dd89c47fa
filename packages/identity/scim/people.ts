import { orRefuse } from "@sightline/foundation/errors";
import { emailDomain, findAccountByEmail, foldEmail, keptEmail } from "#accounts/account.store.ts";
import { createAccount } from "#accounts/create-account.ts";
import { actOnAccount, type Action } from "#administration/act-on-account.ts";
import { applyChanges, differences } from "#administration/change-account.ts";
import { refuseLosingAdmin } from "#administration/last-admin.ts";
import { lockAdministration, updateAccount } from "#administration/managed-account.store.ts";
import { settleRoles, type RoleDependencies } from "./settle-roles.ts";
import { readRequest } from "#read-request.ts";
import { refusal } from "#refusals.ts";
import type { Queries } from "#schema.ts";
import { findDomain } from "#sso/domain.store.ts";
import { findPerson, findRemoved, listPeople, PERSON_ATTRIBUTES, savePerson } from "./people.store.ts";
import { personSchema, toUser, type DirectoryPerson, type OfTenant, type ResourceKind } from "./resources.ts";

/**
 * People as a directory keeps them: accounts of the tenant's proven domains, and none besides. Passwords and second factors are none of its
 * business: one who leaves is disabled and never deleted, so that whoever gets the address next gets neither.
 */
export function createPeople(dependencies: RoleDependencies): ResourceKind {
  const { queries } = dependencies;

  async function change(directory: OfTenant, id: string, make: (action: Action) => Promise<void>): Promise<void> {
    await actOnAccount(dependencies, directory, { id, tenantId: directory.tenantId }, make);
    await settleRoles(dependencies, directory, directory.tenantId);
  }
  const present = async ({ transaction, account: { id, tenantId } }: Action) =>
    orRefuse(await findPerson(transaction, tenantId, id), () => refusal("scim_not_found"));

  return {
    name: "User",
    filters: PERSON_ATTRIBUTES,
    list: async (tenantId, filter, page) => {
      const { total, rows } = await listPeople(queries, tenantId, filter, page);
      return { total, resources: rows.map(toUser) };
    },
    create: async (directory, given) => {
      const person = readRequest(personSchema, given);
      const removed = await findRemoved(queries, directory.tenantId, person.email);
      if (removed === undefined) {
        return makeAccount(dependencies, directory, person);
      }
      await change(directory, removed.id, (action) => save(action, person));
      return removed.id;
    },
    change: (directory, id, makeOther) =>
      change(directory, id, async (action) => {
        const before = toUser(await present(action));
        // Left out, it stays: nobody is let in again by that.
        await save(action, readRequest(personSchema, { active: before["active"], ...makeOther(before) }));
      }),
    remove: (directory, id) => change(directory, id, async (action) => save(action, { ...(await present(action)), active: false }, true)),
  };
}

/** Makes an account that no password opens until its owner chooses one by a mailed link. */
async function makeAccount(
  dependencies: RoleDependencies,
  { tenantId, client, origin }: OfTenant,
  person: DirectoryPerson,
): Promise<string> {
  const { email, name, active } = person;
  const made = await createAccount(dependencies, {
    email,
    name,
    password: undefined,
    mustChangePassword: false,
    origin,
    client,
    decide: async (transaction) => {
      await lockAdministration(transaction, tenantId);
      await refuseForeignDomain(transaction, tenantId, email);
      return { role: "member", tenantId };
    },
    whenMade: async (transaction, { id }, now) => {
      await savePerson(transaction, id, person, now);
      await updateAccount(transaction, id, { disabledAt: active ? null : now });
      return active ? [] : [{ event: "user_disabled", at: now, userId: id, tenantId, client, details: { origin } }];
    },
  });
  return orRefuse(made, () => refusal("email_taken")).id;
}

/** @throws {AppError} 403 `scim_domain_unproven`, 409 `email_taken`, `last_admin` or `last_break_glass`. */
async function save(action: Action, person: DirectoryPerson, isRemoved = false): Promise<void> {
  const { transaction, account, now } = action;
  const email = keptEmail(person.email);
  const changes = differences(account, { name: person.name, disabled: !person.active }, now);
  if (foldEmail(email) !== foldEmail(account.email)) {
    await refuseForeignDomain(transaction, account.tenantId, email);
    if ((await findAccountByEmail(transaction, email)) !== undefined) {
      throw refusal("email_taken");
    }
  }
  if (changes.disabledAt instanceof Date) {
    await refuseLosingAdmin(action, undefined);
  }
  await applyChanges(action, { ...changes, ...(email === account.email ? {} : { email }) });
  await savePerson(transaction, account.id, person, now, isRemoved);
}

async function refuseForeignDomain(queries: Queries, tenantId: string, email: string): Promise<void> {
  const domain = await findDomain(queries, tenantId, emailDomain(email));
  if (domain === undefined || domain.verifiedAt === null) {
    throw refusal("scim_domain_unproven");
  }
}
