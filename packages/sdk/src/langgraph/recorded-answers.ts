import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { StructuredTool } from "@langchain/core/tools";
import { asList, asObject, type Values } from "../capture/loose-values.ts";
import { sdkState } from "../client/sdk-state.ts";
import type { RecordedAnswer } from "../client/replays.ts";
import { findRun } from "./run-records.ts";

type Method = (...inputs: unknown[]) => unknown;

const CHANGED = Symbol.for("@sightline/sdk answers");

/**
 * Lets a replay answer chat models and tools of LangChain. Callbacks can't answer, so their base classes are changed, once; without a replay under
 * way they go on as before.
 */
export function answerFrameworkCalls(): void {
  if (CHANGED in BaseChatModel.prototype) {
    return;
  }
  Object.defineProperty(BaseChatModel.prototype, CHANGED, { value: true });
  standInFor(BaseChatModel.prototype, "_generateUncached", (model) => ({
    _generate: generateOrAnswer(model),
    _streamResponseChunks: methodOf(BaseChatModel.prototype, "_streamResponseChunks"),
    _streamChatModelEvents: methodOf(BaseChatModel.prototype, "_streamChatModelEvents"),
  }));
  const stream = methodOf(BaseChatModel.prototype, "_streamIterator");
  const streamOrAnswer = async function* chunks(this: BaseChatModel, ...inputs: Parameters<BaseChatModel["invoke"]>) {
    if (sdkState.replay.getStore() === undefined) {
      yield* Reflect.apply(stream, this, inputs) as AsyncIterable<unknown>;
    } else {
      yield new AIMessageChunk(fieldsOf((await this.invoke(...inputs)) as unknown as Values));
    }
  };
  Object.defineProperty(BaseChatModel.prototype, "_streamIterator", { value: streamOrAnswer, configurable: true, writable: true });
  standInFor(StructuredTool.prototype, "call", (tool) => ({ _call: callOrAnswer(tool) }));
}

function generateOrAnswer(model: object): Method {
  const generate = methodOf(model, "_generate");
  return async (...inputs): Promise<unknown> => {
    const answer = answerOfRun(inputs[2], "llm");
    return answer === undefined ? Reflect.apply(generate, model, inputs) : resultOf(answer);
  };
}

function callOrAnswer(tool: object): Method {
  const run = methodOf(tool, "_call");
  return async (...inputs): Promise<unknown> => {
    const name = String(Reflect.get(tool, "name"));
    const answer = answerOfRun(inputs[1], `tool ${name}`);
    if (answer === undefined) {
      return Reflect.apply(run, tool, inputs);
    }
    const value = answer.value();
    const id = answer.failed_call_id;
    // The tool may have told of its failure in a message of its own.
    const given = id === null ? value : new ToolMessage({ content: value as string, name, status: "error", tool_call_id: id });
    return Reflect.get(tool, "responseFormat") === "content_and_artifact" ? [given, undefined] : given;
  };
}

function answerOfRun(runManager: unknown, label: string): RecordedAnswer | undefined {
  const runId: unknown = asObject(runManager)["runId"];
  const run = typeof runId === "string" ? findRun(runId) : undefined;
  return sdkState.replay.getStore()?.answer(run?.observation?.observationId, label);
}

function resultOf(answer: RecordedAnswer): ChatResult {
  const messages = asList(answer.value()).map((plain) => new AIMessage(fieldsOf(asObject(plain))));
  return { generations: messages.map((message) => ({ message, text: message.text })) };
}

const FIELDS = ["content", "tool_calls", "invalid_tool_calls", "id", "name", "usage_metadata", "response_metadata", "additional_kwargs"];

function fieldsOf(message: Values): ConstructorParameters<typeof AIMessage>[0] & object {
  const kept = FIELDS.flatMap((name) => (message[name] === undefined ? [] : [[name, message[name]]]));
  return Object.fromEntries(kept) as ConstructorParameters<typeof AIMessage>[0] & object;
}

/** Has a method run, while a replay is under way, as one of an object that differs from its own in some methods. */
function standInFor(prototype: object, name: string, replaced: (own: object) => Readonly<Record<string, Method>>): void {
  const original = methodOf(prototype, name);
  const value = function (this: object, ...inputs: unknown[]): unknown {
    return Reflect.apply(original, sdkState.replay.getStore() === undefined ? this : standIn(this, replaced(this)), inputs);
  };
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
}

function standIn(own: object, replaced: Readonly<Record<string, Method>>): object {
  return new Proxy(own, {
    get: (_own, key) => {
      const other = typeof key === "string" ? replaced[key] : undefined;
      const found: unknown = other ?? Reflect.get(own, key, own);
      // Private fields are the object's own, not the proxy's.
      return other === undefined && typeof found === "function" ? (found.bind(own) as unknown) : found;
    },
  });
}

function methodOf(owner: object, name: string): Method {
  const found: unknown = Reflect.get(owner, name);
  return typeof found === "function" ? (found as Method) : () => undefined;
}
