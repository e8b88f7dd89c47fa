import { errorMessage, refusal } from "@sightline/foundation/errors";
import { RE2JS } from "re2js";
import type { Check } from "#contract.ts";
import { compileSchema } from "./json-schema.ts";

/** @throws {AppError} 400 which says what is wrong with a pattern or schema, when the check is written and not when it is needed. */
export function demandUsable(checks: readonly Check[]): void {
  for (const check of checks) {
    if (check.type === "schema") {
      compileSchema(check.schema, "The schema of a check");
    }
    if (check.type === "matches") {
      try {
        RE2JS.compile(check.pattern);
      } catch (error) {
        throw refusal(400, "invalid_check", `${check.pattern} is no regular expression (RE2): ${errorMessage(error)}.`);
      }
    }
  }
}
