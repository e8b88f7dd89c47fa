import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHttpServer, type HttpServer } from "./http-server.ts";
import { createMetrics } from "./metrics.ts";
import { silentLog } from "#testing/silent-log.ts";

const LONG = { words: "what an agent did, ".repeat(200) };
const ASKED = { authorization: "Bearer token", "accept-encoding": "gzip, deflate, br" };

let server: HttpServer;

beforeAll(async () => {
  server = await createHttpServer({
    name: "test",
    title: "Test",
    version: "0.0.0",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators: {},
    corsOrigins: ["https://console.example"],
    routes: [
      (scope) => {
        scope.get("/long", { config: { auth: "public" } }, async () => LONG);
        scope.get("/short", { config: { auth: "public" } }, async () => ({ words: "few" }));
      },
    ],
  });
});

afterAll(() => server.close());

test("a long answer is compressed for who asks for it, and caches are told", async () => {
  const answer = await server.inject({ url: "/long", headers: ASKED });
  expect(answer.headers).toMatchObject({ "content-encoding": "gzip", vary: "Origin, Accept-Encoding" });
  expect(Number(answer.headers["content-length"])).toBe(answer.rawPayload.length);
  expect(answer.rawPayload.length).toBeLessThan(500);
  expect(JSON.parse(gunzipSync(answer.rawPayload).toString())).toEqual(LONG);
});

test.each([
  ["is short", "/short", ASKED],
  ["was not asked to be", "/long", { authorization: ASKED.authorization }],
  ["another site may have provoked", "/long", { cookie: "refresh=1", "accept-encoding": ASKED["accept-encoding"] }],
])("an answer that %s goes out as it is", async (_case, url, headers) => {
  const answer = await server.inject({ url, headers });
  expect(answer.headers).not.toHaveProperty("content-encoding");
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toHaveProperty("words");
});
