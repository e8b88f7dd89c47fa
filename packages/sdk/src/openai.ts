/** Tracing of OpenAI's client, and of those for compatible servers. It is a separate entry point and imports nothing of `openai`. */
import { asObject } from "./capture/loose-values.ts";
import { chatCompletionCall, embeddingCall, responseCall } from "./providers/openai-calls.ts";
import { traceClient, traceDerived, traceMethod } from "./providers/provider-call.ts";

/**
 * Records every model call of a client (chat completions, responses, embeddings; streams too) with model, tokens and status, and after
 * `wrapLlmAdapter()` prompts and answers. Returns the client it was given. A stream of chat completions tells its tokens only when it
 * was asked to, with `stream_options: { include_usage: true }`.
 *
 * @example
 * const openai = wrapOpenAI(new OpenAI());
 */
export function wrapOpenAI<Client extends object>(client: Client): Client {
  return traceClient("wrapOpenAI", client, traceOpenAIClient);
}

function traceOpenAIClient(client: object): void {
  const { chat, responses, embeddings } = client as Record<string, unknown>;
  traceMethod(asObject(chat)["completions"], "create", chatCompletionCall);
  traceMethod(responses, "create", responseCall);
  traceMethod(embeddings, "create", embeddingCall);
  traceDerived(client, traceOpenAIClient);
}
