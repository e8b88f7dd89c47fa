import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a provider was asked. */
export type ProviderRequest = {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly texts: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
};

/** Answers in the provider's stead; `false` lets it answer well. */
export type Misbehaviour = (request: ProviderRequest, response: ServerResponse) => boolean;

export type EmbeddingProvider = {
  /** Up to `/v1`, as for `CODEINDEX_EMBEDDING_URL`. */
  readonly url: string;
  readonly requests: ProviderRequest[];
  /** From now on, until the next call. */
  readonly misbehave: (how: Misbehaviour) => void;
  readonly recover: () => void;
  readonly close: () => Promise<void>;
};

type Protocol = "openai" | "vertex";

/** A real HTTP server that speaks a provider's protocol: well until it is told otherwise. */
export async function startEmbeddingProvider(protocol: Protocol = "openai", dimensions = 8): Promise<EmbeddingProvider> {
  const requests: ProviderRequest[] = [];
  let how: Misbehaviour = () => false;
  const server = createServer((incoming, response) => {
    void handle(incoming, response);
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) {
      pieces.push(piece as Buffer);
    }
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
    const request = { path: incoming.url ?? "", authorization: incoming.headers.authorization, body, texts: textsOf(body) };
    requests.push(request);
    if (!how(request, response)) {
      answer(
        response,
        200,
        answerOf(
          protocol,
          request.texts.map((text) => vectorFor(text, dimensions)),
        ),
      );
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${protocol === "openai" ? "/v1" : ""}`,
    requests,
    misbehave: (next) => (how = next),
    recover: () => (how = () => false),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function answer(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): true {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(typeof body === "string" ? body : JSON.stringify(body));
  return true;
}

/** Last text first: the order of an answer is no promise. */
export function answerOf(protocol: Protocol, vectors: readonly (readonly unknown[])[]): unknown {
  return protocol === "openai"
    ? { object: "list", data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).toReversed() }
    : { predictions: vectors.map((values) => ({ embeddings: { values, statistics: { truncated: false, token_count: 1 } } })) };
}

/** The same text always has the same one; its length is not 1, as with some providers. */
export function vectorFor(text: string, dimensions: number): readonly number[] {
  const bytes = createHash("sha512").update(text).digest();
  return Array.from({ length: dimensions }, (_, index) => ((bytes[index % 64] ?? 0) - 127.5) / 50);
}

function textsOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  const { input, instances } = body;
  return Array.isArray(input) ? input.map(String) : (instances as { content: string }[]).map(({ content }) => content);
}
