import { createOpenAI } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";
import { baseURL, findOrder, run } from "./exporters.mjs";

registerTelemetry(new OpenTelemetry({ runtimeContext: true, usage: true }));
const model = createOpenAI({ apiKey: "any", baseURL }).chat("gpt-4o");
const tools = { find_order: tool({ description: "Finds an order.", inputSchema: z.object({ order: z.number() }), execute: findOrder }) };
const runtimeContext = { userId: "ada", sessionId: "s-1" };
const telemetry = { functionId: "support", includeRuntimeContext: { userId: true, sessionId: true } };
await run(() => generateText({ model, tools, prompt: "Where is 42?", stopWhen: isStepCount(3), maxRetries: 0, runtimeContext, telemetry }));
