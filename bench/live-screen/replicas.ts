import { createServer, request as ask } from "node:http";
import { once } from "node:events";

export type Balancer = { readonly url: string; readonly counts: () => readonly number[]; readonly stop: () => Promise<void> };

/** One address for several replicas, which take the requests in turn. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const counts = ports.map(() => 0);
  let turn = 0;
  const server = createServer((request, response) => {
    const index = turn % ports.length;
    turn += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    const { method, url: path, headers } = request;
    const asked = ask({ host: "127.0.0.1", port: ports[index], method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.on("error", () => response.writeHead(502).end());
    response.on("close", () => asked.destroy());
    request.pipe(asked);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    counts: () => counts,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
