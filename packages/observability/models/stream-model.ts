import { jsonSchema, streamText } from "ai";
import type { PlaygroundEvent, PlaygroundRequest } from "#contract.ts";
import type { ModelCall, ModelUsage } from "./ask-model.ts";
import { readUsage, toModel } from "./call-model.ts";
import { describeFailure, type ModelFailure } from "./describe-failure.ts";

type Streaming = Pick<ModelCall<unknown>, "signal" | "now" | "open"> & { readonly asked: PlaygroundRequest };
export type CallEnd = { readonly usage?: ModelUsage | undefined; readonly failure?: ModelFailure };
type Part = Exclude<PlaygroundEvent, { type: "end" }> | (CallEnd & { readonly type: "end" });

/** Asks a model for an answer that is given as it comes, and ends with what became of it; tools are called by nobody. To be loaded late, as `askModel` does. */
export async function* streamModel({ open, asked, signal, now }: Streaming): AsyncGenerator<Part> {
  try {
    const { stream } = streamText({
      model: toModel(open()),
      messages: asked.messages,
      allowSystemInMessages: true,
      tools: Object.fromEntries(
        asked.tools.map(({ name, description, parameters }) => [name, { description, inputSchema: jsonSchema(parameters) }]),
      ),
      ...(asked.temperature === null ? {} : { temperature: asked.temperature }),
      maxOutputTokens: asked.max_tokens,
      maxRetries: 0,
      abortSignal: signal,
      // It would write to the console what is told here.
      onError: () => undefined,
    });
    for await (const part of stream) {
      if (part.type === "text-delta") {
        yield { type: "text", text: part.text };
      } else if (part.type === "tool-call") {
        yield { type: "tool-call", toolCallId: part.toolCallId, toolName: part.toolName, input: part.input };
      } else if (part.type === "error") {
        throw part.error;
      } else if (part.type === "finish") {
        yield { type: "end", usage: readUsage(part.totalUsage) };
      }
    }
  } catch (error) {
    yield { type: "end", failure: describeFailure(error, now().getTime()) };
  }
}
