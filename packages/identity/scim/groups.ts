import { orRefuse } from "@sightline/foundation/errors";
import { v7 as uuidv7 } from "uuid";
import { lockAdministration } from "#administration/managed-account.store.ts";
import { appendAudit, type AuditEvent } from "#audit/audit.store.ts";
import { countGroups, deleteGroup, findGroup, hasTooMany, listGroups, saveGroup, type StoredGroup } from "./groups.store.ts";
import { settleRoles, type RoleDependencies } from "./settle-roles.ts";
import { readRequest } from "#read-request.ts";
import { refusal } from "#refusals.ts";
import type { Transaction } from "#schema.ts";
import type { Resource } from "./patch.ts";
import { groupSchema, toGroup, type OfTenant, type ResourceKind } from "./resources.ts";

/** Ids that the audit names of those who came or went. */
const MAX_NAMED = 20;

/** Groups as a directory keeps them. */
export function createGroups(dependencies: RoleDependencies): ResourceKind {
  const { queries, clock } = dependencies;

  /** Makes a change of the group, if it is there, under the tenant's lock, and gives people the roles that they have then. */
  async function change(
    directory: OfTenant,
    id: string,
    make: (transaction: Transaction, before: StoredGroup | undefined) => Promise<Pick<AuditEvent, "event" | "details"> | undefined>,
  ): Promise<void> {
    const { tenantId, client, origin } = directory;
    await queries.transaction().execute(async (transaction) => {
      await lockAdministration(transaction, tenantId);
      const told = await make(transaction, await findGroup(transaction, { tenantId, id }));
      if (told !== undefined) {
        await appendAudit(transaction, { event: told.event, at: clock.now(), tenantId, client, details: { ...told.details, origin } });
      }
    });
    await settleRoles(dependencies, directory, tenantId);
  }

  async function save(transaction: Transaction, tenantId: string, id: string, given: Resource) {
    const group = readRequest(groupSchema, given);
    const named = await findGroup(transaction, { tenantId, name: group.name });
    if (named !== undefined && named.id !== id) {
      throw refusal("group_name_taken");
    }
    const { added, removed } = await saveGroup(transaction, { ...group, id, tenantId }, clock.now());
    if (await hasTooMany(transaction, tenantId)) {
      throw refusal("too_many_groups");
    }
    return { group: group.name, added: inWords(added), removed: inWords(removed) };
  }

  return {
    name: "Group",
    filters: ["displayname", "externalid", "id", "members", "members.value"],
    list: async (tenantId, filter, { startIndex, count }) => {
      const [name, externalId, id] = [filter.get("displayname"), filter.get("externalid"), filter.get("id")];
      const asked = { tenantId, name, externalId, id, member: filter.get("members") ?? filter.get("members.value") };
      const rows = await listGroups(queries, { ...asked, offset: startIndex - 1, limit: count });
      return { total: await countGroups(queries, asked), resources: rows.map(toGroup) };
    },
    create: async (directory, given) => {
      const [{ tenantId }, id] = [directory, uuidv7()];
      await change(directory, id, async (transaction) => ({ event: "group_made", details: await save(transaction, tenantId, id, given) }));
      return id;
    },
    change: (directory, id, makeOther) =>
      change(directory, id, async (transaction, found) => {
        const before = orRefuse(found, () => refusal("scim_not_found"));
        const details = await save(transaction, directory.tenantId, id, makeOther(toGroup(before)));
        const isSame = details.group === before.name && details.added === "none" && details.removed === "none";
        return isSame ? undefined : { event: "group_changed", details };
      }),
    remove: (directory, id) =>
      change(directory, id, async (transaction, found) => {
        const { name } = orRefuse(found, () => refusal("scim_not_found"));
        await deleteGroup(transaction, id);
        return { event: "group_deleted", details: { group: name } };
      }),
  };
}

function inWords(ids: readonly string[]): string {
  const named = ids.slice(0, MAX_NAMED).join(", ");
  return ids.length > MAX_NAMED ? `${named} and ${ids.length - MAX_NAMED} more` : named === "" ? "none" : named;
}
