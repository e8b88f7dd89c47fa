import { isExactNumber } from "@sightline/foundation/exact-json";
import type { StreamEvent } from "#events/event.ts";
import { LABEL_NAMES } from "#trace-labels.ts";

type TraceStart = Extract<StreamEvent, { type: "trace.start" }>["body"];

const MAX_FIELDS = 100;
const MAX_VALUE = 200;
/** A query can only ask for what is one word of it. */
const KEY = /^[\w.-]{1,64}$/;

/** What a trace is found by beside its names: `environment:…` and its other labels, `tag:…`, `metadata.<key>:…`, once each. */
export function listTraceFields({ tags = [], attributes = {}, ...body }: TraceStart): string[] {
  const { metadata, tags: noted } = attributes;
  const pairs = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? Object.entries(metadata) : [];
  const fields = [
    ...LABEL_NAMES.flatMap((name) => fieldOf(name, body[name])),
    ...[...tags, ...(Array.isArray(noted) ? noted.slice(0, MAX_FIELDS) : [])].flatMap((tag) => fieldOf("tag", tag)),
    ...pairs.flatMap(([key, value]) => (KEY.test(key) ? fieldOf(`metadata.${key}`, value) : [])),
  ];
  return Array.from(new Set(fields)).slice(0, MAX_FIELDS);
}

function fieldOf(name: string, value: unknown): readonly string[] {
  const text = typeof value === "number" || typeof value === "boolean" || isExactNumber(value) ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? [`${name}:${text.slice(0, MAX_VALUE).toWellFormed()}`] : [];
}
