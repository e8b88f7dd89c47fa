/** Anthropic's client. ANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL for a gateway, are the client's. */
import Anthropic from "@anthropic-ai/sdk";
import { closeRedisPublisher, initializeRedisPublisher, trace, wrapLlmAdapter } from "@sightline/sdk";
import { wrapAnthropic } from "@sightline/sdk/anthropic";

await initializeRedisPublisher();
wrapLlmAdapter();
const client = wrapAnthropic(new Anthropic());

await trace({ name: "ask-anthropic", userId: "u-9" }, async () => {
  const messages = [{ role: "user" as const, content: "Hello" }];
  const { content } = await client.messages.create({ model: "claude-haiku-4-5", max_tokens: 100, messages });
  console.log(content.map((block) => (block.type === "text" ? block.text : block.type)).join(" "));
});

await closeRedisPublisher();
