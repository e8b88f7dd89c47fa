import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consolePages } from "./console-pages.ts";
import { proxyRoutes } from "./console-proxy.ts";
import { createConsoleServer } from "#testing/console-server.ts";
import { freePort } from "#testing/free-port.ts";

let folder: string;
let upstream: Server;
let server: HttpServer;
let address: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-console-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Sightline</title>");
  await writeFile(join(folder, "assets", "index-abc123.js"), "export {};");
  await writeFile(join(folder, "assets", "index-abc123.js.gz"), gzipSync("export {};"));
  upstream = createServer((request, response) => answer(request, response));
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const port = upstream.address();
  const url = `http://127.0.0.1:${typeof port === "object" ? port?.port : ""}`;
  server = await createConsoleServer([
    proxyRoutes([
      { prefix: "/api/identity", name: "Identity", url },
      { prefix: "/.well-known/issuer", upstreamPrefix: "/.well-known/issuer", readOnly: true, name: "Identity", url },
      { prefix: "/api/pages", name: "An API that knows origins", url, pagesMayCall: true },
      { prefix: "/api/code-index", name: "The code index", url: `http://127.0.0.1:${await freePort()}` },
    ]),
    consolePages(folder),
  ]);
  address = await server.listen({ host: "127.0.0.1", port: 0 });
});

afterAll(async () => {
  await server.close();
  upstream.close();
  await rm(folder, { recursive: true });
});

const NAVIGATION = { accept: "text/html,application/xhtml+xml" };

test.for(["https://assistant.example/callback?code=1", "cursor://anysphere.cursor-retrieval/oauth/callback?code=1"])(
  "a redirect of an upstream leads where it says: %s",
  async (location) => {
    answer = (_request, response) => response.writeHead(303, { location }).end();
    const redirect = await fetch(`${address}/api/identity/oauth/authorize/1`, { redirect: "manual" });
    expect(redirect.headers.get("location")).toBe(location);
  },
);

test("every address of the app answers the app, under a policy that runs scripts of this origin only", async () => {
  for (const url of ["/", "/login", "/code/acme/shop/src/a.ts", "/projects/1/traces?status=failure"]) {
    const page = await server.inject({ url, headers: NAVIGATION });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain("<title>Sightline</title>");
    expect(page.headers["content-security-policy"]).toContain("script-src 'self';");
    expect(page.headers["content-security-policy"]).toContain("connect-src 'self';");
    expect(page.headers["content-security-policy"]).not.toContain("unsafe");
    expect(page.headers["cache-control"]).toBe("no-cache");
  }
});

test("the page of a link to a trace is listed by no search engine, and tells nobody its address", async () => {
  const page = await server.inject({ url: "/shared/token", headers: NAVIGATION });
  expect(page.headers).toMatchObject({ "x-robots-tag": "noindex, nofollow", "referrer-policy": "no-referrer" });
  expect(page.headers["content-security-policy"]).toContain("script-src 'self';");
  expect((await server.inject({ url: "/login", headers: NAVIGATION })).headers).not.toHaveProperty("x-robots-tag");
});

test("a hashed file is cached for good, and one that does not exist is 404 rather than the app", async () => {
  const script = await server.inject({ url: "/assets/index-abc123.js" });
  expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(script.headers["content-type"]).toContain("javascript");
  const gone = await server.inject({ url: "/assets/gone.js", headers: NAVIGATION });
  expect(gone.statusCode).toBe(404);
  expect(gone.headers["cache-control"]).toBe("no-store");
  expect((await server.inject({ url: "/api/nothing", headers: NAVIGATION })).statusCode).toBe(404);
  expect((await server.inject({ url: "/login", headers: { accept: "application/json" } })).statusCode).toBe(404);
});

test("a file goes out compressed to who takes that, and as it is to everybody else", async () => {
  const url = "/assets/index-abc123.js";
  const small = await server.inject({ url, headers: { "accept-encoding": "gzip, deflate" } });
  expect(small.headers).toMatchObject({ "content-encoding": "gzip", vary: expect.stringMatching(/accept-encoding/i) });
  expect(small.headers["content-type"]).toContain("javascript");
  expect(gunzipSync(small.rawPayload).toString()).toBe("export {};");
  const plain = await server.inject({ url });
  expect(plain.headers).not.toHaveProperty("content-encoding");
  expect(plain.body).toBe("export {};");
});

test("a path that leaves the folder finds nothing", async () => {
  for (const url of ["/../package.json", "/%2e%2e/package.json", "/assets/..%2f..%2fpackage.json", "/%ff"]) {
    expect((await server.inject({ url })).statusCode).toBeGreaterThanOrEqual(400);
  }
});

test("an API's metrics, and the feed of ended credentials, are not shown to everyone who reaches the console", async () => {
  answer = (_request, response) => response.end("figures");
  for (const url of [
    "/api/identity/metrics",
    "/api/identity/%6detrics",
    "/api/identity/metrics?x=1",
    "/api/identity/.well-known/credential-epochs",
  ]) {
    const refused = await server.inject({ url });
    expect(refused.statusCode).toBe(404);
    expect(refused.json()).toMatchObject({
      error: "not_found",
      message: "This is not shown through the console. Identity shows it at its own port.",
    });
  }
  expect((await server.inject({ url: "/api/identity/metrics/more" })).body).toBe("figures");
});

test("a request goes on without its prefix, with body, query and cookies", async () => {
  answer = (request, response) => {
    let body = "";
    request.on("data", (data) => (body += String(data)));
    request.on("end", () => {
      response.writeHead(201, { "content-type": "application/json", "set-cookie": "a=1; HttpOnly; Path=/" });
      response.end(JSON.stringify({ method: request.method, url: request.url, body, cookie: request.headers.cookie }));
    });
  };
  const response = await fetch(`${address}/api/identity/login/access-token?x=1`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: "b=2" },
    body: '{"email":"a"}',
  });
  expect(response.status).toBe(201);
  expect(response.headers.get("set-cookie")).toBe("a=1; HttpOnly; Path=/");
  expect(await response.json()).toEqual({ method: "POST", url: "/login/access-token?x=1", body: '{"email":"a"}', cookie: "b=2" });
});

test("an address that an upstream must have on the console's own origin goes on as it is", async () => {
  answer = (request, response) => {
    response.end(request.url);
  };
  expect(await (await fetch(`${address}/.well-known/issuer`)).text()).toBe("/.well-known/issuer");
  expect((await fetch(`${address}/.well-known/issuer`, { method: "POST" })).status).toBe(404);
  expect((await server.inject({ url: "/.well-known/other" })).statusCode).toBe(404);
});

test("what a client claims about its address is replaced by what the console saw", async () => {
  answer = (request, response) => {
    response.end(JSON.stringify(request.headers));
  };
  const claimed = { "x-forwarded-for": "1.2.3.4", forwarded: "for=1.2.3.4", "x-forwarded-proto": "https" };
  const headers: unknown = await (await fetch(`${address}/api/identity/x`, { headers: claimed })).json();
  expect(headers).toMatchObject({ "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http" });
  expect(headers).not.toHaveProperty("forwarded");
});

test("the console's own pages reach an API that judges origins, and pages of others are its to judge", async () => {
  answer = (request, response) => {
    response.end(request.headers.origin ?? "none");
  };
  const seen = async (path: string, origin: string) => (await fetch(`${address}${path}`, { method: "POST", headers: { origin } })).text();
  expect(await seen("/api/pages/mcp", address)).toBe("none");
  expect(await seen("/api/pages/mcp", "https://elsewhere.example")).toBe("https://elsewhere.example");
  expect(await seen("/api/pages/mcp", "null")).toBe("null");
  expect(await seen("/api/identity/logout", address)).toBe(address);
});

test("events of a stream arrive while it is still open", async () => {
  answer = (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: first\n\n");
  };
  const controller = new AbortController();
  const response = await fetch(`${address}/api/identity/live`, { headers: { accept: "text/event-stream" }, signal: controller.signal });
  const { value } = (await response.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toBe("data: first\n\n");
  controller.abort();
});

test("a connection that the upstream closes is no answer: what only reads is asked again, once", async () => {
  let asked = 0;
  const closing = (times: number) => {
    asked = 0;
    answer = (request, response) => {
      asked++;
      if (asked <= times) {
        request.socket.destroy();
      } else {
        response.end("there");
      }
    };
  };
  const get = async (method: string) => fetch(`${address}/api/identity/login/me`, { method });
  closing(1);
  const read = await get("GET");
  expect([read.status, await read.text(), asked]).toEqual([200, "there", 2]);
  closing(2);
  expect([(await get("GET")).status, asked]).toEqual([502, 2]);
  closing(1);
  expect([(await get("POST")).status, asked]).toEqual([502, 1]);
});

test("an upstream that is down answers 502 in the product's own words", async () => {
  const response = await server.inject({ url: "/api/code-index/health" });
  expect(response.statusCode).toBe(502);
  expect(response.json()).toEqual({
    error: "upstream_unreachable",
    message: "The code index can't be reached at the moment; try again in a few seconds.",
  });
});
