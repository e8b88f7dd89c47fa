import { toRecord, toText, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { notesUnder, type Dialect, type SpanReader } from "./dialect.ts";

const METADATA = "mastra.metadata.";
const TYPE = "mastra.span.type";

/**
 * Mastra's exporter writes GenAI's names, but what a step was given and gave under the step's own type, and of its metadata each field
 * under a name. A model call has no messages: the step around it does.
 */
export const mastra: Dialect = {
  name: "Mastra",
  canRead: ({ attributes }) => typeof attributes.get(TYPE) === "string",
  readKind: ({ attributes }) => (attributes.get(TYPE) === "workflow_step" ? "task" : undefined),
  facts: {
    messages: (span) => span.readJson(stepAround(span)?.get("mastra.model_step.input") ?? null) ?? undefined,
    answer: readAnswer,
    input: (span) => span.peek(ownName(span, "input")),
    output: (span) => span.peek(ownName(span, "output")),
    threadId: ({ attributes }) => attributes.get(`${METADATA}threadId`),
    sessionId: [`${METADATA}sessionId`],
    userId: [`${METADATA}userId`],
    tags: ["mastra.tags"],
    metadata: notesUnder(METADATA),
    firstTokenTime: ["mastra.completion_start_time"],
  },
  hides: (span) => [
    ...["input", "output"].map((side) => ownName(span, side)),
    ...(stepAround(span) === undefined ? [] : ["gen_ai.output.messages"]),
  ],
};

function ownName({ attributes }: SpanReader, side: string): string {
  return `mastra.${toText(attributes.get(TYPE)) ?? ""}.${side}`;
}

function stepAround({ attributes, parent }: SpanReader): SpanReader["attributes"] | undefined {
  return attributes.get(TYPE) === "model_inference" && parent?.attributes.has("mastra.model_step.output") === true
    ? parent.attributes
    : undefined;
}

/** A call without an answer, such as one that failed, has none: the exporter writes one of no text. */
function readAnswer(span: SpanReader): OtlpValue | undefined {
  const step = toRecord(span.readJson(stepAround(span)?.get("mastra.model_step.output") ?? null));
  const { text = "", toolCalls } = step ?? {};
  const calls = Array.isArray(toolCalls) && toolCalls.length > 0 ? { tool_calls: toolCalls as readonly OtlpValue[] } : {};
  const isSilent = text === "" && Object.keys(calls).length === 0;
  return isSilent ? undefined : [{ role: "assistant", content: text, ...calls }];
}
