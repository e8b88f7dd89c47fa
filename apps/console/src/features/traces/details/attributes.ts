/**
 * Names of attributes that mean something to machines alone, ids, hashes, places in a graph, or that repeat what is shown as input and
 * output. Traceloop puts LangGraph's behind a prefix.
 */
const TECHNICAL =
  /^(?:(?:run_id|parent_run_id|graph_hash|step|triggers|routes|tool_call_id|ns|path)$|(?:traceloop\.association\.properties\.)?(?:checkpoint|langgraph_|lc_|ls_)|(?:input|output)\.(?:value|mime_type)$|__|otel\.|telemetry\.|process\.|host\.|os\.|thread\.|code\.|openinference\.|gen_ai\.(?:operation|system|provider|task)|ai\.operationId|operation\.name|traceloop\.(?:span|entity|workflow)|resource\.name)/;

export type Attributes = Readonly<Record<string, unknown>>;

/** What an interrupted step asked of a person: `interrupts`, as the SDKs and OTLP record it. */
export function askedOfPerson({ interrupts }: Attributes): readonly unknown[] {
  return Array.isArray(interrupts)
    ? interrupts.flatMap((interrupt: unknown) =>
        typeof interrupt === "object" && interrupt !== null && "value" in interrupt ? [interrupt.value] : [],
      )
    : [];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/** Attributes in two: what people read, and the rest. */
export function splitAttributes(attributes: Attributes): { readonly human: Attributes; readonly technical: Attributes } {
  const { human = [], technical = [] } = Object.groupBy(Object.entries(attributes), ([name, value]) =>
    TECHNICAL.test(name) || isEmpty(value) || (name === "interrupts" && askedOfPerson(attributes).length > 0) ? "technical" : "human",
  );
  return { human: Object.fromEntries(human), technical: Object.fromEntries(technical) };
}
