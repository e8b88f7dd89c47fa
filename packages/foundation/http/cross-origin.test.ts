import { afterAll, beforeAll, expect, test } from "vitest";
import { createHttpServer, type HttpServer } from "./http-server.ts";
import { createMetrics } from "./metrics.ts";
import { silentLog } from "#testing/silent-log.ts";

const ALLOWED = "https://console.example.org";

let server: HttpServer;
beforeAll(async () => {
  server = await createHttpServer({
    name: "test",
    title: "Test",
    version: "1",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators: {
      nobody: async () => {
        throw new Error("reached the guard");
      },
    },
    routes: [
      (scope) => {
        scope.get("/open", { config: { auth: "public" } }, async () => ({}));
        scope.get("/guarded", { config: { auth: "nobody" } }, async () => ({}));
      },
    ],
    corsOrigins: [ALLOWED],
  });
});
afterAll(() => server.close());

test("an origin of the list may read the answer, and its preflight passes the guard", async () => {
  const answer = await server.inject({ url: "/open", headers: { origin: ALLOWED } });
  expect(answer.headers).toMatchObject({ "access-control-allow-origin": ALLOWED, vary: "Origin" });
  const preflight = await server.inject({
    method: "OPTIONS",
    url: "/guarded",
    headers: { origin: ALLOWED, "access-control-request-method": "GET" },
  });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers["access-control-allow-headers"]).toContain("authorization");
});

test.each(["https://console.example.org.evil.org", "https://evil.org", "null", "http://console.example.org"])(
  "the origin %s may not",
  async (origin) => {
    const answer = await server.inject({ url: "/open", headers: { origin } });
    const preflight = await server.inject({ method: "OPTIONS", url: "/open", headers: { origin, "access-control-request-method": "GET" } });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
    expect(preflight.statusCode).toBe(404);
  },
);
