import { expect, test } from "vitest";
import type { OtlpSpan, OtlpValue } from "#otlp/wire/otlp-span.ts";
import { readSpans } from "./read-spans.ts";
import { toSpanEvents } from "./span-events.ts";

const CHAT = { "openinference.span.kind": "LLM", "llm.model_name": "m-1", "llm.token_count.prompt": 30, "llm.token_count.completion": 7 };
const [FRAMEWORK, TOOL, LIBRARY] = ["000000000000000a", "000000000000000b", "000000000000000c"];

test("the tokens of a call that a framework and the provider's library both tell of count once, at the library's", () => {
  const ends = endsOf([span(FRAMEWORK, "", CHAT), span(LIBRARY, FRAMEWORK, { ...CHAT, "llm.token_count.prompt_details.cache_read": 10 })]);
  expect(ends).toMatchObject([{ model: "m-1" }, { model: "m-1", usage: { input_tokens: 30, output_tokens: 7, cache_read_tokens: 10 } }]);
  expect(ends[0]).not.toHaveProperty("usage");
  expect(startsOf([span(FRAMEWORK, "", CHAT), span(LIBRARY, FRAMEWORK, CHAT)])[0]).toMatchObject({
    attributes: { "llm.token_count.prompt": 30, "llm.token_count.completion": 7 },
  });
});

test("a call counts where the one within tells no tokens, and where a tool stands between", () => {
  const { "llm.token_count.prompt": _prompt, "llm.token_count.completion": _completion, ...silent } = CHAT;
  expect(endsOf([span(FRAMEWORK, "", CHAT), span(LIBRARY, FRAMEWORK, silent)])[0]).toMatchObject({ usage: { input_tokens: 30 } });
  const called = [span(FRAMEWORK, "", CHAT), span(TOOL, FRAMEWORK, { "openinference.span.kind": "TOOL" }), span(LIBRARY, TOOL, CHAT)];
  expect(endsOf(called)).toMatchObject([{ usage: { input_tokens: 30 } }, {}, { usage: { input_tokens: 30 } }]);
});

function endsOf(spans: readonly OtlpSpan[]): readonly object[] {
  return bodiesOf(spans, "observation.end");
}

function startsOf(spans: readonly OtlpSpan[]): readonly object[] {
  return bodiesOf(spans, "observation.start");
}

function bodiesOf(spans: readonly OtlpSpan[], wanted: string): readonly object[] {
  const events = toSpanEvents("project", readSpans([{ resource: new Map(), scope: { name: "", version: "" }, spans }]));
  return events.filter(({ type }) => type === wanted).map(({ body }) => JSON.parse(body) as object);
}

function span(spanId: string, parentSpanId: string, attributes: Readonly<Record<string, OtlpValue>>): OtlpSpan {
  const startNanos = 1_795_000_000_000_000_000n + BigInt(`0x${spanId}`);
  return {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId,
    parentSpanId,
    name: "call",
    flags: 0,
    startNanos,
    endNanos: startNanos + 1_000_000n,
    attributes: new Map(Object.entries(attributes)),
    events: [],
    links: [],
    status: { code: 0, message: "" },
  };
}
