import type { OtlpAttributes, OtlpEvent, OtlpScopeSpans, OtlpValue } from "./otlp-span.ts";

/** Writes spans as `readJson` reads them. */
export function writeSpans({ resource, scope, spans }: OtlpScopeSpans): string {
  const written = spans.map(({ startNanos, endNanos, attributes, events, links, ...span }) => ({
    ...span,
    startTimeUnixNano: String(startNanos),
    endTimeUnixNano: String(endNanos),
    attributes: writeAttributes(attributes),
    events: events.map(writeEvent),
    links: links.map((link) => ({ ...link, attributes: writeAttributes(link.attributes) })),
  }));
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: writeAttributes(resource) }, scopeSpans: [{ scope, spans: written }] }],
  });
}

export function writeEvent({ name, nanos, attributes }: OtlpEvent): object {
  return { name, timeUnixNano: String(nanos), attributes: writeAttributes(attributes) };
}

function writeAttributes(attributes: OtlpAttributes): readonly object[] {
  return [...attributes].map(([key, value]) => ({ key, value: writeValue(value) }));
}

function writeValue(value: OtlpValue): object {
  if (typeof value === "string") {
    return { stringValue: value };
  }
  if (typeof value === "boolean") {
    return { boolValue: value };
  }
  if (typeof value === "number") {
    return { doubleValue: value };
  }
  if (Array.isArray(value)) {
    return { arrayValue: { values: value.map((item: OtlpValue) => writeValue(item)) } };
  }
  return value === null ? {} : { kvlistValue: { values: writeAttributes(new Map(Object.entries(value))) } };
}
