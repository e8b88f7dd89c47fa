/**
 * OpenTelemetry alone, without the SDK. Where spans go and with which key are the exporter's own variables:
 * OTEL_EXPORTER_OTLP_ENDPOINT (the address of observability) and OTEL_EXPORTER_OTLP_HEADERS (`x-api-key=…`).
 */
import { context, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";

const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
const tracer = provider.getTracer("example");

const agent = tracer.startSpan("ask", { attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "t-1" } });
const model = tracer.startSpan(
  "chat gpt-5",
  { attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5" } },
  trace.setSpan(context.active(), agent),
);
model.setAttributes({ "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 1 });
model.end();
agent.end();

await provider.shutdown();
