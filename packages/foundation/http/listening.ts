import { errorCode } from "#errors.ts";
import type { Socket } from "node:net";
import type { HttpServer } from "./http-server.ts";
import type { Service } from "#lifecycle.ts";

/** Milliseconds that running requests have to end when the server stops; less than a process has to drain. */
const CLOSE_MS = 5_000;

/** The server as a service: `start` listens, `stop` lets running requests end. */
export function listening(
  server: HttpServer,
  address: { readonly host: string; readonly port: number; readonly portVariable: string },
  closeMs = CLOSE_MS,
): Service {
  const silent = trackSilentConnections(server);
  return {
    name: `http:${address.port}`,
    start: async () => {
      try {
        await server.listen({ host: address.host, port: address.port });
      } catch (error) {
        if (errorCode(error) === "EADDRINUSE") {
          throw new Error(
            `Port ${address.port} is in use by another process. Stop it, or choose another port with ${address.portVariable}.`,
            { cause: error },
          );
        }
        throw error;
      }
    },
    stop: async () => {
      const patience = setTimeout(() => server.server.closeAllConnections(), closeMs);
      const closed = server.close();
      for (const socket of silent) {
        socket.destroy();
      }
      await closed;
      clearTimeout(patience);
    },
  };
}

/** Browsers open connections for requests they may never make. Node counts such a connection as busy, although nothing runs on it. */
function trackSilentConnections(server: HttpServer): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.server.on("request", ({ socket }: { readonly socket: Socket }) => silent.delete(socket));
  return silent;
}
