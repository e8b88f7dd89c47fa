import type { OtlpValue } from "#otlp/wire/otlp-span.ts";
import { withPrefix, type Dialect, type GraphTask, type SpanReader } from "./dialect.ts";
import { fieldOfMetadata } from "./langchain.ts";

const MAX_LENGTH = 4_000;

/** LangGraph tells LangChain's callbacks which node a run belongs to; the node's own run bears the node's name. */
export const langGraph: Dialect = {
  name: "LangGraph",
  canRead: withPrefix("metadata", "traceloop"),
  kinds: { "langgraph.node": "node" },
  readKind: (span) => (isChain(span) && fieldOfMetadata(span, "langgraph_node") === span.name ? "langgraph.node" : undefined),
  readTask,
};

/** Undefined also for what runs within a node, which has that node's metadata too. */
function readTask(span: SpanReader): GraphTask | undefined {
  const [node, task, step, triggers] = ["node", "checkpoint_ns", "step", "triggers"].map((field) => readField(span, `langgraph_${field}`));
  const name = isChain(span) ? span.name : span.attributes.get("gen_ai.task.name");
  if (typeof node !== "string" || node !== name || typeof task !== "string" || !Number.isSafeInteger(step)) {
    return undefined;
  }
  return {
    node,
    task: task.slice(0, MAX_LENGTH),
    step: Number(step),
    triggers: Array.isArray(triggers)
      ? triggers.filter((trigger) => typeof trigger === "string").map((text) => text.slice(0, MAX_LENGTH))
      : [],
  };
}

/** Traceloop writes the metadata as attributes. */
function readField(span: SpanReader, field: string): OtlpValue | undefined {
  return fieldOfMetadata(span, field) ?? span.attributes.get(`traceloop.association.properties.${field}`);
}

function isChain({ attributes }: SpanReader): boolean {
  return attributes.get("openinference.span.kind") === "CHAIN";
}
