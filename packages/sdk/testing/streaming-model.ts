import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type OpenAI from "openai";

/** LangChain's way of streaming from a provider, with OpenAI's client, as the packages for providers do it. */
export class StreamingModel extends BaseChatModel {
  readonly #client: OpenAI;
  readonly #model: string;

  constructor(client: OpenAI, model: string) {
    super({});
    this.#client = client;
    this.#model = model;
  }

  override _llmType(): string {
    return "streaming";
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { choices } = await this.#client.chat.completions.create({ model: this.#model, messages: asked(messages) });
    const text = choices[0]?.message.content ?? "";
    return { generations: [{ message: new AIMessageChunk(text), text }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const { choices } of await this.#client.chat.completions.create({
      model: this.#model,
      messages: asked(messages),
      stream: true,
    })) {
      const text = choices[0]?.delta.content ?? "";
      const chunk = new ChatGenerationChunk({ message: new AIMessageChunk(text), text });
      yield chunk;
      await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function asked(messages: readonly BaseMessage[]) {
  return messages.map(({ text }) => ({ role: "user" as const, content: text }));
}
