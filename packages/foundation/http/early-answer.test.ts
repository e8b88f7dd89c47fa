import { execFile } from "node:child_process";
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refusal } from "#errors.ts";
import { createLog } from "#log.ts";
import { createHttpServer, type HttpServer } from "./http-server.ts";
import { createMetrics } from "./metrics.ts";

const LARGE = Buffer.alloc(24 * 1024 * 1024, "x");

let server: HttpServer;
let url: string;
let agent: Agent;

beforeEach(async () => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const routes = async (scope: HttpServer) => {
    scope.post("/guarded", { config: { auth: "nobody" } }, async () => ({ made: true }));
    scope.post("/small", { config: { auth: "public" }, bodyLimit: 1000 }, async () => ({ made: true }));
    scope.get("/fine", { config: { auth: "public" } }, async () => ({ fine: true }));
    await scope.register(async (own: HttpServer) => {
      own.setErrorHandler((_error, _request, reply) => void reply.status(400).send({ error: "own_words" }));
      own.post("/own", { config: { auth: "nobody" } }, async () => ({ made: true }));
    });
    await scope.register(async (streamed: HttpServer) => {
      streamed.removeAllContentTypeParsers();
      streamed.addContentTypeParser("text/plain", async (_request: unknown, body: Readable) => body);
      streamed.post("/streamed", { config: { auth: "public" } }, async ({ body }) => {
        for await (const _piece of (body as Readable).iterator({ destroyOnReturn: false })) {
          throw refusal(400, "not_liked", "The first piece says enough.");
        }
      });
      streamed.post("/unread", { config: { auth: "public" } }, async () => ({ unread: true }));
    });
  };
  server = await createHttpServer({
    name: "test",
    title: "Test",
    version: "1",
    log: createLog({ name: "test", level: "silent" }),
    metrics: createMetrics("test"),
    authenticators: { nobody: () => Promise.reject(refusal(401, "auth_failed", "Nobody is let in.")) },
    routes: [routes],
  });
  url = await server.listen({ host: "127.0.0.1", port: 0 });
});

afterEach(async () => {
  agent.destroy();
  await server.close();
});

/** One request over the connection that is kept, and its answer, before anything of the connection breaks. */
async function send(path: string, headers: Readonly<Record<string, string>>, body?: Buffer) {
  const sending = request(`${url}${path}`, { agent, method: body === undefined ? "GET" : "POST", headers });
  const answered = once(sending, "response");
  sending.end(body);
  const [response] = (await answered) as [IncomingMessage];
  return { status: response.statusCode, connection: response.headers.connection, body: await json(response) };
}

const CASES = [
  ["/guarded", "text/plain", 401, "auth_failed"],
  ["/nowhere", "text/plain", 413, "body_too_large"],
  ["/nowhere", "text/html", 404, "not_found"],
  ["/%zz", "text/plain", 400, "invalid_request"],
  ["/small", "application/json", 413, "body_too_large"],
  ["/small", "text/html", 415, "unsupported_media_type"],
  ["/own", "text/plain", 400, "own_words"],
  ["/streamed", "text/plain", 400, "not_liked"],
] as const;

test.each(CASES)(
  "%s as %s is refused while a large body comes, and the connection ends behind the answer",
  async (path, type, status, error) => {
    for (const framing of [{ "content-length": String(LARGE.length) }, { "transfer-encoding": "chunked" }]) {
      expect((await send("/fine", {})).status).toBe(200);
      const refused = await send(path, { "content-type": type, ...framing }, LARGE);
      expect(refused).toMatchObject({ status, connection: "close", body: { error } });
    }
  },
);

test.each(CASES)("%s as %s is refused to curl", async (path, type, status, error) => {
  const given = ["-s", "-S", "-X", "POST", "-H", `content-type: ${type}`, "-w", " %{http_code}", "--data-binary", "@-", `${url}${path}`];
  const running = promisify(execFile)("curl", given);
  // It stops to send when it has its answer.
  running.child.stdin?.on("error", () => undefined).end(LARGE);
  const { stdout } = await running;
  expect(stdout.endsWith(` ${status}`)).toBe(true);
  expect(stdout).toContain(error);
});

test("an answer that needs no body ends the connection, too, and a small body that nobody reads keeps it", async () => {
  expect(await send("/unread", { "content-type": "text/plain" }, LARGE)).toMatchObject({ status: 200, connection: "close" });
  const kept = await send("/guarded", { "content-type": "text/plain" }, Buffer.alloc(1000, "x"));
  expect(kept).toMatchObject({ status: 401, connection: "keep-alive" });
  expect(await send("/fine", {})).toMatchObject({ status: 200 });
});

test("a client that sends nothing more has its answer", async () => {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write("POST /streamed HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 5000000\r\n\r\nfirst");
  const [head] = (await once(socket, "data")) as [Buffer];
  expect(head.toString()).toMatch(/^HTTP\/1.1 400[^]*connection: close/i);
  await once(socket.resume(), "end");
  socket.destroy();
});
