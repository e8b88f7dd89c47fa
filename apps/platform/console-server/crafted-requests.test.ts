import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { proxyRoutes } from "./console-proxy.ts";
import { createConsoleServer } from "#testing/console-server.ts";

let upstream: Server;
let server: HttpServer;
/** Every request as the upstream read it. */
const read: string[] = [];

beforeAll(async () => {
  upstream = createServer((request, response) => {
    // As a server that answers GET does, whatever comes with it.
    void (request.method === "GET" ? Promise.resolve("") : text(request)).then((body) => {
      read.push(`${request.method} ${request.url} ${body}`.trim());
      response.end("there");
    });
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  server = await createConsoleServer([proxyRoutes([{ prefix: "/api/identity", name: "Identity", url: `http://127.0.0.1:${port}` }])]);
  await server.listen({ host: "127.0.0.1", port: 0 });
});

beforeEach(() => void (read.length = 0));

afterAll(async () => {
  await server.close();
  upstream.close();
});

/** Sends a request as it is written, on a connection of its own, and gives the status. */
async function send(lines: readonly string[], body: string): Promise<string | undefined> {
  const socket = connect((server.server.address() as AddressInfo).port, "127.0.0.1");
  const [line = "", ...headers] = lines;
  socket.write([line, "Host: sightline.example", "Connection: close", ...headers, "", body].join("\r\n"));
  return /^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1];
}

const INNER = "GET /metrics HTTP/1.1\r\nHost: inside\r\n\r\n";
const LENGTH = `Content-Length: ${INNER.length}`;

test.for([
  ["a length", [LENGTH]],
  ["pieces", ["Transfer-Encoding: chunked"]],
] as const)("a GET with a body of %s leaves nothing behind that the next request would be read as", async ([, headers]) => {
  const body = headers[0] === LENGTH ? INNER : `5\r\nhello\r\n0\r\n\r\n`;
  expect(await send(["GET /api/identity/me HTTP/1.1", ...headers], body)).toBe("200");
  expect(await send(["POST /api/identity/login HTTP/1.1", "Content-Length: 2"], "{}")).toBe("200");
  expect(read).toEqual(["GET /me", "POST /login {}"]);
});

test.for(["DELETE", "OPTIONS", "POST"])(
  "of a %s, whose length the client calls a matter of its connection, the body stays a body",
  async (method) => {
    const status = await send([`${method} /api/identity/tokens/1 HTTP/1.1`, "Connection: content-length", LENGTH], INNER);
    expect([status, read]).toEqual(["200", [`${method} /tokens/1 ${INNER}`.trim()]]);
  },
);

test("of a DELETE in pieces, whose encoding the client calls a matter of its connection, the body stays a body", async () => {
  const chunked = `${INNER.length.toString(16)}\r\n${INNER}\r\n0\r\n\r\n`;
  const headers = ["Connection: transfer-encoding", "Transfer-Encoding: chunked"];
  expect(await send(["DELETE /api/identity/tokens/1 HTTP/1.1", ...headers], chunked)).toBe("200");
  expect(read).toEqual([`DELETE /tokens/1 ${INNER}`.trim()]);
});

test.for(["./metrics", "%2e/metrics", "x/..//metrics", ".well-known/./credential-epochs", ".well-known/%2E/credential-epochs"])(
  "what is not forwarded stays so when the address is written as %s",
  async (path) => {
    expect(await send([`GET /api/identity/${path} HTTP/1.1`], "")).toMatch(/^40[04]$/);
    expect(read).toEqual([]);
  },
);
