import { AppError } from "@sightline/foundation/errors";

/** The one answer to a delivery that is not signed as it should be. */
export function refused(message: string): AppError {
  return new AppError({ code: "auth_failed", status: 401, message, headers: { "www-authenticate": "Signature" } });
}
