import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** A chat model that answers from a script, in order, so that an agent runs the same way every time. */
export class ScriptedModel extends BaseChatModel {
  readonly #script: AIMessage[];

  constructor(script: readonly AIMessage[]) {
    super({});
    this.#script = [...script];
  }

  override _llmType(): string {
    return "scripted";
  }

  override getLsParams() {
    return { ls_model_type: "chat" as const, ls_model_name: "scripted-1" };
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(_messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.#script.shift();
    if (message === undefined) {
      throw new Error("The script is over.");
    }
    return { generations: [{ message, text: message.text }] };
  }
}
