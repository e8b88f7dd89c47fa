/** `node replay.ts` records an agent's trace and prints its id; `node replay.ts <id>` runs it again without a network, from what was recorded. */
import OpenAI from "openai";
import { closeRedisPublisher, currentTrace, initializeRedisPublisher, trace, traceTool, wrapLlmAdapter } from "@sightline/sdk";
import { replay } from "@sightline/sdk/evaluate";
import { wrapOpenAI } from "@sightline/sdk/openai";

await initializeRedisPublisher();
wrapLlmAdapter();
const client = wrapOpenAI(new OpenAI());

async function answer(question: string) {
  const stock = await traceTool({ name: "find_stock", parameters: { question } }, async () => ({ mugs: 3 }));
  const content = `${question} In stock: ${JSON.stringify(stock)}`;
  const { choices } = await client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content }] });
  return choices[0]?.message.content;
}

const [traceId] = process.argv.slice(2);
if (traceId === undefined) {
  const input = "How many mugs are there?";
  await trace({ name: "shop", input }, async () => {
    console.log(currentTrace()?.traceId);
    return await answer(input);
  });
} else {
  const result = await replay(traceId, answer);
  console.log(result.summary);
}

await closeRedisPublisher();
