import type { JsonReader } from "#otlp/attribute-reader.ts";
import { toRecord, type OtlpValue } from "#otlp/otlp-span.ts";
import { fieldsIn, type Dialect, type Named } from "./dialect.ts";

/** The attributes of input and output, and the kind, by the names of Haystack's spans. */
const SPANS: ReadonlyMap<string, { readonly input: string; readonly output: string; readonly kind?: string }> = new Map([
  ["haystack.pipeline.run", { input: "haystack.pipeline.input_data", output: "haystack.pipeline.output_data", kind: "AGENT" }],
  ["haystack.async_pipeline.run", { input: "haystack.pipeline.input_data", output: "haystack.pipeline.output_data", kind: "AGENT" }],
  ["haystack.component.run", { input: "haystack.component.input", output: "haystack.component.output" }],
  ["haystack.agent.run", { input: "haystack.agent.input", output: "haystack.agent.output", kind: "AGENT" }],
  ["haystack.agent.step.llm", { input: "haystack.agent.step.llm.input", output: "haystack.agent.step.llm.output", kind: "LLM" }],
  ["haystack.agent.step.tool", { input: "haystack.agent.step.tool.input", output: "haystack.agent.step.tool.output", kind: "TOOL" }],
]);

/** Components say by the ends of their classes' names what they are: `OpenAIChatGenerator`, `InMemoryBM25Retriever`. */
const COMPONENTS: readonly (readonly [end: RegExp, kind: string])[] = [
  [/Generator$/, "LLM"],
  [/(?:Retriever|Ranker)$/, "RETRIEVER"],
  [/Embedder$/, "EMBEDDING"],
];

/** Spans of Haystack's own tracer, of pipelines, their components, and agents. */
export function readHaystack({ name, attributes }: Named, readJson: JsonReader): Dialect | undefined {
  const known = SPANS.get(name);
  if (known === undefined) {
    return undefined;
  }
  const [component, type] = [attributes.get("haystack.component.name"), attributes.get("haystack.component.type")];
  const kind = known.kind ?? COMPONENTS.find(([end]) => typeof type === "string" && end.test(type))?.[1];
  const output = fieldsIn(attributes, known.output, readJson);
  return {
    ...(typeof component === "string" && component !== "" ? { name: component } : {}),
    said: {
      ...(kind === undefined ? { "traceloop.span.kind": "task" } : { "openinference.span.kind": kind }),
      "input.value": attributes.get(known.input),
      "output.value":
        (kind === "LLM" ? output["replies"] : kind === "RETRIEVER" ? output["documents"] : undefined) ?? attributes.get(known.output),
      "tool.name": attributes.get("haystack.tool.name"),
      ...(kind === "LLM" || kind === "EMBEDDING" ? callOf(output) : {}),
    },
    used: [known.input, known.output],
  };
}

/** Model and tokens stand in the `meta` of a chat's reply, of other generators and embedders beside the output. */
function callOf({ replies, meta }: Readonly<Record<string, OtlpValue>>): Record<string, OtlpValue | undefined> {
  const told = toRecord(firstOf(toRecord(firstOf(replies))?.["meta"] ?? meta));
  const usage = toRecord(told?.["usage"]);
  return {
    "llm.model_name": told?.["model"],
    "llm.token_count.prompt": usage?.["prompt_tokens"],
    "llm.token_count.completion": usage?.["completion_tokens"],
    "llm.token_count.prompt_details.cache_read": toRecord(usage?.["prompt_tokens_details"])?.["cached_tokens"],
    "llm.token_count.completion_details.reasoning": toRecord(usage?.["completion_tokens_details"])?.["reasoning_tokens"],
  };
}

function firstOf(value: OtlpValue | undefined): OtlpValue | undefined {
  return Array.isArray(value) ? (value as readonly OtlpValue[])[0] : value;
}
