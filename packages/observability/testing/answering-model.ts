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
  /** The whole body instead. */
  raw: z.string().optional(),
  usage: z
    .object({ prompt_tokens: z.number(), completion_tokens: z.number() })
    .nullable()
    .default({ prompt_tokens: 100, completion_tokens: 20 }),
  delay_ms: z.int().default(0),
  /** Breaks the connection off. */
  drops: z.boolean().default(false),
  /** Of an answer that streams: the tool that it calls at its end. */
  calls: z.object({ name: z.string(), arguments: z.unknown() }).optional(),
  /** Of an answer that streams: what is waited for after each word. */
  pace: z.custom<() => Promise<void>>((value) => typeof value === "function").optional(),
});
type Answer = z.output<typeof answerSchema>;
export const scriptedAnswersSchema = z.array(answerSchema);
export type ScriptedAnswer = z.input<typeof answerSchema>;
export type AnsweringModel = {
  readonly url: string;
  /** Bodies of the requests, as they came. */
  readonly asked: readonly string[];
  readonly close: () => Promise<void>;
};

/** Speaks OpenAI's chat protocol, and Anthropic's where it is asked at `/messages`; answers from a list, which may be a file, or as it is told for each prompt. */
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
    const isAnthropic = request.url?.endsWith("/messages") === true;
    const { messages, model, stream, system, tools } = requestSchema.parse(JSON.parse(body));
    const parts = [...(system === undefined ? [] : [system]), ...messages.map(({ content }) => content)];
    const prompt = parts.map((content) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
    const given = answerSchema.parse((await choose(prompt)) ?? { status: 404, says: "no answer is scripted for this prompt" });
    await pause(given.delay_ms);
    if (given.drops) {
      response.destroy();
      return;
    }
    const said = typeof given.says === "string" ? given.says : JSON.stringify(given.says);
    if (stream && given.status === 200) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const chunk of streamChunks(model, said, given)) {
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
        await given.pace?.();
      }
      response.end("data: [DONE]\n\n");
      return;
    }
    const error = { type: "error", error: { message: said, type: "scripted" } };
    const whole = isAnthropic
      ? sayAsAnthropic(
          model,
          given,
          tools.some(({ name }) => name === "json"),
        )
      : sayAsOpenAi(model, said, given.usage);
    const told = given.raw ?? JSON.stringify(given.status === 200 ? whole : error);
    response.writeHead(given.status, { "content-type": "application/json", ...given.headers }).end(told);
  }
}

const requestSchema = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.object({ content: z.unknown() })),
  system: z.unknown().optional(),
  tools: z.array(z.object({ name: z.string().optional() })).default([]),
});

function sayAsOpenAi(model: string, said: string, usage: Answer["usage"]) {
  const choices = [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }];
  return { id: "answer-1", created: 1_790_000_000, object: "chat.completion", model, choices, ...(usage === null ? {} : { usage }) };
}

/** Models that know no structured output are given a tool to answer with; without its usage such an answer is none. */
function sayAsAnthropic(model: string, { says, usage }: Answer, hasTool: boolean) {
  const content =
    hasTool && typeof says !== "string"
      ? { type: "tool_use", id: "tool-1", name: "json", input: says }
      : { type: "text", text: typeof says === "string" ? says : JSON.stringify(says) };
  return {
    id: "answer-1",
    type: "message",
    role: "assistant",
    model,
    content: [content],
    stop_reason: content.type === "tool_use" ? "tool_use" : "end_turn",
    stop_sequence: null,
    ...(usage === null ? {} : { usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens } }),
  };
}

/** An answer word by word, as OpenAI's servers stream it. */
function streamChunks(model: string, said: string, { calls, usage }: Answer): readonly object[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "answer-1",
    created: 1_790_000_000,
    object: "chat.completion.chunk",
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const words = said.split(/(?<= )/).map((content) => chunk({ role: "assistant", content }));
  const called = calls && {
    index: 0,
    id: "call-1",
    type: "function",
    function: { name: calls.name, arguments: JSON.stringify(calls.arguments) },
  };
  return [
    ...words,
    ...(called === undefined ? [] : [chunk({ tool_calls: [called] })]),
    chunk({}, called === undefined ? "stop" : "tool_calls"),
    ...(usage === null
      ? []
      : [{ ...chunk({}), choices: [], usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } }]),
  ];
}
