import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";

const GOODBYES = ["Goodbye", "Thank you", "Kind regards"];

/** A model that follows a script: it knows two instructions, and words its answers by chance. */
class ScriptedModel extends BaseChatModel {
  override _llmType(): string {
    return "scripted";
  }

  override async _generate(messages: BaseMessage[]) {
    const text = reply(messages.at(-1)?.text ?? "");
    return { generations: [{ message: new AIMessage(text), text }] };
  }
}

function reply(prompt: string): string {
  const [instruction, given] = prompt.split(": ");
  if (instruction === "Plan") {
    return `pages about ${given}`;
  }
  return instruction === "Write" && Math.random() > 0.05
    ? `Report on ${given}. ${GOODBYES[Math.floor(Math.random() * GOODBYES.length)]}!`
    : "I can't tell.";
}

export const model = new ScriptedModel({});
