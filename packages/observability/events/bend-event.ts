import { parseExactly } from "@sightline/foundation/exact-json";
import type { z } from "zod";

/** The attribute that names the fields which were not kept as they were sent, each with what was sent. */
export const BENT = "sightline.bent";
const MAX_TOLD_LENGTH = 200;

type Fields = Record<string | number, unknown>;
type Mend = (value: unknown, body: Fields, ts: unknown) => unknown;

const time: Mend = (value, _body, ts) => {
  const millis = typeof value === "string" || typeof value === "number" ? new Date(value) : undefined;
  return millis === undefined || Number.isNaN(millis.getTime()) ? ts : millis.toISOString();
};

/** What stands for a value that its field cannot take, where the field cannot be left out. */
const MENDS: Readonly<Record<string, Mend>> = {
  name: (value) => (value === undefined || value === null ? "unnamed" : (JSON.stringify(value) ?? "unnamed").slice(0, 500)),
  kind: () => "span",
  status: (value, { error }) => (value === undefined && error === undefined ? "success" : "failure"),
  parent_id: () => null,
  duration_ms: () => 0,
  attributes: (value) => ({ value }),
  started_at: time,
  ended_at: time,
  resumed_at: time,
  "tool_entry.timestamp": time,
  "tool_entry.status": () => "failure",
  "tool_entry.parameters": (value) => (value === undefined || value === null ? {} : { value }),
  value: (value) => (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : undefined),
};

type Given = { readonly ts: unknown; readonly body: unknown };

/**
 * Mends the fields of a body that its schema refused: a word that is none of the known ones, a text or list that is too long, a time of
 * another form; what can't be mended is left out. The event's attributes say what was sent.
 *
 * @param whole Leaves out the field of the body in which the fault lies, instead of the fault.
 * @returns undefined where the body can't be mended.
 */
export function bendBody({ ts, body: given }: Given, issues: readonly z.core.$ZodIssue[], whole: boolean): Fields | undefined {
  if (!isFields(given) || issues.some(({ path }) => path[0] !== "body" || path.length < 2)) {
    return undefined;
  }
  const body = parseExactly(JSON.stringify(given)) as Fields;
  const bent: Record<string, string> = {};
  for (const issue of issues) {
    const path = issue.path.slice(1).map((key) => (typeof key === "symbol" ? key.toString() : key));
    const isListed = path.some((key) => typeof key === "number");
    const place = whole || isListed ? path.slice(0, 1) : path;
    const holder = place.slice(0, -1).reduce<unknown>((value, key) => (isFields(value) ? value[key] : undefined), body);
    const last = place.at(-1) ?? "";
    if (isFields(holder)) {
      const value = holder[last];
      bent[place.join(".")] = (JSON.stringify(value) ?? "nothing").slice(0, MAX_TOLD_LENGTH);
      if (last === "value" && typeof value === "string") {
        body["text_value"] ??= value;
      }
      holder[last] = whole ? undefined : mend(issue, value, { place: place.join("."), body, ts });
    }
  }
  const attributes = isFields(body["attributes"]) ? body["attributes"] : {};
  const known = attributes[BENT];
  return { ...body, attributes: { ...attributes, [BENT]: { ...(isFields(known) ? known : {}), ...bent } } };
}

type Place = { readonly place: string; readonly body: Fields; readonly ts: unknown };

function mend(issue: z.core.$ZodIssue, value: unknown, { place, body, ts }: Place): unknown {
  if (issue.code === "too_big" && (typeof value === "string" || Array.isArray(value))) {
    return value.slice(0, Number(issue.maximum));
  }
  return MENDS[place]?.(value, body, ts);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
