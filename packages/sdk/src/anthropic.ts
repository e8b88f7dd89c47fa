/** Tracing of Anthropic's client. A door of its own; it imports nothing of `@anthropic-ai/sdk`. */
import { messageCall } from "./providers/anthropic-calls.ts";
import { traceDerived, traceMethod } from "./providers/provider-call.ts";
import { values } from "./providers/provider-values.ts";
import { isSwitchedOff } from "./settings/settings.ts";

/**
 * Records every message a client creates (streams too, also by `messages.stream`) with model, tokens and status, and after
 * `wrapLlmAdapter()` prompts and answers. Returns the client it was given.
 *
 * @example
 * const anthropic = wrapAnthropic(new Anthropic());
 */
export function wrapAnthropic<Client extends object>(client: Client): Client {
  if (!isSwitchedOff()) {
    trace(client);
  }
  return client;
}

function trace(client: object): void {
  const { messages, beta } = client as Record<string, unknown>;
  traceMethod(messages, "create", messageCall);
  traceMethod(values(beta)["messages"], "create", messageCall);
  traceDerived(client, trace);
}
