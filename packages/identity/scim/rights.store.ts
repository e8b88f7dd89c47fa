import type { RightsParams, SaveRightsRequest } from "#contract.ts";
import type { Queries, Transaction } from "#schema.ts";

/** By group; the mark that it is kept to groups goes by the empty name. */
export async function listRights(queries: Queries, tenantId: string, { kind, id }: RightsParams) {
  const rights = queries.selectFrom("identity.group_rights").select(["group_id as groupId", "level"]);
  const rows = await rights.where("tenant_id", "=", tenantId).where("kind", "=", kind).where("target", "=", id).execute();
  return new Map(rows.map(({ groupId, level }) => [groupId ?? "", level]));
}

export async function saveRights(
  transaction: Transaction,
  tenantId: string,
  { kind, id: target }: RightsParams,
  groups: SaveRightsRequest["groups"],
): Promise<void> {
  const rights = transaction.deleteFrom("identity.group_rights").where("tenant_id", "=", tenantId);
  await rights.where("kind", "=", kind).where("target", "=", target).execute();
  const given = [{ id: null, level: "read" as const }, ...new Map((groups ?? []).map((group) => [group.id, group])).values()];
  const rows = given.map(({ id, level }) => ({ tenant_id: tenantId, kind, target, group_id: id, level }));
  if (groups !== null) {
    await transaction.insertInto("identity.group_rights").values(rows).execute();
  }
}
