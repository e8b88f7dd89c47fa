import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";
import { baseURL, findOrder, run } from "./exporters.mjs";

const model = createOpenAI({ apiKey: "any", baseURL }).chat("gpt-4o");
const tools = { find_order: tool({ description: "Finds an order.", inputSchema: z.object({ order: z.number() }), execute: findOrder }) };
const telemetry = { isEnabled: true, functionId: "support", metadata: { userId: "ada", sessionId: "s-1" } };
await run(() =>
  generateText({ model, tools, prompt: "Where is 42?", stopWhen: stepCountIs(3), maxRetries: 0, experimental_telemetry: telemetry }),
);
