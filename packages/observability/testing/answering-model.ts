import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { z } from "zod";

const answerSchema = z.object({
  /** What the prompt has to hold; the first answer that fits is given. */
  contains: z.string().default(""),
  status: z.int().default(200),
  headers: z.record(z.string(), z.string()).default({}),
  /** What the model says: an object is said as its JSON. */
  says: z.unknown().default(""),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }).nullable().default({ prompt_tokens: 100, completion_tokens: 20 }),
  delay_ms: z.int().default(0),
  /** Breaks the connection off. */
  drops: z.boolean().default(false),
});
export const scriptedAnswersSchema = z.array(answerSchema);
export type ScriptedAnswer = z.input<typeof answerSchema>;
export type AnsweringModel = {
  readonly url: string;
  /** Bodies of the requests, as they came. */
  readonly asked: readonly string[];
  readonly close: () => Promise<void>;
};

/** Speaks OpenAI's chat protocol, and answers from a list, which may be a file, or as it is told for each prompt. */
export async function startAnsweringModel(
  answers: readonly ScriptedAnswer[] | ((prompt: string) => ScriptedAnswer | Promise<ScriptedAnswer>),
  port = 0,
): Promise<AnsweringModel> {
  const asked: string[] = [];
  const choose =
    typeof answers === "function" ? answers : (prompt: string) => answers.find(({ contains = "" }) => prompt.includes(contains));
  const server = createServer((request, response) => void answer(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    asked.push(body);
    const { messages, model } = z
      .object({ model: z.string(), messages: z.array(z.object({ content: z.unknown() })) })
      .parse(JSON.parse(body));
    const prompt = messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
    const given = answerSchema.parse((await choose(prompt)) ?? { status: 404, says: "no answer is scripted for this prompt" });
    await pause(given.delay_ms);
    if (given.drops) {
      response.destroy();
      return;
    }
    const said = typeof given.says === "string" ? given.says : JSON.stringify(given.says);
    const told =
      given.status === 200
        ? {
            id: "answer-1",
            created: 1_790_000_000,
            object: "chat.completion",
            model,
            choices: [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }],
            ...(given.usage === null ? {} : { usage: given.usage }),
          }
        : { error: { message: said, type: "scripted" } };
    response.writeHead(given.status, { "content-type": "application/json", ...given.headers }).end(JSON.stringify(told));
  }
}
