/** Spans and requests as OTLP/HTTP writes them in JSON. */
export type JsonSpan = Readonly<Record<string, unknown>>;

export const TRACE = "5b8efff798038103d269b633813fc60c";

/** Ends a second after it starts. */
export function jsonSpan(spanId: string, second: number, more: JsonSpan = {}): JsonSpan {
  return {
    traceId: TRACE,
    spanId,
    name: `span ${spanId}`,
    startTimeUnixNano: nanosAt(second),
    endTimeUnixNano: nanosAt(second + 1),
    ...more,
  };
}

export function jsonRequest(spans: readonly JsonSpan[]): object {
  return { resourceSpans: [{ resource: { attributes: attributes({ "service.name": "support" }) }, scopeSpans: [{ spans }] }] };
}

export function attributes(values: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

function nanosAt(second: number): string {
  return `${Date.UTC(2026, 10, 21, 10, 0, second)}000000`;
}
