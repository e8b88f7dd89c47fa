import { expect, test } from "vitest";
import type { OtlpValue } from "#otlp/wire/otlp-span.ts";
import { readSpanFacts } from "./span-facts.ts";

test.each([
  [
    { "gen_ai.prompt.name": "greeting", "gen_ai.prompt.version": "7" },
    { name: "greeting", version: "7" },
  ],
  [{ "gen_ai.prompt.name": "greeting" }, { name: "greeting" }],
  [
    { "langfuse.observation.prompt.name": "support/greeting", "langfuse.observation.prompt.version": 7 },
    { name: "support/greeting", version: "7" },
  ],
  [
    { "traceloop.prompt.key": "greeting", "traceloop.prompt.version": 2 },
    { name: "greeting", version: "2" },
  ],
  [{ "gen_ai.prompt.version": "7" }, undefined],
])("the prompt that a model call names: %j", (attributes, prompt) => {
  const facts = factsOf("chat", { "gen_ai.operation.name": "chat", "langfuse.observation.type": "generation", ...attributes });
  expect(facts).toMatchObject({ kind: "llm", prompt });
  // They are no messages, as Traceloop's attributes of the same prefix are.
  expect(facts.input).toBeUndefined();
  expect(factsOf("work", attributes).prompt).toBeUndefined();
});

function factsOf(name: string, attributes: Readonly<Record<string, OtlpValue>>) {
  return readSpanFacts({ name, attributes: new Map(Object.entries(attributes)), startNanos: 0n, endNanos: 1n, events: [] });
}
