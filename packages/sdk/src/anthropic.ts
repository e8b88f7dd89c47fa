/** Tracing of Anthropic's client. It is a separate entry point and imports nothing of `@anthropic-ai/sdk`. */
import { asObject } from "./capture/loose-values.ts";
import { messageCall } from "./providers/anthropic-calls.ts";
import { traceClient, traceDerived, traceMethod } from "./providers/provider-call.ts";

/**
 * Records every message a client creates (streams too, also by `messages.stream`) with model, tokens and status, and after
 * `wrapLlmAdapter()` prompts and answers. Returns the client it was given.
 *
 * @example
 * const anthropic = wrapAnthropic(new Anthropic());
 */
export function wrapAnthropic<Client extends object>(client: Client): Client {
  return traceClient("wrapAnthropic", client, traceAnthropicClient);
}

function traceAnthropicClient(client: object): void {
  const { messages, beta } = client as Record<string, unknown>;
  traceMethod(messages, "create", messageCall);
  traceMethod(asObject(beta)["messages"], "create", messageCall);
  traceDerived(client, traceAnthropicClient);
}
