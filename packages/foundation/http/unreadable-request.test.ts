import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "#log.ts";
import { createHttpServer, type HttpServer } from "./http-server.ts";
import { createMetrics } from "./metrics.ts";

let server: HttpServer;

beforeEach(async () => {
  const log = createLog({ name: "test", level: "silent" });
  const metrics = createMetrics("test");
  server = await createHttpServer({ name: "test", title: "Test", version: "1", log, metrics, authenticators: {}, routes: [] });
  await server.listen({ host: "127.0.0.1", port: 0 });
});

afterEach(() => server.close());

test.each([
  ["a header without a colon", "GET /health HTTP/1.1\r\nhost x\r\n\r\n", 400, "invalid_request"],
  ["what is no HTTP", "\u0016\u0003\u0001\u0002", 400, "invalid_request"],
  ["two lengths of one body", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400, "invalid_request"],
  ["headers of 20 KB", `GET / HTTP/1.1\r\nhost: x\r\ncookie: ${"a".repeat(20_000)}\r\n\r\n`, 431, "headers_too_large"],
])("%s is refused in the product's error body, and the connection ends", async (_what, sent, status, error) => {
  const answer = await exchange(sent);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head.split("\r\n")[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain("cache-control: no-store");
  expect(JSON.parse(body)).toEqual({ error, message: expect.stringMatching(/[;:] .+\./) as string });
});

test("a caller that hangs up in the middle of a request leaves the server as it was", async () => {
  const socket = connect(portOf(server), "127.0.0.1");
  await once(socket, "connect");
  socket.write("GET / HT");
  socket.resetAndDestroy();
  expect(await exchange("GET /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).toContain("HTTP/1.1 404 ");
});

async function exchange(sent: string): Promise<string> {
  const socket = connect(portOf(server), "127.0.0.1");
  socket.write(sent);
  return text(socket);
}

function portOf({ server: listener }: HttpServer): number {
  const bound = listener.address();
  return typeof bound === "object" && bound !== null ? bound.port : 0;
}
