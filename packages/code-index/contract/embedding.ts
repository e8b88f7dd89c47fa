import { z } from "zod";

const vectorCountsSchema = z.object({
  chunks: z.int(),
  embedded: z.int(),
  pending: z.int(),
  /** Chunks the provider will not embed; they are found by the other legs. */
  refused: z.int(),
});

/** The vectors that searches use; `off` where nothing embeds. */
export const embeddingSchema = vectorCountsSchema.extend({
  provider: z.string(),
  model: z.string().nullable(),
  dimensions: z.int().nullable(),
  state: z.enum(["ready", "pending", "degraded", "off"]),
  /** The provider's own words. */
  reason: z.string().nullable(),
  /** The vectors that will be used once the last one is there, after the embedder was changed; counted in texts. */
  next: z
    .object({
      provider: z.string(),
      model: z.string(),
      dimensions: z.int(),
      embedded: z.int(),
      pending: z.int(),
      reason: z.string().nullable(),
    })
    .nullable(),
  /** Those with chunks that have no vector first; a thousand at the most. */
  branches: z.array(
    vectorCountsSchema.extend({ repo_id: z.uuid(), full_name: z.string(), ref: z.string(), reason: z.string().nullable() }),
  ),
});
export type Embedding = z.infer<typeof embeddingSchema>;
