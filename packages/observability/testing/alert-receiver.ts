import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** What alerts are sent to. Answers with `status`, which may be changed, and keeps what it took. */
export async function startAlertReceiver() {
  const received: Received[] = [];
  const answer: { status: number; location?: string } = { status: 200 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      response
        .writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location })
        .end("an answer that nobody reads");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/a-path-that-is-a-secret`,
    received,
    answer,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
