import { isExactNumber } from "@sightline/foundation/exact-json";
import { isKeyOfField } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { LABEL_NAMES } from "#trace-labels.ts";

type TraceStart = Extract<StreamEvent, { type: "trace.start" }>["body"];

const MAX_FIELDS = 100;
const MAX_VALUE = 200;

/** The labels by which a trace is found, beside its names: `environment:…` and its other labels, `tag:…`, `metadata.<key>:…`, `resource.<key>:…`, once each. */
export function listTraceFields({ tags = [], attributes = {}, ...body }: TraceStart): string[] {
  const { metadata, tags: noted, "otel.resource": resource } = attributes;
  const fields = [
    ...LABEL_NAMES.flatMap((name) => fieldOf(name, body[name])),
    ...[...tags, ...(Array.isArray(noted) ? noted.slice(0, MAX_FIELDS) : [])].flatMap((tag) => fieldOf("tag", tag)),
    ...fieldsOf("metadata", metadata),
    ...fieldsOf("resource", resource),
  ];
  return Array.from(new Set(fields)).slice(0, MAX_FIELDS);
}

function fieldsOf(name: string, values: unknown): readonly string[] {
  const pairs = typeof values === "object" && values !== null && !Array.isArray(values) ? Object.entries(values) : [];
  return pairs.flatMap(([key, value]) => (isKeyOfField(name, key) ? fieldOf(`${name}.${key}`, value) : []));
}

function fieldOf(name: string, value: unknown): readonly string[] {
  const text = typeof value === "number" || typeof value === "boolean" || isExactNumber(value) ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? [`${name}:${text.slice(0, MAX_VALUE).toWellFormed()}`] : [];
}
