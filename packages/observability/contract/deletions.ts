import { z } from "zod";
import { timestamp } from "./parts.ts";

/** What people have deleted: who, when and how much of it, and nothing of what it was. */

export const deletionParamsSchema = z.object({ project_id: z.uuid(), deletion_id: z.uuid() });

export const deletionSchema = z.object({
  id: z.uuid(),
  kind: z.enum(["traces", "user"]),
  /**
   * `deleting`: rows are still to go. `settling`: they are gone, and what was on its way when it was asked for, or what producers still refer to, is waited
   * for. `done`: nothing of it is stored any more.
   */
  state: z.enum(["deleting", "settling", "done"]),
  /** A user's id, or `operator`. */
  requested_by: z.string(),
  requested_at: timestamp,
  finished_at: timestamp.nullable(),
  /** So far. */
  traces: z.int(),
  scores: z.int(),
  dead_letters: z.int(),
});
export type Deletion = z.infer<typeof deletionSchema>;

/** The newest first. */
export const deletionPageSchema = z.object({ items: z.array(deletionSchema), next_cursor: z.string().nullable() });
export type DeletionPage = z.infer<typeof deletionPageSchema>;
