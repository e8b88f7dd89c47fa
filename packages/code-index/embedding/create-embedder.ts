import { ConfigError, listConfigProblems } from "@sightline/foundation/config";
import type { EmbeddingConfig } from "#config.ts";
import { type Embedder, readKey } from "./embedder.ts";
import { createHashEmbedder } from "./hash-embedder.ts";
import { createOpenaiEmbedder } from "./openai-embedder.ts";
import type { RemoteTiming } from "./remote-embedder.ts";
import { createStaticEmbedder } from "./static-embedder.ts";
import { createVertexEmbedder } from "./vertex-embedder.ts";
import { createWordsEmbedder } from "./words-embedder.ts";

/**
 * The embedder that `CODEINDEX_EMBEDDER` names; `undefined` for `none`, where there is no semantic leg.
 *
 * @throws {ConfigError} naming everything that it needs and is not set.
 */
export function createEmbedder(config: EmbeddingConfig, timing?: RemoteTiming): Embedder | undefined {
  return CREATORS[config.CODEINDEX_EMBEDDER](config, timing);
}

export function problemsOfEmbedder(config: EmbeddingConfig): readonly string[] {
  return listConfigProblems(() => createEmbedder(config));
}

/** The embedder of a former identity, where the configuration still reaches it: another model of its provider, or the built-in one. */
export function createFormerEmbedder(config: EmbeddingConfig, key: string): Embedder | undefined {
  const space = readKey(key);
  if (space === undefined) {
    return undefined;
  }
  const { provider, model, revision, dimensions, documentPrefix, queryPrefix } = space;
  const former = provider === "hash" ? createHashEmbedder() : provider === "words" ? createWordsEmbedder() : undefined;
  if (former !== undefined || provider !== config.CODEINDEX_EMBEDDER || (provider !== "openai" && provider !== "vertex")) {
    return former?.identity.key === key ? former : undefined;
  }
  return createEmbedder({
    ...config,
    CODEINDEX_EMBEDDING_MODEL: model,
    CODEINDEX_EMBEDDING_REVISION: revision,
    CODEINDEX_EMBEDDING_DIMENSIONS: dimensions,
    CODEINDEX_EMBEDDING_DOCUMENT_PREFIX: documentPrefix,
    CODEINDEX_EMBEDDING_QUERY_PREFIX: queryPrefix,
  });
}

type Creator = (config: EmbeddingConfig, timing: RemoteTiming | undefined) => Embedder | undefined;

const CREATORS: Readonly<Record<EmbeddingConfig["CODEINDEX_EMBEDDER"], Creator>> = {
  none: () => undefined,
  hash: createHashEmbedder,
  words: createWordsEmbedder,
  static: createStatic,
  openai: createOpenai,
  vertex: createVertex,
};

function createStatic(config: EmbeddingConfig): Embedder {
  const { CODEINDEX_EMBEDDING_MODEL: folder } = demand("static", { CODEINDEX_EMBEDDING_MODEL: config.CODEINDEX_EMBEDDING_MODEL });
  return createStaticEmbedder({ folder, revision: config.CODEINDEX_EMBEDDING_REVISION ?? "", ...prefixesOf(config) });
}

function createOpenai(config: EmbeddingConfig, timing: RemoteTiming | undefined): Embedder {
  const needed = demand("openai", {
    CODEINDEX_EMBEDDING_URL: config.CODEINDEX_EMBEDDING_URL,
    CODEINDEX_EMBEDDING_MODEL: config.CODEINDEX_EMBEDDING_MODEL,
    CODEINDEX_EMBEDDING_DIMENSIONS: config.CODEINDEX_EMBEDDING_DIMENSIONS,
  });
  return createOpenaiEmbedder({
    url: needed.CODEINDEX_EMBEDDING_URL,
    apiKey: config.CODEINDEX_EMBEDDING_API_KEY,
    space: {
      provider: "openai",
      model: needed.CODEINDEX_EMBEDDING_MODEL,
      revision: config.CODEINDEX_EMBEDDING_REVISION ?? "",
      dimensions: needed.CODEINDEX_EMBEDDING_DIMENSIONS,
      ...prefixesOf(config),
    },
    shorten: config.CODEINDEX_EMBEDDING_SHORTEN ?? false,
    maxTokens: config.CODEINDEX_EMBEDDING_MAX_TOKENS,
    timing,
  });
}

const PROJECT = "CODEINDEX_EMBEDDING_PROJECT (or CODEINDEX_CLOUD_PROJECT)";
const REGION = "CODEINDEX_EMBEDDING_REGION (or CODEINDEX_CLOUD_LOCATION)";
const VERTEX = { model: "gemini-embedding-001", dimensions: 768 } as const;

function createVertex(config: EmbeddingConfig, timing: RemoteTiming | undefined): Embedder {
  const needed = demand("vertex", {
    [PROJECT]: config.CODEINDEX_EMBEDDING_PROJECT ?? config.CODEINDEX_CLOUD_PROJECT,
    [REGION]: config.CODEINDEX_EMBEDDING_REGION ?? config.CODEINDEX_CLOUD_LOCATION,
  });
  return createVertexEmbedder({
    project: needed[PROJECT],
    region: needed[REGION],
    url: config.CODEINDEX_EMBEDDING_URL,
    space: {
      provider: "vertex",
      model: config.CODEINDEX_EMBEDDING_MODEL ?? VERTEX.model,
      revision: config.CODEINDEX_EMBEDDING_REVISION ?? "",
      dimensions: config.CODEINDEX_EMBEDDING_DIMENSIONS ?? VERTEX.dimensions,
      // Its task types say what a prefix would.
      documentPrefix: "",
      queryPrefix: "",
    },
    maxTokens: config.CODEINDEX_EMBEDDING_MAX_TOKENS,
    timing,
  });
}

function prefixesOf(config: EmbeddingConfig) {
  return {
    documentPrefix: config.CODEINDEX_EMBEDDING_DOCUMENT_PREFIX ?? "",
    queryPrefix: config.CODEINDEX_EMBEDDING_QUERY_PREFIX ?? "",
  };
}

type Given<Needed> = { readonly [Name in keyof Needed]: NonNullable<Needed[Name]> };

function demand<Needed extends Readonly<Record<string, unknown>>>(embedder: string, needed: Needed): Given<Needed> {
  const missing = Object.keys(needed).filter((name) => needed[name] === undefined);
  if (missing.length > 0) {
    throw new ConfigError([
      `CODEINDEX_EMBEDDER=${embedder} needs ${missing.join(", ")}, which ${missing.length === 1 ? "is" : "are"} not set`,
    ]);
  }
  // Nothing of it is missing.
  return needed as Given<Needed>;
}
