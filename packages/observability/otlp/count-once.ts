import type { OtlpSpan } from "#otlp/wire/otlp-span.ts";
import type { SpanFacts } from "./span-facts.ts";

type Read = { readonly span: OtlpSpan; readonly facts: Pick<SpanFacts, "call" | "attributes"> };

/** The name of the span that a call with tokens stands right within. */
export function namesAround(reads: readonly Read[]): readonly string[] {
  return reads.filter(({ facts }) => facts.call?.usage !== undefined).map(({ span }) => `${span.traceId}:${span.parentSpanId}`);
}

/**
 * Two instrumentations tell of one call when a framework's is around that of the provider's library, each with the tokens. They count at
 * the inner one, which knows them best, and ends first; the outer one keeps its own as attributes.
 *
 * @param earlier names around calls of earlier requests.
 */
export function countOnce<Given extends { readonly span: OtlpSpan; readonly facts: SpanFacts }>(
  reads: readonly Given[],
  earlier: ReadonlySet<string> = new Set(),
): readonly Given[] {
  const around = new Set([...namesAround(reads), ...earlier]);
  return reads.map((read) => {
    const { span, facts } = read;
    if (facts.call?.usage === undefined || !around.has(nameOf(span))) {
      return read;
    }
    const { usage, ...call } = facts.call;
    return { ...read, facts: { ...facts, call: { ...call, usage: undefined }, attributes: { ...facts.attributes, ...usage.raw } } };
  });
}

export function nameOf({ traceId, spanId }: Pick<OtlpSpan, "traceId" | "spanId">): string {
  return `${traceId}:${spanId}`;
}
