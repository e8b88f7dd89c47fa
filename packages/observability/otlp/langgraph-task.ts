import type { OtlpAttributes, OtlpSpan, OtlpValue } from "./otlp-span.ts";

/** Which task of a LangGraph run a span is: the same task again is the run after an interrupt. */
export type LangGraphTask = { readonly node: string; readonly task: string; readonly step: number; readonly triggers: readonly string[] };

/** Traceloop writes the metadata of LangChain's callbacks as attributes, OpenInference as the JSON of one. */
const OF_TRACELOOP = "traceloop.association.properties.";
const MAX_LENGTH = 4_000;

/** Undefined also for what runs within a node, which has that node's metadata too. */
export function readLangGraphTask(
  { name, attributes }: Pick<OtlpSpan, "name" | "attributes">,
  metadata: Readonly<Record<string, OtlpValue>>,
): LangGraphTask | undefined {
  const [node, task, step, triggers] = ["langgraph_node", "langgraph_checkpoint_ns", "langgraph_step", "langgraph_triggers"].map(
    (field) => metadata[field] ?? attributes.get(`${OF_TRACELOOP}${field}`),
  );
  if (typeof node !== "string" || node !== nameOfTask(name, attributes) || typeof task !== "string" || !Number.isSafeInteger(step)) {
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

function nameOfTask(name: string, attributes: OtlpAttributes): OtlpValue | undefined {
  return attributes.get("openinference.span.kind") === "CHAIN" ? name : attributes.get("gen_ai.task.name");
}
