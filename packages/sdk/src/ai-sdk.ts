/** Tracing of Vercel's AI SDK 7. A door of its own; it imports nothing of `ai`. */
import { tracingChannel } from "node:diagnostics_channel";
import { endOf, modelCallEnd, startOf } from "./providers/ai-sdk-events.ts";
import { failedOutcome, openCall, type OpenCall } from "./providers/open-call.ts";
import { type Values, values } from "./providers/provider-values.ts";
import { type ActiveSpan, currentSpan, sdkState } from "./client/sdk-state.ts";
import { isSwitchedOff } from "./settings/settings.ts";

type Message = { readonly type?: unknown; readonly event?: unknown; readonly error?: unknown; readonly result?: unknown };
type Integrations = { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] };

const CHANNEL = "ai:telemetry";
const ATTACHED = Symbol.for("@sightline/sdk ai-sdk");
const MOST_STREAMS = 10_000;

/** What was opened for a message of the channel. */
const opened = new WeakMap<object, OpenCall>();
/** Model calls whose answer is still streaming, by the operation they belong to. */
const streaming = new Map<unknown, OpenCall>();

/**
 * Records every operation of the AI SDK in this process (`generateText`, `streamText`, embeddings, …) with its model calls and tools,
 * and after `wrapLlmAdapter()` prompts and answers. Call it once, before the first operation. Operations with
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
  const channel = tracingChannel<ActiveSpan | undefined, Message>(CHANNEL);
  channel.start.bindStore(sdkState.spans, enter);
  // A channel without subscribers to all of its events is taken for unused by some versions of Node.
  channel.subscribe({
    start: ignore,
    end: ignore,
    asyncStart: ignore,
    error: ignore,
    asyncEnd: (message) => quietly(() => leave(message as Message)),
  });
  const registry = globalThis as Integrations;
  registry.AI_SDK_TELEMETRY_INTEGRATIONS ??= [];
  registry.AI_SDK_TELEMETRY_INTEGRATIONS.push({ onLanguageModelCallEnd: (event: unknown) => quietly(() => endStreaming(values(event))) });
}

/** Opens what a message tells of; what runs inside runs under it. */
function enter(message: Message): ActiveSpan | undefined {
  const around = sdkState.spans.getStore();
  return (
    quietly(() => {
      const event = values(message.event);
      const start = sdkState.publisher === undefined ? undefined : startOf(message.type, event);
      const call = start === undefined ? undefined : openCall(start, currentSpan());
      if (call !== undefined) {
        opened.set(message, call);
      }
      return call?.span;
    }) ?? around
  );
}

function leave(message: Message): void {
  const { callId } = values(message.event);
  const call = opened.get(message);
  const result = values(message.result);
  if (message.type === "languageModelCall" && message.error === undefined && call !== undefined && "stream" in result) {
    keepStreaming(callId, call);
    return;
  }
  // When a step or an operation is over, so is its stream, even if nobody told its tokens.
  if (message.type !== "executeTool" && message.type !== "languageModelCall") {
    streaming.get(callId)?.end(message.error === undefined ? { status: "success" } : failedOutcome(message.error));
    streaming.delete(callId);
  }
  call?.end(message.error === undefined ? endOf(message.type, values(message.event), result) : failedOutcome(message.error));
}

function keepStreaming(callId: unknown, call: OpenCall): void {
  if (streaming.size >= MOST_STREAMS) {
    const [[oldest, forgotten] = []] = streaming;
    forgotten?.end({ status: "success" });
    streaming.delete(oldest);
  }
  streaming.set(callId, call);
}

function endStreaming(event: Values): void {
  const { callId } = event;
  streaming.get(callId)?.end(modelCallEnd(event));
  streaming.delete(callId);
}

function ignore(): void {
  // Only there to be there.
}

/** What goes wrong in tracing is not the application's. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
