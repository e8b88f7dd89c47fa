/** Tracing of Vercel's AI SDK 7. It is a separate entry point and imports nothing of `ai`. */
import { tracingChannel } from "node:diagnostics_channel";
import { dirname } from "node:path";
import { asObject, quietly, type Values } from "./capture/loose-values.ts";
import { warnOfOldVersion } from "./providers/ai-sdk-version.ts";
import { endOf, modelCallEnd, startOf } from "./providers/ai-sdk-events.ts";
import { failedOutcome, openCall, type OpenCall } from "./providers/open-call.ts";
import { type ActiveSpan, currentSpan, sdkState } from "./client/sdk-state.ts";
import { isSwitchedOff } from "./settings/settings.ts";

type Message = { readonly type?: unknown; readonly event?: unknown; readonly error?: unknown; readonly result?: unknown };
type Integrations = { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] };

const CHANNEL = "ai:telemetry";
const ATTACHED = Symbol.for("@sightline/sdk ai-sdk");
const MAX_STREAMS = 10_000;

/**
 * Records every operation of the AI SDK in this process (`generateText`, `streamText`, embeddings, …) with its model calls and tools,
 * and after `wrapLlmAdapter()` prompts and answers. An older version is named in a warning. Call it once, before the first operation. Operations with
 * `telemetry: { isEnabled: false }` stay out. The tokens of streams come by a telemetry integration that this registers; a call with
 * integrations of its own (`telemetry: { integrations }`) has streams without tokens.
 *
 * @example
 * traceAiSdk();
 * const { text } = await generateText({ model, prompt });
 */
export function traceAiSdk(): void {
  if (isSwitchedOff() || Reflect.get(globalThis, ATTACHED) === true) {
    return;
  }
  Object.defineProperty(globalThis, ATTACHED, { value: true });
  quietly(() => warnOfOldVersion([dirname(process.argv[1] ?? ""), process.cwd()]));
  const channel = tracingChannel<ActiveSpan | undefined, Message>(CHANNEL);
  const calls = createChannelCalls();
  channel.start.bindStore(sdkState.spans, calls.open);
  // A channel without subscribers to all of its events is taken for unused by some versions of Node.
  channel.subscribe({
    start: () => undefined,
    end: () => undefined,
    asyncStart: () => undefined,
    error: () => undefined,
    asyncEnd: (message) => quietly(() => calls.close(message as Message)),
  });
  const registry = globalThis as Integrations;
  registry.AI_SDK_TELEMETRY_INTEGRATIONS ??= [];
  registry.AI_SDK_TELEMETRY_INTEGRATIONS.push({
    onLanguageModelCallEnd: (event: unknown) => quietly(() => calls.endStreaming(asObject(event))),
  });
}

/** The calls that are open in this process; there is one channel for all. */
function createChannelCalls() {
  /** By the message of the channel that opened them. */
  const opened = new WeakMap<object, OpenCall>();
  /** Model calls whose answer is still streaming, by the operation they belong to. */
  const streaming = new Map<unknown, OpenCall>();

  const keepStreaming = (callId: unknown, call: OpenCall): void => {
    if (streaming.size >= MAX_STREAMS) {
      const [[oldest, forgotten] = []] = streaming;
      forgotten?.end({ status: "success" });
      streaming.delete(oldest);
    }
    streaming.set(callId, call);
  };

  return {
    /** Opens the call that a message announces; what runs inside runs under it. */
    open: (message: Message): ActiveSpan | undefined => {
      const around = sdkState.spans.getStore();
      return (
        quietly(() => {
          const start = sdkState.publisher === undefined ? undefined : startOf(message.type, asObject(message.event));
          const call = start === undefined ? undefined : openCall(start, currentSpan());
          if (call !== undefined) {
            opened.set(message, call);
          }
          return call?.span;
        }) ?? around
      );
    },
    close: (message: Message): void => {
      const { callId } = asObject(message.event);
      const call = opened.get(message);
      const result = asObject(message.result);
      if (message.type === "languageModelCall" && message.error === undefined && call !== undefined && "stream" in result) {
        keepStreaming(callId, call);
        return;
      }
      // When a step or an operation is over, so is its stream, even if its tokens were never reported.
      if (message.type !== "executeTool" && message.type !== "languageModelCall") {
        streaming.get(callId)?.end(message.error === undefined ? { status: "success" } : failedOutcome(message.error));
        streaming.delete(callId);
      }
      call?.end(message.error === undefined ? endOf(message.type, asObject(message.event), result) : failedOutcome(message.error));
    },
    endStreaming: (event: Values): void => {
      const { callId } = event;
      streaming.get(callId)?.end(modelCallEnd(event));
      streaming.delete(callId);
    },
  };
}
