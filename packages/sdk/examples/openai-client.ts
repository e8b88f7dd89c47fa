/** OpenAI's client, whole answers and streams. OPENAI_API_KEY, and OPENAI_BASE_URL for compatible servers, are the client's. */
import OpenAI from "openai";
import { closeRedisPublisher, initializeRedisPublisher, trace, wrapLlmAdapter } from "@sightline/sdk";
import { wrapOpenAI } from "@sightline/sdk/openai";

await initializeRedisPublisher();
wrapLlmAdapter();
const client = wrapOpenAI(new OpenAI());
const ask = (content: string) => ({ model: "gpt-5", messages: [{ role: "user" as const, content }] });

await trace({ name: "ask-openai", sessionId: "s-1" }, async () => {
  const whole = await client.chat.completions.create(ask("Hello"));
  console.log(whole.choices[0]?.message.content);
  // A stream tells its tokens only when it is asked to.
  const streamed = { ...ask("Hello again"), stream: true as const, stream_options: { include_usage: true } };
  let text = "";
  for await (const { choices } of await client.chat.completions.create(streamed)) {
    text += choices[0]?.delta.content ?? "";
  }
  console.log(text);
});

await closeRedisPublisher();
