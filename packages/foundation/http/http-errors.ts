import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors, isResponseSerializationError } from "fastify-type-provider-zod";
import { databaseUnavailable } from "#database-unavailable.ts";
import { AppError, type ErrorDetail } from "#errors.ts";

/** Errors are never cached, although the route may have set a cache header before it failed. */
const NOT_CACHED = { "cache-control": "no-store" };

/** Turns whatever a route throws into the product's error body; the one place where an unexpected error is logged. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const refused = toAppError(error);
  if (refused.status >= 500) {
    request.log.error({ err: error, route: request.routeOptions.url }, "a request failed");
  }
  void reply
    .headers({ ...NOT_CACHED, ...refused.headers })
    .status(refused.status)
    .send(refused.toBody());
}

export function handleNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const error = new AppError({
    code: "not_found",
    status: 404,
    message: `There is no ${request.method} ${request.url.split("?")[0] ?? ""} here. See /docs for what there is.`,
  });
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
    return new AppError({
      code: "invalid_request",
      status: 400,
      message: `The request's ${error.validationContext ?? "content"} is not valid; see details.`,
      details,
    });
  }
  if (isResponseSerializationError(error)) {
    return internalError();
  }
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new AppError({ code: "body_too_large", status: 413, message: "The request's body is over this route's limit; send less." });
  }
  if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return unsupportedMediaType();
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) {
    return new AppError({ code: "invalid_request", status, message: "The request could not be read; check its body and headers." });
  }
  return databaseUnavailable(error) ?? internalError();
}

export function unsupportedMediaType(): AppError {
  return new AppError({
    code: "unsupported_media_type",
    status: 415,
    message: "Send the body as JSON with Content-Type: application/json.",
  });
}

function internalError(): AppError {
  return new AppError({
    code: "internal_error",
    status: 500,
    message: "Something went wrong on the server; its log has the details under this answer's x-request-id.",
  });
}
