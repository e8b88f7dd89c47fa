import { request, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "#log.ts";
import { createHttpServer, type HttpServer } from "./http-server.ts";
import { createMetrics } from "./metrics.ts";

const LIMIT = 1000;
const PIECES = 60;
const PIECE = "x".repeat(20_000);

let server: HttpServer;
let url: string;

beforeEach(async () => {
  const routes = async (scope: HttpServer) =>
    void scope.post("/orders", { config: { auth: "public" }, bodyLimit: LIMIT }, async () => ({ made: true }));
  const log = createLog({ name: "test", level: "silent" });
  const metrics = createMetrics("test");
  server = await createHttpServer({ name: "test", title: "Test", version: "1", log, metrics, authenticators: {}, routes: [routes] });
  url = `${await server.listen({ host: "127.0.0.1", port: 0 })}/orders`;
});

afterEach(() => server.close());

// Whoever is still sending, a proxy above all, takes a connection that closes for a server that is gone.
test.each([
  ["whose length is announced", { "content-length": String(PIECES * PIECE.length) }],
  ["that comes in chunks", { "transfer-encoding": "chunked" }],
])("a body over the limit %s is refused, and no client that still sends sees the connection break", async (_what, framing) => {
  const sending = request(url, { method: "POST", headers: { "content-type": "application/json", ...framing } });
  const broken: Error[] = [];
  sending.on("error", (error) => broken.push(error));
  let answer: IncomingMessage | undefined;
  sending.once("response", (response: IncomingMessage) => (answer = response));
  for (let piece = 0; piece < PIECES && !sending.destroyed; piece += 1) {
    sending.write(PIECE);
    await delay(1);
  }
  sending.end();
  await expect.poll(() => answer?.statusCode ?? broken).toBe(413);
  expect(answer && (await json(answer))).toMatchObject({ error: "body_too_large" });
  await expect.poll(() => sending.destroyed).toBe(true);
  expect(broken).toEqual([]);
});
