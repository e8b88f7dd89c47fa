import { z } from "zod";
import { id } from "./contract-parts.ts";

/** `POST /people/find`: who these accounts of one's own tenant are; what is no such account is left out. */
export const findPeopleRequestSchema = z.object({
  ids: z.array(id).max(200).default([]),
  /** Whole addresses. */
  emails: z.array(z.string().trim().max(320)).max(20).default([]),
});
export type FindPeopleRequest = z.input<typeof findPeopleRequestSchema>;
export const personSchema = z.object({ id, email: z.string(), name: z.string(), disabled: z.boolean() });
export type Person = z.infer<typeof personSchema>;
export const peopleSchema = z.object({ people: z.array(personSchema) });
