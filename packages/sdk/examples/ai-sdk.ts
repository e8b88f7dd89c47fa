/** The AI SDK: its operations, steps, model calls and tools. LOCAL_BASE_URL is any server that speaks as OpenAI's does. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
import { traceAiSdk } from "@sightline/sdk/ai-sdk";
import { generateText } from "ai";

await initializeRedisPublisher();
wrapLlmAdapter();
traceAiSdk();

const local = createOpenAICompatible({ name: "local", baseURL: process.env["LOCAL_BASE_URL"] ?? "http://127.0.0.1:11434/v1" });
const { text } = await generateText({ model: local("small"), prompt: "Hello" });
console.log(text);

await closeRedisPublisher();
