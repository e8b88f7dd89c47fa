import { z } from "zod";

/** The search methods, and how each answered. */

export const legNameSchema = z.enum(["semantic", "bm25", "exact"]);
export type LegName = z.infer<typeof legNameSchema>;

/** Makes one thing of each leg's other. */
export function mapLegs<From, To>(legs: Readonly<Record<LegName, From>>, change: (leg: From, name: LegName) => To): Record<LegName, To> {
  return Object.fromEntries(legNameSchema.options.map((name) => [name, change(legs[name], name)])) as Record<LegName, To>;
}

export const legStateSchema = z.object({
  state: z.enum(["ok", "skipped", "pending", "degraded", "timeout"]),
  reason: z.string().optional(),
  /** The embedder of the semantic leg: `hash` knows how words are spelt, and not what they mean. */
  by: z.enum(["meaning", "spelling"]).optional(),
  ms: z.number(),
  hits: z.int(),
});
