import { z } from "zod";
import { type Embedder, type VectorSpace, toEmbedderIdentity } from "./embedder.ts";
import { createGoogleTokens } from "./google-token.ts";
import { createRemoteEmbedder, type RemoteTiming } from "./remote-embedder.ts";

type VertexOptions = {
  readonly project: string;
  readonly region: string;
  /** Instead of the region's address. */
  readonly url: string | undefined;
  readonly space: VectorSpace;
  readonly maxTokens: number | undefined;
  readonly timing?: RemoteTiming | undefined;
};

/** Below the 2,048 that the models read, as Google counts tokens in its own way; the same for the 20,000 of a call. */
const TOKENS_OF_ONE = 2_000;
const TOKENS = 16_000;
const INPUTS = 250;

/** Google Cloud's text embeddings (`:predict`), with the application-default credentials of wherever this runs. */
export function createVertexEmbedder({ project, region, url, space, maxTokens, timing }: VertexOptions): Embedder {
  const base = url ?? (region === "global" ? "https://aiplatform.googleapis.com" : `https://${region}-aiplatform.googleapis.com`);
  const model = `projects/${project}/locations/${region}/publishers/google/models/${encodeURIComponent(space.model)}`;
  const accessToken = createGoogleTokens(project);
  return createRemoteEmbedder(
    {
      identity: toEmbedderIdentity(space),
      limits: {
        // The Gemini models take one text at a time.
        inputs: space.model.startsWith("gemini") ? 1 : INPUTS,
        tokens: TOKENS,
        tokensOfOne: maxTokens ?? TOKENS_OF_ONE,
      },
      secrets: [],
      call: async (texts, purpose, signal) => ({
        url: `${base}/v1/${model}:predict`,
        headers: { authorization: `Bearer ${await accessToken(signal)}` },
        body: {
          instances: texts.map((content) => ({ content, task_type: purpose === "query" ? "CODE_RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT" })),
          parameters: { outputDimensionality: space.dimensions, autoTruncate: true },
        },
      }),
      read: readVectors,
    },
    timing,
  );
}

const answerSchema = z.object({ predictions: z.array(z.object({ embeddings: z.object({ values: z.array(z.unknown()) }) })) });

function readVectors(answer: unknown, texts: number): readonly (readonly unknown[])[] | undefined {
  const parsed = answerSchema.safeParse(answer);
  return parsed.success && parsed.data.predictions.length === texts
    ? parsed.data.predictions.map(({ embeddings }) => embeddings.values)
    : undefined;
}
