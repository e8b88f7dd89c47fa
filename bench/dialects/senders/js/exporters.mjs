/** OpenTelemetry's own exporter, pointed at the product; what a run has begun is sent when it ends, also by an error. */
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

export const baseURL = `${process.env.MODELS_URL}/v1`;
const exporter = new OTLPTraceExporter({
  url: `${process.env.SIGHTLINE_URL}/v1/traces`,
  headers: { "x-api-key": process.env.SIGHTLINE_KEY },
});
export const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
provider.register();

export async function run(agent, flush = async () => {}) {
  try {
    await agent();
  } finally {
    await flush();
    await provider.shutdown();
  }
}

export const findOrder = async ({ order }) => `order ${order} was shipped`;
