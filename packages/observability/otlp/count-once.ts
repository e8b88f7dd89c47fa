import type { OtlpSpan } from "#otlp/wire/otlp-span.ts";
import type { SpanFacts } from "./span-facts.ts";

type Read = { readonly span: OtlpSpan; readonly facts: SpanFacts };

/**
 * Two instrumentations tell of one call when a framework's is around that of the provider's library, each with the tokens. They count at
 * the inner one, which knows them best; the outer one keeps its own as attributes. Of spans in different requests nothing is known.
 */
export function countOnce<Given extends Read>(reads: readonly Given[]): readonly Given[] {
  const around = new Set(
    reads.filter(({ facts }) => facts.call?.usage !== undefined).map(({ span }) => `${span.traceId} ${span.parentSpanId}`),
  );
  return reads.map((read) => {
    const { span, facts } = read;
    if (facts.call?.usage === undefined || !around.has(`${span.traceId} ${span.spanId}`)) {
      return read;
    }
    const { usage, ...call } = facts.call;
    return { ...read, facts: { ...facts, call: { ...call, usage: undefined }, attributes: { ...facts.attributes, ...usage.raw } } };
  });
}
