import { z } from "zod";
import { timestamp } from "./parts.ts";

/** `GET /admin/scim`: the address that the company's directory is told, and its token, if it has one. */
export const scimSchema = z.object({
  base_url: z.string(),
  token: z.object({ created_at: timestamp, last_used_at: timestamp.nullable() }).nullable(),
});
export type Scim = z.infer<typeof scimSchema>;

/** `POST /admin/scim/token`: shown once. */
export const madeScimTokenSchema = scimSchema.extend({ secret: z.string() });
