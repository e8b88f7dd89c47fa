import { AppError } from "@sightline/foundation/errors";

/** The one answer to every token that does not open what it was sent to. */
export function authFailed(message: string, challenge = "Bearer"): AppError {
  return new AppError({ code: "auth_failed", status: 401, message, headers: { "www-authenticate": challenge } });
}

export function tenantUnknown(): AppError {
  return new AppError({
    code: "tenant_unknown",
    status: 403,
    message: "Your organisation (the token's tid) is not registered with the code index; its operator adds it with: sightline tenant add",
  });
}

export function forbidden(message: string): AppError {
  return new AppError({ code: "forbidden", status: 403, message });
}
