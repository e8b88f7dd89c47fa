import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core";
import { createTool } from "@mastra/core/tools";
import { Observability } from "@mastra/observability";
import { OtelExporter } from "@mastra/otel-exporter";
import { z } from "zod";

const custom = {
  endpoint: `${process.env.SIGHTLINE_URL}/v1/traces`,
  protocol: "http/protobuf",
  headers: { "x-api-key": process.env.SIGHTLINE_KEY },
};
const exporters = [new OtelExporter({ provider: { custom } })];
const find = createTool({
  id: "find_order",
  description: "Finds an order.",
  inputSchema: z.object({ order: z.number() }),
  execute: async ({ order }) => `order ${order} was shipped`,
});
const model = createOpenAI({ apiKey: "any", baseURL: `${process.env.MODELS_URL}/v1` }).chat("gpt-4o");
const agent = new Agent({ id: "support", name: "support", instructions: "You help.", model, tools: { find_order: find }, maxRetries: 0 });
const observability = new Observability({ configs: { otel: { serviceName: "shop", exporters } } });
const mastra = new Mastra({ agents: { support: agent }, observability, logger: false });
try {
  await mastra.getAgent("support").generate("Where is 42?", { tracingOptions: { metadata: { userId: "ada", sessionId: "s-1" } } });
} finally {
  await observability.shutdown();
}
