import { z } from "zod";
import { id } from "./parts.ts";

/** `/admin/rights/:kind/:id`: of a repository of the code index, or a project of observability. */
export const rightsParamsSchema = z.object({ kind: z.enum(["repository", "project"]), id: z.uuid().toLowerCase() });
export type RightsParams = z.output<typeof rightsParamsSchema>;

/** Of a repository `read` alone counts yet; of a project it makes viewers, `write` editors and `admin` owners. */
const level = z.enum(["read", "write", "admin"]);

/** `PUT`: the groups that may see it, beside admins. Null keeps it to no group: a repository is everybody's then. */
const givenSchema = z.array(z.object({ id, level })).max(100).nullable();
export const saveRightsRequestSchema = z.object({
  groups: givenSchema,
  /** The groups that whoever changes them saw; others since are 409 `rights_changed`. */
  expected: givenSchema.optional(),
});
export type SaveRightsRequest = z.output<typeof saveRightsRequestSchema>;

/** `GET`: who may see it, and by which group. */
const memberSchema = z.object({ id, email: z.string(), name: z.string(), disabled: z.boolean() });
const groupSchema = z.object({ id, name: z.string(), members: z.array(memberSchema) });
export const rightsSchema = z.object({ groups: z.array(groupSchema.extend({ level })).nullable() });
export type Rights = z.infer<typeof rightsSchema>;

/** `GET /admin/groups` */
export const groupsSchema = z.object({ groups: z.array(groupSchema) });
