import type { HttpServer } from "./http-server.ts";
import type { Service } from "./lifecycle.ts";

/** Milliseconds that running requests have to end when the server stops; less than a process has to drain. */
const CLOSE_MS = 5_000;

/** The server as a service: `start` listens, `stop` lets running requests end. */
export function listening(
  server: HttpServer,
  address: { readonly host: string; readonly port: number; readonly portVariable: string },
  closeMs = CLOSE_MS,
): Service {
  return {
    name: `http:${address.port}`,
    start: async () => {
      try {
        await server.listen({ host: address.host, port: address.port });
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
          throw new Error(
            `Port ${address.port} is in use by another process. Stop it, or choose another port with ${address.portVariable}.`,
            { cause: error },
          );
        }
        throw error;
      }
    },
    stop: async () => {
      // A client that connected and never asked counts as busy and would be waited for until its time-out.
      const patience = setTimeout(() => server.server.closeAllConnections(), closeMs);
      await server.close();
      clearTimeout(patience);
    },
  };
}
