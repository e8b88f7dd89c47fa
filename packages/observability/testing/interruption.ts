import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

type Chosen = (method: string, path: string) => boolean;

export type Interruption = Awaited<ReturnType<typeof createInterruption>>;

/** A way to a server on which chosen requests are lost: their connection ends without an answer. */
export async function createInterruption(target: string) {
  let isLost: Chosen = () => false;
  const server = createServer((incoming, answer) => {
    const { method = "GET", url = "/", headers } = incoming;
    if (isLost(method, url.split("?")[0] ?? "")) {
      incoming.socket.destroy();
      return;
    }
    const forwarded = request(new URL(url, target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    interrupt: (chosen: Chosen) => {
      isLost = chosen;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
