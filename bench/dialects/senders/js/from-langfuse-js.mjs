import { LangfuseClient } from "@langfuse/client";
import { observeOpenAI } from "@langfuse/openai";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { getActiveTraceId, propagateAttributes, startActiveObservation } from "@langfuse/tracing";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import OpenAI from "openai";

process.env.LANGFUSE_PUBLIC_KEY = "pk-lf-any";
process.env.LANGFUSE_SECRET_KEY = process.env.SIGHTLINE_KEY;
process.env.LANGFUSE_BASE_URL = process.env.SIGHTLINE_URL;

const provider = new NodeTracerProvider({ spanProcessors: [new LangfuseSpanProcessor()] });
provider.register();
const langfuse = new LangfuseClient();
const client = observeOpenAI(new OpenAI({ apiKey: "any", baseURL: `${process.env.MODELS_URL}/v1`, maxRetries: 0 }));
const parameters = { type: "object", properties: { order: { type: "integer" } } };
const tools = [{ type: "function", function: { name: "find_order", parameters } }];

async function support(messages) {
  const asked = await client.chat.completions.create({ model: "gpt-4o", messages, tools });
  const found = await startActiveObservation(
    "find_order",
    async (step) => {
      step.update({ input: { order: 42 }, output: "order 42 was shipped" });
      return { role: "tool", tool_call_id: "call-1", content: "order 42 was shipped" };
    },
    { asType: "tool" },
  );
  const answered = await client.chat.completions.create({
    model: "gpt-4o",
    messages: [...messages, asked.choices[0].message, found],
    tools,
  });
  return answered.choices[0].message.content;
}

try {
  await propagateAttributes({ userId: "ada", sessionId: "s-1" }, () =>
    startActiveObservation(
      "support",
      async (run) => {
        run.update({ input: "Where is 42?" });
        run.update({ output: await support([{ role: "user", content: "Where is 42?" }]) });
        langfuse.score.create({ traceId: getActiveTraceId(), name: "helpful", value: 1, dataType: "BOOLEAN" });
      },
      { asType: "agent" },
    ),
  );
} finally {
  await langfuse.flush();
  await provider.shutdown();
}
