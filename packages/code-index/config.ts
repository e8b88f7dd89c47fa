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
import { encryptionKeysVariable } from "@sightline/foundation/sealing";
import { z } from "zod";
import { isAllowedHost } from "./source/addresses.ts";

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
  CODEINDEX_ENCRYPTION_KEYS: {
    doc: "Keys that seal the credentials of sources, as ENCRYPTION_KEYS seals identity's secrets: `id:secret` with commas between; the first seals. Without it no credential can be stored.",
    schema: encryptionKeysVariable().optional(),
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
  CODEINDEX_ALLOW_FILE_URLS: {
    doc: "Whether a repository of the indexer's own machine may be registered by a file:// address.",
    schema: booleanVariable(),
    default: "false",
  },
  CODEINDEX_ALLOW_PRIVATE_HOSTS: {
    doc: "Hosts of your own network that repositories may be fetched from: names (`git.example.org`, `*.corp.example`), addresses or ranges (`10.0.0.0/8`), with commas between.",
    schema: z
      .string()
      .transform((text): readonly string[] =>
        text
          .split(",")
          .map((entry) => entry.trim())
          .filter((entry) => entry !== ""),
      )
      .refine((entries) => entries.every(isAllowedHost), "expected names, addresses or ranges such as 10.0.0.0/8, with commas between"),
    default: "",
  },
  CODEINDEX_MIRROR_MAX_MB: {
    doc: "What the mirror of one repository may take on the indexer's disk.",
    schema: integerVariable(1, 1_000_000),
    default: "4096",
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

/** What the indexer reads: of the secrets, the database's address and what opens the credentials of sources. */
export const indexerVariables = pickVariables(codeIndexVariables, [
  "CODEINDEX_DATABASE_URL",
  "CODEINDEX_DATABASE_POOL_SIZE",
  "CODEINDEX_LOG_LEVEL",
  "CODEINDEX_DATA_DIR",
  "CODEINDEX_ENCRYPTION_KEYS",
  "CODEINDEX_ALLOW_FILE_URLS",
  "CODEINDEX_ALLOW_PRIVATE_HOSTS",
  "CODEINDEX_MIRROR_MAX_MB",
  "CODEINDEX_EMBEDDER",
]);

export type CodeIndexConfig = ConfigOf<typeof codeIndexVariables>;
