import { errorMessage, refusal } from "@sightline/foundation/errors";
import { RE2JS } from "re2js";
import type { Check, ValueCheck } from "#contract.ts";
import { compileSchema } from "./json-schema.ts";

/** More than what people write, and nothing that a request could fill memory with. */
const MAX_KNOWN = 1_000;

/** @throws {AppError} 400 which says what is wrong with a pattern or schema, when the check is written and not when it is needed. */
export type DemandUsable = (checks: readonly Check[]) => void;

/** Made for each request: equal schemas and patterns are compiled once. */
export function createDemandUsable(): DemandUsable {
  const known = new Set<string>();
  return (checks) => {
    for (const each of checks) {
      const check: Check | ValueCheck = (each.type === "tool" ? each.with : undefined) ?? each;
      if (check.type === "schema" || check.type === "matches") {
        const text = JSON.stringify(check.type === "schema" ? check.schema : check.pattern);
        if (!known.has(text)) {
          compile(check);
          if (known.size < MAX_KNOWN) {
            known.add(text);
          }
        }
      }
    }
  };
}

function compile(check: Extract<ValueCheck, { readonly type: "schema" | "matches" }>): void {
  if (check.type === "schema") {
    compileSchema(check.schema, "The schema of a check");
    return;
  }
  try {
    RE2JS.compile(check.pattern);
  } catch (error) {
    throw refusal(400, "invalid_check", `${check.pattern} is no regular expression (RE2): ${errorMessage(error)}.`);
  }
}
