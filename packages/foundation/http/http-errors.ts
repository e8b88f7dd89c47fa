import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors, isResponseSerializationError } from "fastify-type-provider-zod";
import { databaseUnavailable } from "#database-unavailable.ts";
import { AppError, refusal, type ErrorDetail } from "#errors.ts";

/** Errors are never cached, although the route may have set a cache header before it failed. */
const NOT_CACHED = { "cache-control": "no-store" };

/** Turns whatever a route throws into the product's error body; the one place where an unexpected error is logged. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const refused = toAppError(error);
  if (refused.status >= 500 && !refused.logged) {
    request.log.error({ err: error, route: request.routeOptions.url }, "a request failed");
  }
  void reply
    .headers({ ...NOT_CACHED, ...refused.headers })
    .status(refused.status)
    .send(refused.toBody());
}

export function handleNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const path = request.url.split("?")[0] ?? "";
  const error = refusal(404, "not_found", `There is no ${request.method} ${path} here. See /docs for what there is.`);
  void reply.headers(NOT_CACHED).status(404).send(error.toBody());
}

/** Converts an error to what a client may see of it. */
export function toAppError(error: FastifyError): AppError {
  if (error instanceof AppError) {
    return error;
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const details = error.validation.map((issue): ErrorDetail => ({
      path: issue.instancePath.replace(/^\//, "").replaceAll("/", "."),
      message: issue.message ?? "is not valid",
    }));
    const what = error.validationContext ?? "content";
    return refusal(400, "invalid_request", `The request's ${what} is not valid; see details.`, { details });
  }
  if (isResponseSerializationError(error)) {
    return internalError();
  }
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return refusal(413, "body_too_large", "The request's body is over this route's limit; send less.");
  }
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return unsupportedMediaType();
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    return refusal(status, "invalid_request", "The request could not be read; check its body and headers.");
  }
  return databaseUnavailable(error) ?? internalError();
}

export function unsupportedMediaType(): AppError {
  return refusal(415, "unsupported_media_type", "Send the body as JSON with Content-Type: application/json.");
}

function internalError(): AppError {
  const message = "Something went wrong on the server; its log has the details under this answer's x-request-id.";
  return refusal(500, "internal_error", message);
}
