import type { JsonReader } from "#otlp/attribute-reader.ts";
import type { OtlpAttributes, OtlpValue } from "#otlp/otlp-span.ts";
import { fieldsIn, type Dialect, type Named } from "./dialect.ts";

const METADATA = "mastra.metadata.";

/**
 * Mastra's exporter writes GenAI's names, but what a step was given and gave under the step's own type, and of its metadata each field
 * under a name. A model call has no messages: the step around it does.
 */
export function readMastra({ attributes }: Named, parent: Named | undefined, readJson: JsonReader): Dialect | undefined {
  const type = attributes.get("mastra.span.type");
  if (typeof type !== "string") {
    return undefined;
  }
  const step = type === "model_inference" && parent?.attributes.has("mastra.model_step.output") === true ? parent.attributes : undefined;
  const [input, output] = [`mastra.${type}.input`, `mastra.${type}.output`];
  return {
    said: {
      "input.value": attributes.get(input),
      "output.value": attributes.get(output),
      "user.id": attributes.get(`${METADATA}userId`),
      "session.id": attributes.get(`${METADATA}sessionId`),
      "tag.tags": attributes.get("mastra.tags"),
      "langfuse.observation.completion_start_time": attributes.get("mastra.completion_start_time"),
      ...(step === undefined ? {} : messagesOf(step, readJson)),
      ...(type === "workflow_step" ? { "traceloop.span.kind": "task" } : {}),
    },
    used: [
      ...(step === undefined ? [] : ["gen_ai.output.messages"]),
      input,
      output,
      `${METADATA}userId`,
      `${METADATA}sessionId`,
      "mastra.tags",
      "mastra.completion_start_time",
    ],
  };
}

/** A call without an answer, such as one that failed, has none: the exporter writes one of no text. */
function messagesOf(step: OtlpAttributes, readJson: JsonReader): Record<string, OtlpValue | undefined> {
  const { text = "", toolCalls } = fieldsIn(step, "mastra.model_step.output", readJson);
  const calls = Array.isArray(toolCalls) && toolCalls.length > 0 ? { tool_calls: toolCalls as readonly OtlpValue[] } : {};
  const isSilent = text === "" && Object.keys(calls).length === 0;
  return {
    "gen_ai.input.messages": step.get("mastra.model_step.input"),
    ...(isSilent ? {} : { "gen_ai.output.messages": [{ role: "assistant", content: text, ...calls }] }),
  };
}
