import { parseExactly } from "#exact-json.ts";
import type { HttpServer } from "./http-server.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The fields of its body, at any depth, whose numbers are taken as they were written ({@link parseExactly}). */
    exactValues?: ReadonlySet<string>;
  }
}

/** Reads bodies of the scope's routes as Fastify does, and once more where a route wants numbers as they were written. */
export function readExactValues(scope: HttpServer): void {
  const read = scope.getDefaultJsonParser("error", "error");
  scope.addContentTypeParser("application/json", { parseAs: "string" }, (request, json: string, done) => {
    const { exactValues } = request.routeOptions.config;
    void read(request, json, (error, value) =>
      done(error, error === null && exactValues !== undefined ? parseExactly(json.replace(/^\uFEFF/, ""), exactValues) : value),
    );
  });
}
