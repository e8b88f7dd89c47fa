import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { AppError } from "#errors.ts";
import { createHttpServer, type Authenticator, type HttpServer, type Routes } from "./http-server.ts";
import { createLog } from "#log.ts";
import { createMetrics } from "./metrics.ts";
import { getPrincipal, setPrincipal } from "./principal.ts";

const open = { auth: "public" } as const;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let servers: HttpServer[];
let logged: string[];

beforeEach(() => {
  servers = [];
  logged = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

describe("auth classes", () => {
  test("a route without one keeps the server from starting", async () => {
    await expect(serve((server) => void server.get("/open", async () => "hello"))).rejects.toThrow(
      "GET /open needs config.auth, one of: public, operator",
    );
  });

  test("a route with an unknown one keeps the server from starting", async () => {
    const routes: Routes = (server) => void server.get("/open", { config: { auth: "everyone" } }, async () => "hello");
    await expect(serve(routes)).rejects.toThrow("GET /open needs config.auth");
  });

  test("a route whose path only begins like the documentation's needs one too", async () => {
    await expect(serve((server) => void server.get("/docs-internal", async () => "hello"))).rejects.toThrow("needs config.auth");
  });

  test("its authenticator refuses before the body is looked at", async () => {
    const server = await serve(
      (scope) =>
        void scope.post("/orders", { config: { auth: "operator" }, schema: { body: z.object({ id: z.int() }) } }, async () => "made"),
    );
    const answer = await server.inject({ method: "POST", url: "/orders", payload: { id: "wrong" } });
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toEqual({ error: "auth_failed", message: "Send the key." });
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });

  test("its authenticator sets who makes the request", async () => {
    const server = await serve(
      (scope) => void scope.get("/me", { config: { auth: "operator" } }, async (request) => getPrincipal(request)),
    );
    const answer = await server.inject({ url: "/me", headers: { "x-api-key": "right" } });
    expect(answer.json()).toEqual({ kind: "operator" });
  });
});

describe("requests", () => {
  const orders: Routes = (server) =>
    void server.post(
      "/orders/:id",
      {
        config: open,
        bodyLimit: 200,
        schema: {
          params: z.object({ id: z.coerce.number().int() }),
          body: z.object({ items: z.array(z.object({ count: z.int().min(1, "at least one") })) }),
        },
      },
      async () => "made",
    );

  test("a body that does not fit is answered with every place that is wrong", async () => {
    const server = await serve(orders);
    const answer = await server.inject({ method: "POST", url: "/orders/1", payload: { items: [{ count: 0 }, {}] } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({
      error: "invalid_request",
      message: "The request's body is not valid; see details.",
      details: [
        { path: "items.0.count", message: "at least one" },
        { path: "items.1.count", message: expect.stringContaining("expected") },
      ],
    });
  });

  test("a parameter that does not fit is named", async () => {
    const server = await serve(orders);
    const answer = await server.inject({ method: "POST", url: "/orders/one", payload: { items: [] } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "invalid_request", details: [{ path: "id" }] });
  });

  test("a missing body is a wrong body", async () => {
    const server = await serve(orders);
    const answer = await server.inject({ method: "POST", url: "/orders/1" });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "invalid_request" });
  });

  test.each([
    ["a body over the route's limit", "application/json", JSON.stringify({ items: [], filler: "x".repeat(300) }), 413, "body_too_large"],
    ["text that is not JSON", "application/json", "{items", 400, "invalid_request"],
    ["an empty body", "application/json", "", 400, "invalid_request"],
    ["a body of another kind", "text/xml", "<items/>", 415, "unsupported_media_type"],
    ["a body that would change an object's prototype", "application/json", '{"__proto__":{"admin":true}}', 400, "invalid_request"],
  ])("%s is refused", async (_case, contentType, payload, status, code) => {
    const server = await serve(orders);
    const answer = await server.inject({ method: "POST", url: "/orders/1", headers: { "content-type": contentType }, payload });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ error: code, message: expect.any(String) });
  });

  test("an unknown route is a 404 in the product's error body", async () => {
    const server = await serve(orders);
    const answer = await server.inject({ url: "/nowhere?token=hidden" });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual({ error: "not_found", message: "There is no GET /nowhere here. See /docs for what there is." });
  });

  test("a path that cannot be decoded is a 400 in the product's error body", async () => {
    const server = await serve(orders);
    const answer = await server.inject({ url: "/orders/%E0%A4%A" });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: "invalid_request", message: expect.any(String) });
  });
});

describe("answers", () => {
  test("what a response schema does not declare does not leave", async () => {
    const server = await serve(
      (scope) =>
        void scope.get("/me", { config: open, schema: { response: { 200: z.object({ name: z.string() }) } } }, async () => ({
          name: "Ada",
          passwordHash: "hunter2",
        })),
    );
    expect((await server.inject("/me")).json()).toEqual({ name: "Ada" });
  });

  test("an answer that breaks its own schema is a 500, not a leak", async () => {
    const server = await serve(
      (scope) =>
        void scope.get("/me", { config: open, schema: { response: { 200: z.object({ name: z.string().max(3) }) } } }, async () => ({
          name: "hunter2",
        })),
    );
    const answer = await server.inject("/me");
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain("hunter2");
  });

  test("a refusal keeps its code, status, details and headers", async () => {
    const server = await serve((scope) => {
      scope.get("/busy", { config: open }, async () => {
        throw new AppError({
          code: "rate_limited",
          status: 429,
          message: "Wait.",
          details: [{ path: "x", message: "y" }],
          headers: { "retry-after": "7" },
        });
      });
    });
    const answer = await server.inject("/busy");
    expect(answer.statusCode).toBe(429);
    expect(answer.headers["retry-after"]).toBe("7");
    expect(answer.json()).toEqual({ error: "rate_limited", message: "Wait.", details: [{ path: "x", message: "y" }] });
  });

  test("an unexpected error hides what happened and is logged once with its stack", async () => {
    const server = await serve((scope) => {
      scope.get("/broken", { config: open }, async () => {
        throw new Error("select * from accounts failed for hunter2");
      });
    });
    const answer = await server.inject("/broken");
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ error: "internal_error" });
    expect(answer.body).not.toMatch(/select|hunter2|at .*\.ts/);
    const failures = logged.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ route: "/broken", reqId: answer.headers["x-request-id"] });
    expect(failures[0].err.stack).toContain("select * from accounts failed");
  });

  test.each(["/fine", "/nowhere", "/docs/json"])("every answer has a request id of the server's own: %s", async (url) => {
    const server = await serve((scope) => void scope.get("/fine", { config: open }, async () => "fine"));
    const answer = await server.inject({ url, headers: { "x-request-id": "forged\nid" } });
    expect(answer.headers["x-request-id"]).toMatch(UUID);
  });

  test("security headers are set", async () => {
    const server = await serve((scope) => void scope.get("/fine", { config: open }, async () => "fine"));
    const { headers } = await server.inject("/fine");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["strict-transport-security"]).toBe("max-age=31536000");
    expect(headers["content-security-policy"]).toContain("default-src 'self'");
  });
});

describe("what the server says about itself", () => {
  const described: Routes = (server) => {
    server.get(
      "/orders/:id",
      {
        config: open,
        schema: { summary: "One order", params: z.object({ id: z.uuid() }), response: { 200: z.object({ total: z.number().nullable() }) } },
      },
      async () => ({ total: null }),
    );
    server.get("/internal", { config: open, schema: { hide: true } }, async () => "hidden");
  };

  test("/docs/json says which routes ask for a token, and what a refusal looks like", async () => {
    const server = await serve((scope) => {
      scope.get("/open", { config: open }, async () => "fine");
      scope.get("/guarded", { config: { auth: "operator" }, schema: { response: { 200: z.string() } } }, async () => "fine");
    });
    const { paths, components } = (await server.inject("/docs/json")).json();
    expect(paths["/open"].get.security).toBeUndefined();
    expect(paths["/guarded"].get.security).toEqual([{ bearer: [] }]);
    expect(components.securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" });
    expect(Object.keys(paths["/guarded"].get.responses)).toEqual(["200", "4XX"]);
    expect(paths["/guarded"].get.responses["4XX"].content["application/json"].schema.required).toEqual(["error", "message"]);
  });

  test("/docs/json is OpenAPI 3.1 and lists the routes with their schemas", async () => {
    const server = await serve(described);
    const api = (await server.inject("/docs/json")).json();
    expect(api.openapi).toMatch(/^3\.1\./);
    expect(api.info).toEqual({ title: "Shop", version: "1.2.3" });
    expect(Object.keys(api.paths)).toEqual(["/orders/{id}"]);
    expect(api.paths["/orders/{id}"].get).toMatchObject({ summary: "One order", parameters: [{ in: "path", name: "id", required: true }] });
    expect(api.paths["/orders/{id}"].get.responses["200"].content["application/json"].schema.required).toEqual(["total"]);
  });

  test("/docs shows it to a browser", async () => {
    const server = await serve(described);
    const answer = await server.inject("/docs");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toContain("text/html");
  });

  test("/metrics counts answers by route, not by address", async () => {
    const server = await serve(described);
    await server.inject("/orders/01890a5d-ac96-774b-bcce-b302099a8057");
    await server.inject("/orders/7");
    await server.inject("/nowhere/secret");
    const answer = await server.inject("/metrics");
    expect(answer.headers["content-type"]).toContain("text/plain");
    expect(answer.body).toMatch(/_count\{role="shop",method="GET",route="\/orders\/:id",status="200"\} 1\n/);
    expect(answer.body).toMatch(/_count\{role="shop",method="GET",route="\/orders\/:id",status="400"\} 1\n/);
    expect(answer.body).toMatch(/_count\{role="shop",method="GET",route="unknown",status="404"\} 1\n/);
    expect(answer.body).not.toContain("secret");
  });

  test("/metrics of a port that is open to all answers the operator's token alone, and without one nobody", async () => {
    for (const token of ["the-operators-token", undefined]) {
      const server = await serveWith({ metricsOnlyFor: { token } }, described);
      const statusOf = async (authorization?: string) =>
        (await server.inject({ url: "/metrics", headers: authorization === undefined ? {} : { authorization } })).statusCode;
      expect([await statusOf(), await statusOf("Bearer undefined"), await statusOf("Bearer wrong")]).toEqual([404, 404, 404]);
      expect(await statusOf("Bearer the-operators-token")).toBe(token === undefined ? 404 : 200);
    }
  });
});

const operator: Authenticator = async (request) => {
  if (request.headers["x-api-key"] !== "right") {
    throw new AppError({ code: "auth_failed", status: 401, message: "Send the key.", headers: { "www-authenticate": "Bearer" } });
  }
  setPrincipal(request, { kind: "operator" });
};

function serve(...routes: readonly Routes[]): Promise<HttpServer> {
  return serveWith({}, ...routes);
}

async function serveWith(
  options: Pick<Parameters<typeof createHttpServer>[0], "metricsOnlyFor">,
  ...routes: readonly Routes[]
): Promise<HttpServer> {
  const server = await createHttpServer({
    name: "shop",
    title: "Shop",
    version: "1.2.3",
    log: createLog({ name: "shop", level: "debug", destination: { write: (line) => void logged.push(line) } }),
    metrics: createMetrics("shop"),
    authenticators: { operator },
    routes,
    ...options,
  });
  servers.push(server);
  return server;
}
