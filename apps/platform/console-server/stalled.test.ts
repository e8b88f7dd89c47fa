import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { createLog } from "@sightline/foundation/log";
import { afterEach, beforeEach, expect, test } from "vitest";
import { proxyRoutes } from "./console-proxy.ts";
import { createConsoleServer } from "#testing/console-server.ts";

let lines: { level: string; msg: string }[];
let upstream: Server;
let server: HttpServer;
let address: URL;
let received: string;
let broken: Promise<unknown>;

beforeEach(async () => {
  lines = [];
  received = "";
  const closed = Promise.withResolvers<void>();
  broken = closed.promise;
  // Takes what comes and says nothing.
  upstream = createServer((request) => {
    request.on("data", (data) => (received += String(data)));
    request.socket.once("close", () => closed.resolve());
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const bound = upstream.address();
  const url = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`;
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const routes = proxyRoutes([{ prefix: "/api/identity", name: "Identity", url }], { bodyMs: 300, silenceMs: 900 });
  server = await createConsoleServer([routes], log);
  address = new URL(await server.listen({ host: "127.0.0.1", port: 0 }));
});

afterEach(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await server.close();
});

/** What comes back on the connection until it is closed. */
async function send(declared: number, body: string): Promise<string> {
  const socket = connect(Number(address.port), address.hostname);
  const head = `POST /api/identity/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${declared}\r\n`;
  socket.write(`${head}\r\n${body}`);
  let answer = "";
  socket.on("data", (data) => {
    answer += String(data);
    // The rest that anything might still write comes at once.
    setTimeout(() => socket.destroy(), 200);
  });
  await once(socket, "close");
  return answer;
}

const warnings = () => lines.filter(({ msg }) => !msg.startsWith("Server listening"));

test("a client that stalls its own body is 408, once, with one line in the log, and its upstream is let go", async () => {
  const answer = await send(1000, '{"email":"a');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(answer).toContain('"error":"request_timeout"');
  expect(received).toBe('{"email":"a');
  await broken;
  expect(warnings()).toEqual([expect.objectContaining({ level: "warn", error: "request_timeout" })]);
});

test("an upstream that says nothing is 504, once, with one line in the log", async () => {
  const answer = await send(2, "{}");
  expect(answer).toMatch(/^HTTP\/1\.1 504 /);
  expect(answer).toContain('"error":"upstream_timeout"');
  await broken;
  expect(warnings()).toEqual([expect.objectContaining({ level: "warn", error: "upstream_timeout", cause: "HTTP request timed out" })]);
});

test("a client that goes away is nobody's failure", async () => {
  const socket = connect(Number(address.port), address.hostname);
  socket.write("POST /api/identity/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\nhalf");
  await expect.poll(() => received).toBe("half");
  socket.destroy();
  await broken;
  expect(warnings()).toEqual([]);
});
