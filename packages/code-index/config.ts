import {
  booleanVariable,
  httpUrlVariable,
  integerVariable,
  logLevelVariable,
  pickVariables,
  portVariable,
  postgresUrlVariable,
  type ConfigOf,
  type Variables,
} from "@sightline/foundation/config";
import { z } from "zod";

export const codeIndexVariables = {
  CODEINDEX_DATABASE_URL: {
    doc: "PostgreSQL (15 or newer, with the extensions vector and pg_trgm) that holds the index.",
    schema: postgresUrlVariable(),
    secret: true,
  },
  CODEINDEX_DATABASE_POOL_SIZE: { doc: "Connections each process opens at the most.", schema: integerVariable(1, 500), default: "10" },
  CODEINDEX_WEBHOOK_SECRET: {
    doc: "HMAC secret shared with the source host; without it no webhook is accepted.",
    schema: z.string().min(16, "expected at least 16 characters").optional(),
    secret: true,
  },
  CODEINDEX_JWT_JWKS_URL: { doc: "Where the keys that sign the console's access tokens (RS256) are published.", schema: httpUrlVariable() },
  CODEINDEX_JWT_AUDIENCE: { doc: "The `aud` an access token must have.", schema: z.string().min(1), default: "sightline" },
  CODEINDEX_JWT_ISSUER: {
    doc: "The `iss` an access token must have; not looked at when not set, as with an external identity provider.",
    schema: z.string().min(1).optional(),
  },
  CODEINDEX_JWT_EPOCHS_URL: {
    doc: "Identity's feed of accounts and sessions whose access tokens stopped to count early, honoured within a minute. An external identity provider has none.",
    schema: httpUrlVariable().optional(),
  },
  CODEINDEX_LOG_LEVEL: { doc: "DEBUG, INFO, WARNING or ERROR.", schema: logLevelVariable(), default: "INFO" },
  CODEINDEX_DATA_DIR: {
    doc: "Folder of the indexer's git mirrors; it may be lost, they are fetched again.",
    schema: z.string().min(1),
    default: ".sightline/code-index",
  },
  CODEINDEX_INDEXER_CONCURRENCY: {
    doc: "Jobs that one indexer runs at once. Only one of them is a first or full build, the others are small updates of what is indexed.",
    schema: integerVariable(1, 16),
    default: "2",
  },
  CODEINDEX_ALLOW_FILE_URLS: {
    doc: "Whether a repository of the indexer's own machine may be registered by a file:// address.",
    schema: booleanVariable(),
    default: "false",
  },
  CODEINDEX_EMBEDDER: {
    doc: "What makes the vectors of the semantic leg: `hash` (built in, lexical, no network) or `none`.",
    schema: z.enum(["hash", "none"], "expected hash or none"),
    default: "hash",
  },
  CODEINDEX_PORT: { doc: "Port of the API and of /mcp.", schema: portVariable(), default: "8080" },
  CODEINDEX_PUBLIC_URL: {
    doc: "Address under which clients reach the API and /mcp.",
    schema: httpUrlVariable(),
    default: "http://localhost:8080",
  },
} as const satisfies Variables;

/** What the indexer reads: no secret but the database's address. */
export const indexerVariables = pickVariables(codeIndexVariables, [
  "CODEINDEX_DATABASE_URL",
  "CODEINDEX_DATABASE_POOL_SIZE",
  "CODEINDEX_LOG_LEVEL",
  "CODEINDEX_DATA_DIR",
  "CODEINDEX_INDEXER_CONCURRENCY",
  "CODEINDEX_ALLOW_FILE_URLS",
  "CODEINDEX_EMBEDDER",
]);

export type CodeIndexConfig = ConfigOf<typeof codeIndexVariables>;
