import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createHttpServer, type HttpServer, type Routes } from "./http-server.ts";
import { listening } from "./listening.ts";
import { createMetrics } from "./metrics.ts";
import { silentLog } from "#testing/silent-log.ts";

const servers: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test("a busy port is named with the variable that changes it", async () => {
  const first = await serve();
  await first.listen({ host: "127.0.0.1", port: 0 });
  const port = portOf(first);
  const second = await serve();
  await expect(listening(second, { host: "127.0.0.1", port, portVariable: "SHOP_PORT" }).start()).rejects.toThrow(
    `Port ${port} is in use by another process. Stop it, or choose another port with SHOP_PORT.`,
  );
});

test("stopping lets a running request end", async () => {
  const running = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const server = await serve((scope) => {
    scope.get("/slow", { config: { auth: "public" } }, async () => {
      running.resolve();
      return answer.promise;
    });
  });
  const service = listening(server, { host: "127.0.0.1", port: 0, portVariable: "SHOP_PORT" });
  await service.start();
  const response = fetch(`http://127.0.0.1:${portOf(server)}/slow`);
  await running.promise;
  const stopped = service.stop();
  answer.resolve("done");
  expect(await (await response).text()).toBe("done");
  await stopped;
});

test("a client that began to ask and never ends doesn't hold the stop", async () => {
  const server = await serve();
  const service = listening(server, { host: "127.0.0.1", port: 0, portVariable: "SHOP_PORT" }, 100);
  await service.start();
  const silent = connect(portOf(server), "127.0.0.1");
  await once(silent, "connect");
  const asked = once(server.server, "request");
  silent.write("POST /nothing HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
  await asked;
  const gone = once(silent, "close");
  await service.stop();
  await expect(gone).resolves.toBeDefined();
});

test("a client that connected ahead of a request it has not made is sent away at once", async () => {
  const server = await serve();
  const service = listening(server, { host: "127.0.0.1", port: 0, portVariable: "SHOP_PORT" });
  const accepted = once(server.server, "connection");
  await service.start();
  const silent = connect(portOf(server), "127.0.0.1");
  await accepted;
  const gone = once(silent, "close");
  const startedAt = Date.now();
  await service.stop();
  await gone;
  expect(Date.now() - startedAt).toBeLessThan(2_000);
});

function portOf(server: HttpServer): number {
  const [address] = server.addresses();
  return typeof address === "object" ? address.port : 0;
}

async function serve(...routes: readonly Routes[]): Promise<HttpServer> {
  const server = await createHttpServer({
    name: "shop",
    title: "Shop",
    version: "1.2.3",
    log: silentLog,
    metrics: createMetrics("shop"),
    authenticators: {},
    routes,
  });
  servers.push(server);
  return server;
}
