import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export type ModelRequest = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
/** A body to answer, or events to stream; `broken` ends the connection in the middle of the stream, `afterMs` lets an event wait. */
export type ModelAnswer =
  | { readonly status?: number; readonly json: unknown }
  | {
      readonly events: readonly { readonly name?: string; readonly data: unknown; readonly afterMs?: number }[];
      readonly broken?: boolean;
    };

/** A local server that speaks as much of a provider's protocol as a client needs. */
export async function createModelServer(answer: (request: ModelRequest) => ModelAnswer) {
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const given = answer({ path: request.url ?? "", body });
      if ("json" in given) {
        response.writeHead(given.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(given.json));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const { name, data, afterMs } of given.events) {
        if (afterMs !== undefined) {
          await pause(afterMs);
        }
        response.write(
          `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
        );
      }
      if (given.broken === true) {
        setImmediate(() => response.destroy());
      } else {
        response.end();
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part as Buffer);
  }
  return JSON.parse(Buffer.concat(parts).toString() || "{}") as Readonly<Record<string, unknown>>;
}
