import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { createHttpServer, type HttpServer } from "@sightline/foundation/http/http-server";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { refusal } from "@sightline/foundation/errors";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterAll, beforeAll, expect, test } from "vitest";
import { proxyRoutes } from "./console-proxy.ts";
import { createConsoleServer } from "#testing/console-server.ts";

const LARGE = Buffer.alloc(24 * 1024 * 1024, "x");

let upstream: HttpServer;
let server: HttpServer;
let url: string;

beforeAll(async () => {
  upstream = await createHttpServer({
    name: "test",
    title: "Test",
    version: "1",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators: { nobody: () => Promise.reject(refusal(401, "auth_failed", "Nobody is let in.")) },
    routes: [
      async (scope) => {
        scope.post("/guarded", { config: { auth: "nobody" } }, async () => ({ made: true }));
        scope.post("/small", { config: { auth: "public" }, bodyLimit: 1000 }, async () => ({ made: true }));
      },
    ],
  });
  const address = await upstream.listen({ host: "127.0.0.1", port: 0 });
  server = await createConsoleServer([proxyRoutes([{ prefix: "/api/code", name: "Code index", url: address }])]);
  url = await server.listen({ host: "127.0.0.1", port: 0 });
});

afterAll(async () => {
  await server.close();
  await upstream.close();
});

test.each([
  ["/guarded", 401, "auth_failed"],
  ["/small", 413, "body_too_large"],
])("what %s refuses while a large body comes is answered through the console, each time", async (path, status, error) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const framing of Array.from({ length: 10 }, (_, turn) =>
    turn % 2 === 0 ? { "content-length": String(LARGE.length) } : { "transfer-encoding": "chunked" },
  )) {
    const sending = request(`${url}/api/code${path}`, {
      agent,
      method: "POST",
      headers: { "content-type": "application/json", ...framing },
    });
    const answered = once(sending, "response");
    sending.end(LARGE);
    const [response] = (await answered) as [IncomingMessage];
    expect([response.statusCode, await json(response)]).toMatchObject([status, { error }]);
  }
  agent.destroy();
});
