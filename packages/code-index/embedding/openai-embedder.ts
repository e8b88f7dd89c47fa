import { z } from "zod";
import { type Embedder, type VectorSpace, toEmbedderIdentity } from "./embedder.ts";
import { createRemoteEmbedder, type RemoteTiming } from "./remote-embedder.ts";

type OpenaiOptions = {
  /** Up to `/v1`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly space: VectorSpace;
  /** Asks for vectors of `space.dimensions`; models with one length only refuse that. */
  readonly shorten: boolean;
  readonly maxTokens: number | undefined;
  readonly timing?: RemoteTiming | undefined;
};

/** Below the 8,192 of OpenAI, whose tokenizer for embeddings is not quite the one that is counted with here. */
const TOKENS_OF_ONE = 8_000;
/** OpenAI takes 2,048 texts and 300,000 tokens; small servers far fewer, and small calls are answered sooner. */
const INPUTS = 64;
const TOKENS = 50_000;

/** Any server that speaks `POST /v1/embeddings` as OpenAI does: Ollama, vLLM, Text Embeddings Inference, and others. */
export function createOpenaiEmbedder({ url, apiKey, space, shorten, maxTokens, timing }: OpenaiOptions): Embedder {
  const { model, dimensions, documentPrefix, queryPrefix } = space;
  return createRemoteEmbedder(
    {
      identity: toEmbedderIdentity(space),
      limits: { inputs: INPUTS, tokens: TOKENS, tokensOfOne: maxTokens ?? TOKENS_OF_ONE },
      secrets: apiKey === undefined ? [] : [apiKey],
      call: (texts, purpose) => {
        const prefix = purpose === "query" ? queryPrefix : documentPrefix;
        return Promise.resolve({
          url: `${url}/embeddings`,
          headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
          body: {
            model,
            input: texts.map((text) => prefix + text),
            encoding_format: "float",
            ...(shorten ? { dimensions } : {}),
          },
        });
      },
      read: readVectors,
    },
    timing,
  );
}

const answerSchema = z.object({ data: z.array(z.object({ index: z.int(), embedding: z.array(z.unknown()) })) });

/** The order of the answer is nobody's promise: each vector says which text it is of. */
function readVectors(answer: unknown, texts: number): readonly (readonly unknown[])[] | undefined {
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success || parsed.data.data.length !== texts) {
    return undefined;
  }
  const byIndex = new Map(parsed.data.data.map(({ index, embedding }) => [index, embedding]));
  const rows = Array.from({ length: texts }, (_, index) => byIndex.get(index));
  return rows.every((row) => row !== undefined) ? rows : undefined;
}
