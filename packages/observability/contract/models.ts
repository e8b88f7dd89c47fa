import { z } from "zod";
import { nulRefused, timestamp, WITHOUT_NUL } from "./parts.ts";

/** Connections to models, which judges ask. */

export const MODEL_PROVIDERS = ["openai-compatible", "anthropic"] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** Where a provider is asked unless another address is given. */
export const PROVIDER_URLS: Readonly<Record<ModelProvider, string>> = {
  "openai-compatible": "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
};

export const MAX_CONNECTIONS = 50;

export const modelName = z.string().trim().min(1, "name the model").max(200).regex(WITHOUT_NUL, nulRefused);

export const createModelConnectionRequestSchema = z.object({
  name: z.string().trim().min(1, "name the connection").max(100).regex(WITHOUT_NUL, nulRefused),
  provider: z.enum(MODEL_PROVIDERS),
  /** Without it, the provider's own. Another one is entered by admins of the tenant alone. */
  base_url: z
    .url({ protocol: /^https?$/, error: "expected an address such as https://models.example.org/v1" })
    .max(500)
    .optional(),
  /** Kept sealed and told to nobody. Null: the server asks for none. */
  key: z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .regex(/^[\x21-\x7e]+$/, "a key has letters, digits and signs of ASCII")
    .nullable()
    .default(null),
});
export type CreateModelConnectionRequest = z.input<typeof createModelConnectionRequestSchema>;

export const modelConnectionSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  provider: z.enum(MODEL_PROVIDERS),
  base_url: z.string(),
  has_key: z.boolean(),
  created_by: z.string(),
  created_at: timestamp,
});
export type ModelConnection = z.infer<typeof modelConnectionSchema>;
export const modelConnectionListSchema = z.object({ items: z.array(modelConnectionSchema), next_cursor: z.null() });

export const testModelConnectionRequestSchema = z.object({ model: modelName });
/** `problem` says what is wrong and what to do; null when the model answered as judges need it. */
export const testedModelConnectionSchema = z.object({ works: z.boolean(), problem: z.string().nullable() });
export type TestedModelConnection = z.infer<typeof testedModelConnectionSchema>;
