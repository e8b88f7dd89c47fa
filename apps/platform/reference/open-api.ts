import { z } from "zod";

const schemaSchema = z.looseObject({});

const operationSchema = z.object({
  summary: z.string().optional(),
  parameters: z
    .array(z.object({ in: z.string(), name: z.string(), required: z.boolean().default(false), schema: schemaSchema }))
    .default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: schemaSchema.default({}) })) }).optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.object({ schema: schemaSchema.default({}) })).optional() })),
});

/** What the reference tells of a served description: its routes, and what each takes and answers. */
export const openApiSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

export type OpenApi = z.infer<typeof openApiSchema>;
export type Operation = z.infer<typeof operationSchema>;
