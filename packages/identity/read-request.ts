import type { z } from "zod";
import { refusal } from "@sightline/foundation/errors";

/**
 * Reads what a command of the host asks for, by the schema that the routes use.
 *
 * @throws {AppError} 400 `invalid_request`, e.g. `email: Invalid email address; name: at least one character`.
 */
export function readRequest<Request>(schema: z.ZodType<Request>, given: unknown): Request {
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const message = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    throw refusal(400, "invalid_request", message);
  }
  return parsed.data;
}
