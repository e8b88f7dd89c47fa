import { setTimeout as delay } from "node:timers/promises";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, type StandardMessageStructure } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** One answer of the model, made from what was said before. */
export type Turn = (messages: readonly BaseMessage[]) => {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
};

/** Long enough to be seen in a waterfall, short enough not to annoy. */
const THINKING_MS = 150;

/** A chat model without a network: it plays its turns in order. It counts words as tokens. */
export class ScriptedModel extends BaseChatModel {
  readonly #turns: readonly Turn[];
  readonly #thinkingMs: number;
  #played = 0;

  constructor(turns: readonly Turn[], thinkingMs = THINKING_MS) {
    super({});
    this.#turns = turns;
    this.#thinkingMs = thinkingMs;
  }

  override _llmType(): string {
    return "scripted";
  }

  /** What traces show as the model's name. */
  override getLsParams(options: this["ParsedCallOptions"]) {
    return { ...super.getLsParams(options), ls_provider: "sightline", ls_model_name: "scripted-1" };
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const turn = this.#turns[this.#played];
    if (turn === undefined) {
      throw new Error("The script of the demo's model is over.");
    }
    this.#played += 1;
    await delay(this.#thinkingMs);
    const { reasoning, text, calls } = turn(messages);
    const input = countWords(messages.map((message) => message.text).join(" "));
    const output = countWords(`${reasoning} ${text}`);
    const message = new AIMessage<StandardMessageStructure>({
      content: text,
      additional_kwargs: { reasoning_content: reasoning },
      tool_calls: calls.map(({ name, arguments: args }, index) => ({
        name,
        args,
        id: `call_${this.#played}_${index}`,
        type: "tool_call" as const,
      })),
      usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
      response_metadata: { model_name: "scripted-1" },
    });
    return { generations: [{ text, message }] };
  }
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}
