import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { json } from "node:stream/consumers";

export type ModelServer = { readonly url: string; readonly close: () => Promise<void> };

/** What the provider says it counted: the input holds 64 cached tokens, the output 12 of reasoning. */
const USAGE = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 64 },
  completion_tokens_details: { reasoning_tokens: 12 },
};

/**
 * Speaks OpenAI's chat protocol, streams too: asks for the tool `find_order` first, and answers once its result is there.
 */
export async function startModelServer(): Promise<ModelServer> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const toolCall = { index: 0, id: "call-1", type: "function", function: { name: "find_order", arguments: '{"order":42}' } };

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, stream } = (await json(request)) as { messages: { role: string }[]; stream?: boolean };
  const isAnswer = messages.some(({ role }) => role === "tool");
  const common = { id: "answer-1", created: 1_790_000_000, model: "m-1-2026" };
  const message = isAnswer
    ? { role: "assistant", content: "It was shipped.", reasoning_content: "The order is on its way" }
    : { role: "assistant", content: null, tool_calls: [toolCall] };
  const finish = isAnswer ? "stop" : "tool_calls";
  if (stream !== true) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ ...common, object: "chat.completion", choices, usage: USAGE }));
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  const chunks = [
    { choices: [{ index: 0, delta: message, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { choices: [], usage: USAGE },
  ];
  for (const chunk of chunks) {
    response.write(`data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", ...chunk })}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}
