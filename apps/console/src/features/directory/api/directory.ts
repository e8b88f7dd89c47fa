import {
  groupsSchema,
  madeScimTokenSchema,
  type RightsParams,
  rightsSchema,
  type SaveRightsRequest,
  scimSchema,
} from "@sightline/identity/contract";
import { queryOptions } from "@tanstack/react-query";
import { encoded, identity } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";

/** The address that the company's directory is told, and its token; for admins. */
export const scimQuery = queryOptions({
  queryKey: ["directory", "scim"],
  queryFn: answerTo(identity.get("/admin/scim", { answer: scimSchema })),
});

export const makeScimToken = identity.post("/admin/scim/token", { answer: madeScimTokenSchema });
export const endScimToken = identity.delete("/admin/scim/token");

const allGroups = groupsSchema.transform(({ groups }) => groups);
export type Group = ReturnType<typeof allGroups.parse>[number];

export const groupsQuery = queryOptions({
  queryKey: ["directory", "groups"],
  queryFn: answerTo(identity.get("/admin/groups", { answer: allGroups })),
});

const rightsOf = ({ kind, id }: RightsParams) => encoded`/admin/rights/${kind}/${id}`;

export function rightsQuery(of: RightsParams) {
  return queryOptions({
    queryKey: ["directory", "rights", of.kind, of.id],
    queryFn: answerTo(identity.get(rightsOf(of), { answer: rightsSchema })),
  });
}

export const saveRights = (of: RightsParams, body: SaveRightsRequest) => identity.put(rightsOf(of), { body, answer: rightsSchema });
