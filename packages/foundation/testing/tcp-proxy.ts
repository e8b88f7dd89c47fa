import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";

export type TcpProxy = {
  /** The given address, by way of the proxy. */
  readonly url: string;
  /** Breaks all connections and refuses new ones. */
  readonly cut: () => Promise<void>;
  /** Accepts connections and never answers; those that are open go silent. */
  readonly hang: () => void;
  /** The connections that are open go silent for good; new ones are as ever. */
  readonly goDeaf: () => void;
  readonly mend: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Stands between the product and a store of its own, and takes the store away. */
export async function createTcpProxy(target: string): Promise<TcpProxy> {
  const address = new URL(target);
  const sockets = new Set<Socket>();
  const deaf = new WeakSet<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    const upstream = connect(Number(address.port), address.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (!isHanging && !deaf.has(from)) {
          to.write(chunk);
        }
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) {
      socket.destroy();
    }
    await closed;
  };
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return {
    url: url.toString(),
    cut: stop,
    hang: () => {
      isHanging = true;
    },
    goDeaf: () => {
      sockets.forEach((socket) => deaf.add(socket));
    },
    mend: async () => {
      isHanging = false;
      await listen(port);
    },
    close: async () => {
      if (server.listening) {
        await stop();
      }
    },
  };
}
