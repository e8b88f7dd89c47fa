import type { Span } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Library, Message } from "./library.ts";

/**
 * OpenTelemetry's SDK for Node with its batch processor and OTLP in protobuf, as people run it: a call is the active span while it runs,
 * as `observe` makes it, and has the attributes of GenAI, whose values must be text.
 */
export function open(sink: string): Promise<Library> {
  const { tracer, close } = startTracer(sink);
  return Promise.resolve({
    trace: (work) =>
      tracer.startActiveSpan("bench", (span) => {
        const result = work();
        void Promise.resolve(result).finally(() => span.end());
        return result;
      }),
    call: (messages, answer) => tracer.startActiveSpan("answer", (span) => describe(span, messages, answer)),
    close,
  });
}

export function startTracer(sink: string) {
  const provider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${sink}/v1/traces` }))],
  });
  provider.register();
  return { tracer: provider.getTracer("bench"), close: () => provider.shutdown() };
}

export function describe(span: Span, messages: readonly Message[], answer: string): void {
  span.setAttribute("gen_ai.request.model", "m-1");
  span.setAttribute("gen_ai.input.messages", JSON.stringify(messages));
  span.setAttribute("gen_ai.output.messages", JSON.stringify([{ role: "assistant", content: answer }]));
  span.end();
}
