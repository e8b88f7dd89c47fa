import { BENT } from "#events/bend-event.ts";
import type { OtlpSpan } from "#otlp/wire/otlp-span.ts";
import { boundText } from "./bound-value.ts";

export type Bent = Readonly<Record<string, string>>;

/** Makes a span of one whose fields contradict each other: clocks are set back, and exporters by hand get a field wrong. */
export function bendSpan(given: OtlpSpan): { readonly span: OtlpSpan; readonly bent: Bent } {
  const bent: Record<string, string> = {};
  const { parentSpanId, startNanos, endNanos } = given;
  const hasParent = parentSpanId === "" || /^[0-9a-f]{16}$/.test(parentSpanId);
  if (!hasParent) {
    bent["parent_span_id"] = `is not 8 bytes, left out: ${boundText(parentSpanId, 64)}`;
  }
  if (startNanos === 0n) {
    bent["start_time_unix_nano"] = "is missing, taken to be the end";
  }
  const isBackwards = endNanos !== 0n && endNanos < startNanos;
  if (isBackwards) {
    bent["end_time_unix_nano"] = `is before the start, moved to it: ${endNanos}`;
  }
  const span = {
    ...given,
    parentSpanId: hasParent ? parentSpanId : "",
    startNanos: startNanos === 0n ? endNanos : startNanos,
    endNanos: isBackwards ? startNanos : endNanos,
  };
  return { span, bent };
}

type Body = Readonly<Record<string, unknown>>;

/** The most characters of one event's body. */
const MAX_BODY_LENGTH = 4 * 1024 * 1024;

/** Writes a body as JSON; one that is too long has its longest texts cut, and where that is not enough loses its values. */
export function writeBody(body: Body): string {
  const whole = JSON.stringify(body);
  if (whole.length <= MAX_BODY_LENGTH) {
    return whole;
  }
  for (const limit of [100_000, 10_000, 1_000]) {
    const cut = JSON.stringify(
      markBody(body, `longer than ${limit} characters are cut, of ${whole.length} in all`),
      (_name, value: unknown) => (typeof value === "string" ? boundText(value, limit) : value),
    );
    if (cut.length <= MAX_BODY_LENGTH) {
      return cut;
    }
  }
  const empty = { input: undefined, output: undefined, attributes: {}, tool_entry: undefined, usage: undefined };
  return JSON.stringify(markBody({ ...body, ...empty }, `are left out, of ${whole.length} characters in all`));
}

function markBody(body: Body, texts: string): Body {
  const attributes = Object(body["attributes"]) as Body;
  return { ...body, attributes: { ...attributes, [BENT]: { ...Object(attributes[BENT]), values: texts } } };
}
