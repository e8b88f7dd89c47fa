import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbackManager from "@langchain/core/callbacks/manager";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { baseURL, findOrder, provider, run } from "./exporters.mjs";

new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbackManager);
const model = new ChatOpenAI({ model: "gpt-4o", apiKey: "any", configuration: { baseURL }, maxRetries: 0 });
const find = tool(findOrder, { name: "find_order", description: "Finds an order.", schema: z.object({ order: z.number() }) });
const agent = createAgent({ model, tools: [find], systemPrompt: "You help.", name: "support" });
await run(() =>
  agent.invoke(
    { messages: [{ role: "user", content: "Where is 42?" }] },
    { runName: "support", metadata: { session_id: "s-1", user_id: "ada" } },
  ),
);
