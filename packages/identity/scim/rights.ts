import type { AdministrationDependencies } from "#administration/act-on-account.ts";
import { appendAudit } from "#audit/audit.store.ts";
import { ownAction, type Caller } from "#audit/client.ts";
import type { Rights, RightsParams, SaveRightsRequest } from "#contract.ts";
import { refusal } from "#refusals.ts";
import { beginChange, tellOthers } from "#sso/change-settings.ts";
import type { Queries } from "#schema.ts";
import { listGroups, MAX_GROUPS } from "./groups.store.ts";
import { listRights, saveRights } from "./rights.store.ts";

/** Groups that it is given to, with their people: they may see it, and admins. */
export async function describeRights(queries: Queries, tenantId: string, of: RightsParams): Promise<Rights> {
  const levels = await listRights(queries, tenantId, of);
  const groups = await listGroups(queries, { tenantId, limit: MAX_GROUPS });
  const given = groups.flatMap(({ id, ...group }) => [levels.get(id) ?? []].flat().map((level) => ({ ...group, id, level })));
  return { groups: levels.size === 0 ? null : given };
}

/**
 * Gives it to these groups and to no others. Every other admin is told.
 *
 * @throws {AppError} 400 `unknown_group`, 403 `second_factor_needed`, 409 `rights_changed`.
 */
export async function changeRights(
  tools: AdministrationDependencies,
  caller: Caller,
  of: RightsParams,
  { groups, expected }: SaveRightsRequest,
) {
  return tools.queries.transaction().execute(async (transaction) => {
    await beginChange(transaction, caller);
    if (expected !== undefined && inWords(expected) !== inWords((await describeRights(transaction, caller.tenantId, of)).groups)) {
      throw refusal("rights_changed");
    }
    const all = await listGroups(transaction, { tenantId: caller.tenantId, limit: MAX_GROUPS });
    const known = new Map(all.map(({ id, name }) => [id, name]));
    if (groups?.some(({ id }) => !known.has(id)) === true) {
      throw refusal("unknown_group");
    }
    await saveRights(transaction, caller.tenantId, of, groups);
    const to = groups === null ? "no group" : groups.map(({ id, level }) => `${known.get(id) ?? id} (${level})`).join(", ");
    const details = { kind: of.kind, target: of.id, groups: to.slice(0, 500) };
    await tellOthers(tools, transaction, caller, `${of.kind} ${of.id}: ${details.groups}`, "rights");
    await appendAudit(transaction, { ...ownAction(caller, tools.clock.now()), event: "rights_changed", details });
    return describeRights(transaction, caller.tenantId, of);
  });
}

const inWords = (groups: SaveRightsRequest["groups"]) =>
  JSON.stringify(groups?.map(({ id, level }) => `${id} ${level}`).toSorted() ?? null);
