import { parseExactly } from "@sightline/foundation/exact-json";
import { type Json, type Check, checksSchema, jsonValueSchema } from "@sightline/observability/contract";

export type Typed<Value> = { readonly value: Value } | { readonly problem: string };

/** What somebody typed for a value: JSON, and any other text is a text; what begins as an object or a list has to be one. */
export function readTyped(text: string): Typed<Json> {
  const trimmed = text.trim();
  if (trimmed === "") {
    return { value: null };
  }
  const parsed = parseJson(trimmed);
  if (parsed !== undefined) {
    return { value: parsed };
  }
  return /^[[{]/.test(trimmed) ? { problem: "This begins like JSON and is none: look for a missing quote or comma." } : { value: text };
}

/** A value in the form in which it is typed: a text without quotes, unless it would be read as something else. */
export function toTyped(value: Json): string {
  if (value === null) {
    return "";
  }
  if (typeof value === "string" && value.trim() !== "" && !/^[[{]/.test(value.trim()) && parseJson(value.trim()) === undefined) {
    return value;
  }
  return JSON.stringify(value, null, 2);
}

/** A value in a line of a table. */
export function inOneLine(value: Json): string {
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
}

export function toTypedChecks(checks: readonly Check[] = []): string {
  return checks.length === 0 ? "" : JSON.stringify(checks, null, 2);
}

export function readChecks(text: string): Typed<Check[]> {
  if (text.trim() === "") {
    return { value: [] };
  }
  const parsed = checksSchema.safeParse(parseJson(text, new Set(["value"])));
  if (parsed.success) {
    return { value: parsed.data };
  }
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  return { problem: `A JSON list of checks is needed. ${place}${issue?.message ?? ""}` };
}

/** One of each kind, to be filled in. */
export const CHECK_EXAMPLES: readonly { readonly label: string; readonly check: Check }[] = [
  { label: "It ends without an error", check: { type: "succeeds" } },
  { label: "The output equals a value", check: { type: "equals", path: "", value: "Monday" } },
  { label: "The output contains a text", check: { type: "contains", path: "/answer", value: "Monday" } },
  { label: "The output matches a pattern", check: { type: "matches", path: "", pattern: "(?i)monday" } },
  { label: "The output fits a JSON schema", check: { type: "schema", path: "", schema: { type: "object", required: ["answer"] } } },
  { label: "A tool is called", check: { type: "tool", tool: "refund", at_least: 1, at_most: 1 } },
  {
    label: "A tool is called with arguments that fit",
    check: { type: "tool", tool: "refund", at_least: 1, with: { type: "equals", path: "/order_id", value: 42 } },
  },
  { label: "An edge of the graph is taken, or never", check: { type: "edge", from: "verify", to: "refund", taken: false } },
  { label: "A value of the state changes, or never", check: { type: "state", path: "/balance", changed: false } },
  { label: "Tokens, cost, duration or steps stay below a limit", check: { type: "limit", of: "steps", at_most: 20 } },
];

function parseJson(text: string, exactWithin?: ReadonlySet<string>): Json | undefined {
  try {
    return jsonValueSchema.parse(parseExactly(text, exactWithin));
  } catch {
    return undefined;
  }
}

const [MIN_ROWS, MAX_ROWS] = [3, 14];

/** Lines of the field in which it is typed. */
export function rowsOf(text: string): number {
  return Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split("\n").length));
}
