import { z } from "zod";
import { isExactNumber, parseExactly } from "@sightline/foundation/exact-json";
import { bendBody } from "./bend-event.ts";
import { EVENT_VERSION, eventSchema, type StreamEvent } from "./event.ts";

/** The fields of one stream entry as Redis returns them: name, value, name, value, … */
export type StreamFields = readonly string[];

/** The producer of an entry and its number; known even for most entries that are refused. */
export type EntryOrigin = {
  readonly projectId: string;
  readonly producerId: string;
  readonly seq: number;
};

export type DecodedEntry =
  | { readonly ok: true; readonly event: StreamEvent }
  | { readonly ok: false; readonly reason: string; readonly origin: EntryOrigin | undefined };

/** The most UTF-16 units of a body; producers limit theirs far below. */
export const MAX_BODY_LENGTH = 16 * 1024 * 1024;
/** Deeper values are left out, before they exhaust the stack of code that walks them. */
const MAX_BODY_DEPTH = 200;
const MAX_REASON_LENGTH = 2_000;
const ISSUES_SHOWN = 5;

/** Encodes an event for the stream: flat fields, the body as JSON text. */
export function encodeEvent(event: StreamEvent): StreamFields {
  return [
    ["v", String(event.v)],
    ["id", event.id],
    ["type", event.type],
    ["project_id", event.project_id],
    ["producer_id", event.producer_id],
    ["seq", String(event.seq)],
    ["ts", event.ts],
    ["body", JSON.stringify(event.body)],
  ].flat();
}

/**
 * Decodes an entry. Never throws: when it is no event of this version, the result says why. Characters that PostgreSQL
 * cannot store (NUL, lone surrogates) become U+FFFD.
 */
export function decodeEntry(fields: StreamFields): DecodedEntry {
  const record = toRecord(fields);
  try {
    const version = record.get("v");
    if (version !== String(EVENT_VERSION)) {
      return refuse(version === undefined ? "the field v is missing" : `v is ${JSON.stringify(version)}, this reads ${EVENT_VERSION}`);
    }
    const body = record.get("body");
    if (body === undefined) {
      return refuse("the field body is missing");
    }
    if (body.length > MAX_BODY_LENGTH) {
      return refuse(`body has ${body.length} characters, the limit is ${MAX_BODY_LENGTH}`);
    }
    const given = {
      ...Object.fromEntries(["id", "type", "project_id", "producer_id"].map((name) => [name, record.get(name)])),
      ts: record.get("ts"),
      v: EVENT_VERSION,
      seq: toInteger(record.get("seq")),
      body: readBody(body),
    };
    const parsed = eventSchema.safeParse(given);
    if (parsed.success) {
      return { ok: true, event: parsed.data };
    }
    const event = bend(given, parsed.error);
    return event === undefined ? refuse(describe(parsed.error)) : { ok: true, event };
  } catch (error) {
    return refuse(`body cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }

  function refuse(reason: string): DecodedEntry {
    return { ok: false, reason: storableText(reason.slice(0, MAX_REASON_LENGTH)), origin: originOf(record) };
  }
}

type Given = { readonly ts: unknown; readonly body: unknown };

/** One odd field costs no event: it is mended where it is, else left out with what it is part of. */
function bend(given: Given, { issues }: z.ZodError): StreamEvent | undefined {
  const mended = bendBody(given, issues, false);
  const once = eventSchema.safeParse({ ...given, body: mended });
  const left = once.success || mended === undefined ? undefined : bendBody({ ...given, body: mended }, once.error.issues, true);
  return once.data ?? eventSchema.safeParse({ ...given, body: left }).data;
}

/** Reads the origin of an entry, as far as it names one; its body is not read. */
export function originOfEntry(fields: StreamFields): EntryOrigin | undefined {
  return originOf(toRecord(fields));
}

function toRecord(fields: StreamFields): ReadonlyMap<string, string> {
  const record = new Map<string, string>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    record.set(fields[index] ?? "", fields[index + 1] ?? "");
  }
  return record;
}

const originSchema = z.object({
  projectId: z.uuid(),
  producerId: z.uuid(),
  seq: z.int().min(1),
});

function originOf(record: ReadonlyMap<string, string>): EntryOrigin | undefined {
  return originSchema.safeParse({
    projectId: record.get("project_id"),
    producerId: record.get("producer_id"),
    seq: toInteger(record.get("seq")),
  }).data;
}

function toInteger(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : text;
}

function describe(error: z.ZodError): string {
  const issues = error.issues.slice(0, ISSUES_SHOWN).map((issue) => `${issue.path.join(".") || "event"}: ${issue.message}`);
  const more = error.issues.length - issues.length;
  return `${issues.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** The fields of bodies that hold values of the application, in whose numbers each digit is kept. */
const VALUES: ReadonlySet<string> = new Set(["input", "output", "attributes", "parameters", "result", "raw", "content"]);

function readBody(json: string): unknown {
  const value = parseExactly(json, VALUES);
  // What PostgreSQL cannot hold arrives as an escape alone: in JSON text itself there is no NUL, in UTF-8 no half of a pair.
  return json.includes("\\u") || !(hasFewBrackets(json) || isShallow(value, 0)) ? storable(value, 0) : value;
}

/** Few brackets can't be deep, which saves the walk through nearly all bodies. A bracket within a text counts, too. */
function hasFewBrackets(json: string): boolean {
  let count = 0;
  for (const bracket of "[{") {
    for (let at = json.indexOf(bracket); at >= 0 && count <= MAX_BODY_DEPTH; at = json.indexOf(bracket, at + 1)) {
      count += 1;
    }
  }
  return count <= MAX_BODY_DEPTH;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) {
    return true;
  }
  return depth < MAX_BODY_DEPTH && (Array.isArray(value) ? value : Object.values(value)).every((item) => isShallow(item, depth + 1));
}

function storable(value: unknown, depth: number): unknown {
  if (typeof value === "string") {
    return storableText(value);
  }
  if (depth >= MAX_BODY_DEPTH && typeof value === "object" && value !== null) {
    return `(left out: nested deeper than ${MAX_BODY_DEPTH})`;
  }
  if (Array.isArray(value)) {
    return value.map((item) => storable(item, depth + 1));
  }
  if (typeof value === "object" && value !== null && !isExactNumber(value)) {
    // Object.fromEntries defines properties, so that a key named __proto__ stays data.
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item, depth + 1)]));
  }
  return value;
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
