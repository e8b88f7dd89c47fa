import { unsupportedMediaType } from "@sightline/foundation/http/http-errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";

/**
 * Lets the routes of a scope be called without a body, however a client says so: `{}`, nothing at all, nothing with a
 * content type. What there is must be JSON, also by one of the further `types`.
 */
export function acceptNoBody(scope: HttpServer, ...types: readonly string[]): void {
  const parseJson = scope.getDefaultJsonParser("error", "error");
  scope.addContentTypeParser(["application/json", ...types], { parseAs: "string" }, (request, body: string, done) =>
    body.trim() === "" ? done(null) : parseJson(request, body, done),
  );
  scope.addContentTypeParser("*", { parseAs: "string" }, (request, body: string, done) => {
    if (body.trim() === "") {
      done(null);
    } else if (request.headers["content-type"] === undefined) {
      void parseJson(request, body, done);
    } else {
      done(unsupportedMediaType());
    }
  });
}
