import { postgresUrlVariable, type Variables } from "@sightline/foundation/config";

/** What the code index reads to offer traces to assistants beside code. */
export const tracesOverMcpVariables = {
  DATABASE_URL: {
    doc: "PostgreSQL of identity and observability; without it MCP has no tools for traces.",
    schema: postgresUrlVariable().optional(),
    secret: true,
  },
} as const satisfies Variables;
