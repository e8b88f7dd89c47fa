import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { APIError } from "openai";
import { wrapAnthropic } from "#src/anthropic.ts";
import { observe, trace, traceTool } from "#src/index.ts";
import { wrapOpenAI } from "#src/openai.ts";

/** Where the models are, by default nowhere, and how often a tool ran. */
export const world = { url: "http://127.0.0.1:9", runs: 0 };

export const openAIClient = () => new OpenAI({ apiKey: "k", baseURL: world.url, maxRetries: 0 });

const charge = (amount: number) =>
  traceTool({ name: "charge", parameters: { amount } }, () => {
    world.runs += 1;
    return { charged: amount, parts: [1.5, null] };
  });
const documents = (query: string) =>
  observe({ name: "documents", kind: "retriever", input: { query } }, function* found() {
    world.runs += 1;
    yield `${query} 1`;
    yield `${query} 2`;
  });
const refund = (amount: number) =>
  traceTool({ name: "refund", parameters: { amount } }, async () => {
    world.runs += 1;
    if (amount > 5) {
      throw new TypeError(await Promise.resolve("too much"));
    }
    return amount;
  });

/** Wrapped clients and traced functions, without a framework. */
export async function clients(name: string): Promise<unknown[]> {
  return await observe({ name }, async () => {
    const openai = wrapOpenAI(openAIClient());
    const anthropic = wrapAnthropic(new Anthropic({ apiKey: "k", baseURL: world.url, maxRetries: 0 }));
    const hi = { role: "user" as const, content: "hi" };
    const chat = await openai.chat.completions.create({ model: "m", messages: [hi] });
    const first = chat.choices[0]?.message ?? { role: "assistant" as const, content: "" };
    const said: unknown[] = [first.content, chat.usage?.prompt_tokens];
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ model: "m", messages: [hi, first], stream: true })) {
      text += (chunk.choices[0]?.delta.content ?? "") + (chunk.choices[0]?.delta.tool_calls?.[0]?.function?.name ?? "");
    }
    const response = await openai.responses.create({ model: "m", input: "hi" });
    said.push(text, response.output_text, response.status);
    said.push((await openai.responses.stream({ model: "m", input: "hi" }).finalResponse()).output_text);
    const ask = { model: "m", max_tokens: 5, messages: [hi] };
    const message = await anthropic.messages.create(ask);
    said.push(
      message.stop_reason,
      message.content.map(({ type }) => type).filter((type) => type !== "thinking"),
    );
    said.push(await anthropic.messages.stream(ask).finalText());
    said.push(await openai.chat.completions.create({ model: "failing", messages: [hi] }).catch(tellError));
    said.push(
      charge(3),
      [...documents("cats")],
      await refund(2),
      await Promise.all([refund(3), refund(3)]),
      await refund(9).catch(tellError),
    );
    return said;
  });
}

function tellError(error: unknown) {
  return [error instanceof APIError, error instanceof TypeError, error instanceof Error ? error.message : ""];
}

class Order {
  number = 7;
}

const CARD = "4111 1111 1111 1111";
/** An application's own mask, which leaves no trace in the text. */
export const mask = (payload: unknown) => (payload === CARD ? "a card" : payload);

/** An agent whose one tool returns the value. */
const returning = (value: unknown) => (name: string) =>
  trace({ name }, () =>
    String(
      traceTool({ name: "look", parameters: {} }, () => {
        world.runs += 1;
        return value;
      }),
    ),
  );

/** Two calls that nothing tells apart, at once, with other answers. */
function twins(name: string) {
  let [number, arrive] = [0, () => {}];
  const both = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const roll = () =>
    traceTool({ name: "roll", parameters: {} }, async () => {
      number += 1;
      const own = number;
      if (number === 2) {
        arrive();
      }
      await both;
      return own;
    });
  return trace({ name }, async () => await Promise.all([roll(), roll()]));
}

export function small(name: string, isMore = false) {
  return trace({ name }, async () => {
    const said: unknown[] = [charge(1)];
    if (isMore) {
      said.push(await wrapOpenAI(openAIClient()).embeddings.create({ model: "m", input: "x" }));
    }
    return said;
  });
}

export const PLAIN: Readonly<Record<string, (name: string) => unknown>> = {
  small: (name) => small(name),
  twins,
  nothing: returning(undefined),
  class: returning(new Order()),
  date: returning({ at: [new Date(0)] }),
  "own mask": returning(CARD),
};
