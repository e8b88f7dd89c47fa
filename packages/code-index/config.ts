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
import { allowedHostsVariable } from "@sightline/foundation/outbound/allowed-hosts";
import { encryptionKeysVariable } from "@sightline/foundation/secrets/sealing";
import { z } from "zod";

export const codeIndexVariables = {
  CODEINDEX_DATABASE_URL: {
    doc: "PostgreSQL (15 or newer, with the extensions vector and pg_trgm) that holds the index.",
    schema: postgresUrlVariable(),
    secret: true,
  },
  CODEINDEX_DATABASE_POOL_SIZE: { doc: "Connections each process opens at the most.", schema: integerVariable(1, 500), default: "10" },
  CODEINDEX_DATABASE_KEEPS_PLANS: {
    doc: "Whether the connections of serve keep the plans of statements, so that searches take less of PostgreSQL. Not behind a pooler that shares sessions, such as PgBouncer, nor with the embedded database.",
    schema: booleanVariable(),
    default: "false",
  },
  CODEINDEX_WEBHOOK_SECRET: {
    doc: "Secret shared with the source hosts, for the webhooks of repositories that have none of their own; without it only those are accepted.",
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
  CODEINDEX_INDEXER_CONCURRENCY: {
    doc: "Jobs that one indexer runs at once, first and full builds included. One more is always kept for updates of what is indexed, so that a push never waits for builds.",
    schema: integerVariable(1, 16),
    default: "2",
  },
  CODEINDEX_ALLOW_FILE_URLS: {
    doc: "Whether a repository of the indexer's own machine may be registered by a file:// address.",
    schema: booleanVariable(),
    default: "false",
  },
  CODEINDEX_ALLOW_PRIVATE_HOSTS: {
    doc: "Hosts of your own network that repositories may be fetched from: names (`git.example.org`, `*.corp.example`), addresses or ranges (`10.0.0.0/8`), with commas between.",
    schema: allowedHostsVariable(),
    default: "",
  },
  CODEINDEX_MIRROR_MAX_MB: {
    doc: "What the mirror of one repository may take on the indexer's disk.",
    schema: integerVariable(1, 1_000_000),
    default: "4096",
  },
  CODEINDEX_HISTORY_COMMITS: {
    doc: "Newest commits of each branch that are kept to be searched: about 2 kB each. 0 keeps none. Older ones are fetched when they are asked for.",
    schema: integerVariable(0, 100_000),
    default: "2000",
  },
  CODEINDEX_POLL_MINUTES: {
    doc: "Each repository's host is asked this often for commits that no webhook told of; 0 asks none.",
    schema: integerVariable(0, 1440),
    default: "10",
  },
  CODEINDEX_EMBEDDER: {
    doc: "What makes the vectors of the semantic leg: `hash` (built in, no network: likeness of spelling), `words` (built in, no network: meaning of words, learned from comments and code), `static` (Model2Vec files), `openai` (any compatible endpoint), `vertex` or `none`. API and indexer must agree on this and the next ten.",
    schema: z.enum(["hash", "words", "static", "openai", "vertex", "none"], "expected hash, words, static, openai, vertex or none"),
    default: "words",
  },
  CODEINDEX_EMBEDDING_URL: {
    doc: "`openai`: the endpoint's address up to `/v1` (OpenAI, Ollama, vLLM, TEI, …), required. `vertex`: another address than the region's.",
    schema: httpUrlVariable().optional(),
  },
  CODEINDEX_EMBEDDING_API_KEY: {
    doc: "`openai`: the key it is asked with; none is sent when not set.",
    schema: z.string().min(1).optional(),
    secret: true,
  },
  CODEINDEX_EMBEDDING_MODEL: {
    doc: "`openai`: the model's name, required. `static`: the folder that holds `model.safetensors`, `tokenizer.json` and `config.json`, required. `vertex`: `gemini-embedding-001` when not set.",
    schema: z.string().min(1).max(500).optional(),
  },
  CODEINDEX_EMBEDDING_DIMENSIONS: {
    doc: "Numbers in a vector, 4000 at the most. `openai`: as many as the model makes, required. `vertex`: 768 when not set.",
    schema: integerVariable(1, 4_000).optional(),
  },
  CODEINDEX_EMBEDDING_SHORTEN: {
    doc: "`openai`: whether the model is asked to make its vectors as short as CODEINDEX_EMBEDDING_DIMENSIONS says; not every model can.",
    schema: booleanVariable(),
    default: "false",
  },
  CODEINDEX_EMBEDDING_DOCUMENT_PREFIX: {
    doc: "`openai`, `static`: stands before every piece of code, for models that ask for it, e.g. `search_document: `.",
    schema: z.string().max(500).optional(),
  },
  CODEINDEX_EMBEDDING_QUERY_PREFIX: {
    doc: "`openai`, `static`: stands before every query, e.g. `search_query: `.",
    schema: z.string().max(500).optional(),
  },
  CODEINDEX_EMBEDDING_MAX_TOKENS: {
    doc: "Longer texts are cut here. `openai`: 8000 when not set, as many models take only 512. `vertex`: 2000.",
    schema: integerVariable(16, 1_000_000).optional(),
  },
  CODEINDEX_EMBEDDING_REVISION: {
    doc: "Any text. Changing it makes all vectors anew, as is needed when the provider serves another model under the same name.",
    schema: z.string().max(100).optional(),
  },
  CODEINDEX_EMBEDDING_PROJECT: {
    doc: "`vertex`: the Google Cloud project that pays; CODEINDEX_CLOUD_PROJECT when not set.",
    schema: cloudName(),
  },
  CODEINDEX_EMBEDDING_REGION: {
    doc: "`vertex`: the region that is asked, e.g. `europe-west4` or `global`; CODEINDEX_CLOUD_LOCATION when not set.",
    schema: cloudName(),
  },
  CODEINDEX_RERANKER_ENABLED: {
    doc: "Whether the first results of a question are put in order once more, by what CODEINDEX_RERANKER_TYPE names.",
    schema: booleanVariable(),
    default: "true",
  },
  CODEINDEX_RERANKER_TYPE: {
    doc: "`features`: by the built-in ranking, learned from questions and bug reports. `http`: by the model at CODEINDEX_RERANKER_URL. `vertex`: by Google Cloud's ranking models. `none`. The two models are asked about questions, not about names and literals.",
    schema: z.enum(["none", "features", "http", "vertex"], "expected none, features, http or vertex"),
    default: "features",
  },
  CODEINDEX_RERANKER_URL: {
    doc: "`http`: the address that is posted to, as `https://api.jina.ai/v1/rerank` or a Text Embeddings Inference's `/rerank`, required. `vertex`: another address than `https://discoveryengine.googleapis.com`.",
    schema: httpUrlVariable().optional(),
  },
  CODEINDEX_RERANKER_MODEL: {
    doc: "`http`: the model's name, sent in the way of Cohere, Jina and vLLM; without it the request is one of Text Embeddings Inference. `vertex`: `semantic-ranker-default@latest` when not set.",
    schema: z.string().min(1).max(500).optional(),
  },
  CODEINDEX_RERANKER_API_KEY: {
    doc: "`http`: the key the model is asked with; none is sent when not set.",
    schema: z.string().min(1).optional(),
    secret: true,
  },
  CODEINDEX_CLOUD_PROJECT: { doc: "Google Cloud project of this deployment.", schema: cloudName() },
  CODEINDEX_CLOUD_LOCATION: { doc: "Google Cloud location of this deployment.", schema: cloudName() },
  CODEINDEX_TENANT_AUTO_PROVISION: {
    doc: "Whether an access token of an organization (`tid`) that is not registered makes its tenant; otherwise it is refused.",
    schema: booleanVariable(),
    default: "false",
  },
  CODEINDEX_MCP_CALLS_PER_MINUTE: {
    doc: "Requests that one token may send to `/mcp` in a minute, over all replicas; more are answered 429. 0 sets no limit.",
    schema: integerVariable(0, 1_000_000),
    default: "600",
  },
  CODEINDEX_PORT: { doc: "Port of the API and of /mcp.", schema: portVariable(), default: "8080" },
  CODEINDEX_PUBLIC_URL: {
    doc: "Address under which clients reach the API and /mcp.",
    schema: httpUrlVariable(),
    default: "http://localhost:8080",
  },
} as const satisfies Variables;

/** They become part of an address. */
function cloudName() {
  return z
    .string()
    .regex(/^[a-z0-9][a-z0-9.:-]{0,99}$/, "expected small letters, digits and hyphens")
    .optional();
}

const embeddingVariables = [
  "CODEINDEX_EMBEDDER",
  "CODEINDEX_EMBEDDING_URL",
  "CODEINDEX_EMBEDDING_API_KEY",
  "CODEINDEX_EMBEDDING_MODEL",
  "CODEINDEX_EMBEDDING_DIMENSIONS",
  "CODEINDEX_EMBEDDING_SHORTEN",
  "CODEINDEX_EMBEDDING_DOCUMENT_PREFIX",
  "CODEINDEX_EMBEDDING_QUERY_PREFIX",
  "CODEINDEX_EMBEDDING_MAX_TOKENS",
  "CODEINDEX_EMBEDDING_REVISION",
  "CODEINDEX_EMBEDDING_PROJECT",
  "CODEINDEX_EMBEDDING_REGION",
  "CODEINDEX_CLOUD_PROJECT",
  "CODEINDEX_CLOUD_LOCATION",
] as const satisfies readonly (keyof typeof codeIndexVariables)[];

/** What the indexer reads: of the secrets, the database's address, the embedding provider's key and what opens the credentials of sources. */
export const indexerVariables = pickVariables(codeIndexVariables, [
  "CODEINDEX_DATABASE_URL",
  "CODEINDEX_DATABASE_POOL_SIZE",
  "CODEINDEX_LOG_LEVEL",
  "CODEINDEX_DATA_DIR",
  "CODEINDEX_INDEXER_CONCURRENCY",
  "CODEINDEX_ENCRYPTION_KEYS",
  "CODEINDEX_ALLOW_FILE_URLS",
  "CODEINDEX_ALLOW_PRIVATE_HOSTS",
  "CODEINDEX_MIRROR_MAX_MB",
  "CODEINDEX_HISTORY_COMMITS",
  "CODEINDEX_POLL_MINUTES",
  ...embeddingVariables,
]);

export const embedderVariables = pickVariables(codeIndexVariables, embeddingVariables);

export type EmbeddingConfig = Pick<CodeIndexConfig, "CODEINDEX_EMBEDDER"> &
  Partial<Pick<CodeIndexConfig, (typeof embeddingVariables)[number]>>;

export type RerankerConfig = Partial<
  Pick<CodeIndexConfig, Extract<keyof CodeIndexConfig, `CODEINDEX_RERANKER_${string}`> | "CODEINDEX_CLOUD_PROJECT">
>;

export type CodeIndexConfig = ConfigOf<typeof codeIndexVariables>;
