import { refusal } from "@sightline/foundation/errors";
import { z } from "zod";

/** A resource as it is sent and answered. */
export type Resource = Readonly<Record<string, unknown>>;
type Draft = Record<string, unknown>;

// Entra ID begins operations with a capital.
const operationName = z
  .string()
  .toLowerCase()
  .pipe(z.enum(["add", "replace", "remove"]));
const operationSchema = z.object({ op: operationName, path: z.string().max(1_000).optional(), value: z.unknown().optional() });
type Operation = z.output<typeof operationSchema>;

/** `PATCH` (RFC 7644, 3.5.2). */
export const patchSchema = z.looseObject({ Operations: z.array(operationSchema).min(1).max(1_000) });

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const PATH = /^(?<name>[a-z$][\w$-]*)(?<condition>\[[^\]]*\])?(?:\.(?<part>[a-z$][\w$-]*))?$/i;
const ONE_MEMBER = /^\[\s*value\s+eq\s+"(?<id>[^"]*)"\s*\]$/i;

/**
 * Makes the changes. Attributes of other schemas, and entries that are found by a condition, are passed over, since nothing of them is kept;
 * but for a group's members.
 *
 * @throws {AppError} 400 `invalidPath` or `noTarget`.
 */
export function applyPatch(resource: Resource, operations: readonly Operation[]): Resource {
  const draft: Draft = structuredClone(resource);
  for (const { op, path, value } of operations) {
    if (path === undefined && (op === "remove" || !isObject(value))) {
      throw refusal(400, "noTarget", `Say by "path" what to ${op}, or send an object of attributes to add or replace.`);
    }
    const changes = path === undefined ? Object.entries(value as Draft) : [[path, value] as const];
    changes.forEach(([name, one]) => change(draft, name.replace(CORE, ""), op, one));
  }
  return draft;
}

function change(draft: Draft, path: string, op: Operation["op"], value: unknown): void {
  const { name, condition, part } = PATH.exec(path)?.groups ?? {};
  if (name === undefined) {
    if (/^urn:/i.test(path)) {
      return;
    }
    throw refusal(400, "invalidPath", `The path ${path} is not understood: active, name.givenName or members[value eq "…"], for example.`);
  }
  const at = keyOf(draft, name);
  if (condition !== undefined) {
    const { id } = ONE_MEMBER.exec(condition)?.groups ?? {};
    if (at === "members" && op === "remove" && id !== undefined) {
      set(draft, at, op, [{ value: id }]);
    }
  } else if (part === undefined) {
    set(draft, at, op, value);
  } else {
    const whole: Draft = isObject(draft[at]) ? draft[at] : {};
    set(whole, keyOf(whole, part), op, value);
    draft[at] = whole;
  }
}

function set(draft: Draft, at: string, op: Operation["op"], value: unknown): void {
  const before = draft[at];
  const given = [value].flat();
  if (op === "remove" && Array.isArray(before) && value !== undefined) {
    const gone = new Set(given.map(identify));
    draft[at] = before.filter((entry) => !gone.has(identify(entry)));
  } else if (op === "remove" || value === null) {
    delete draft[at];
  } else if (op === "add" && Array.isArray(before)) {
    draft[at] = [...before, ...given];
  } else {
    draft[at] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
}

/** Names of attributes count in either case. */
function keyOf(draft: Draft, name: string): string {
  return Object.keys(draft).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
}

function identify(entry: unknown): unknown {
  return isObject(entry) ? entry["value"] : entry;
}

function isObject(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
