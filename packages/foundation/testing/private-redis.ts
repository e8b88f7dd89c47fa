import { once } from "node:events";
import { connect } from "node:net";
import type { FoundServer } from "./find-services.ts";
import { freePort, startPrivateServer, type PrivateServer } from "./private-server.ts";

/** A Redis of this run's own on a free port, in memory only. */
export async function startRedis({ installation, program }: FoundServer): Promise<PrivateServer> {
  const folder = await installation.makeFolder();
  const port = await freePort();
  const options = { port: String(port), bind: "127.0.0.1", dir: folder.inside, save: "", appendonly: "no" };
  return startPrivateServer({
    name: "Redis",
    url: `redis://127.0.0.1:${port}`,
    folder,
    command: installation.command([program, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])]),
    ping: async () => {
      const socket = connect(port, "127.0.0.1");
      try {
        await once(socket, "connect");
        socket.write("PING\r\n");
        await once(socket, "data", { signal: AbortSignal.timeout(2_000) });
      } finally {
        socket.destroy();
      }
    },
  });
}
