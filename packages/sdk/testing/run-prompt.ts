import { closeRedisPublisher, getPrompt, initializeRedisPublisher, observe } from "../src/index.ts";

// Calls a model with a prompt of the platform, and says what it was.
await initializeRedisPublisher();
const prompt = await getPrompt(process.argv[2] ?? "", { fallback: "away" });
const text = prompt.compile({ name: "Ada" });
observe({ name: "answer", kind: "llm", input: [{ role: "system", content: text }] }, () => undefined);
await closeRedisPublisher();
console.log(JSON.stringify({ source: prompt.source, version: prompt.version, text }));
