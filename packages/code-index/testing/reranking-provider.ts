import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type RerankingRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
};

export type RerankingProvider = {
  readonly url: string;
  readonly requests: RerankingRequest[];
  /** What is answered from now on; nothing, ever, when it does not end the response. */
  readonly answerWith: (how: (request: RerankingRequest, response: ServerResponse) => void) => void;
  readonly close: () => Promise<void>;
};

/** A real HTTP server in the place of a reranker. */
export async function startRerankingProvider(): Promise<RerankingProvider> {
  const requests: RerankingRequest[] = [];
  let how: (request: RerankingRequest, response: ServerResponse) => void = (_request, response) => response.end("{}");
  const server = createServer((incoming, response) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    incoming.on("end", () => {
      const request = { path: incoming.url ?? "", headers: incoming.headers, body: JSON.parse(text) as Record<string, unknown> };
      requests.push(request);
      how(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answerWith: (next) => {
      how = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
