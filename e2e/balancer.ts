import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import { connect, type Socket } from "node:net";

export type Balancer = {
  /** Requests that each replica has taken. */
  readonly counts: () => readonly number[];
  readonly stop: () => Promise<void>;
};

/** Listens on `port` for several replicas, which take the requests in turn; one that nobody can connect to is passed over. */
export async function startBalancer(port: number, replicas: readonly number[]): Promise<Balancer> {
  const counts = replicas.map(() => 0);
  let turn = 0;

  async function connectToNext(): Promise<Socket | undefined> {
    for (let tries = 0; tries < replicas.length; tries++) {
      const index = turn++ % replicas.length;
      const socket = await tryToConnect(replicas[index] ?? 0);
      if (socket !== undefined) {
        counts[index] = (counts[index] ?? 0) + 1;
        return socket;
      }
    }
    return undefined;
  }

  const server = createServer((request, response) => {
    void connectToNext().then((socket) => {
      if (socket === undefined) {
        response.writeHead(502).end();
        return;
      }
      const { method, url: path, headers } = request;
      const asked = ask({ createConnection: () => socket, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      asked.on("error", () => response.destroy());
      response.on("close", () => socket.destroy());
      request.pipe(asked);
    });
  });
  server.listen(port);
  await once(server, "listening");
  return {
    counts: () => counts,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function tryToConnect(port: number): Promise<Socket | undefined> {
  const socket = connect(port, "127.0.0.1");
  return once(socket, "connect").then(
    () => socket,
    () => undefined,
  );
}
