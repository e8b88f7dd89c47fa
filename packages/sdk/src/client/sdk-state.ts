import { AsyncLocalStorage } from "node:async_hooks";
import { createMetrics, formatMetrics, type PublisherMetrics } from "../settings/metrics.ts";
import { loggerOf } from "../settings/settings.ts";
import { createWarnings } from "../settings/warnings.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { PromptReference } from "../event/event.ts";
import type { Replay } from "./replays.ts";

/** Where in which trace the running code is. */
export type ActiveSpan = {
  readonly traceId: string;
  /** Undefined directly under the trace. */
  readonly observationId: string | undefined;
  /** The framework's run this was opened inside, if any. */
  readonly insideRun: string | undefined;
};

export type SdkState = {
  publisher: Publisher | undefined;
  /** The close that is under way; a new start waits for it. */
  closing: Promise<void> | undefined;
  /** Takes the publisher's listeners off the process again. */
  removeExitHooks: (() => void) | undefined;
  capturePrompts: boolean;
  /** Whether this process has said where its first trace is. */
  isFirstTraceTold: boolean;
  readonly metrics: PublisherMetrics;
  readonly spans: AsyncLocalStorage<ActiveSpan>;
  /** Set by an integration: the framework's run around the running code. */
  frameworkSpan: (() => (ActiveSpan & { readonly insideRun: string }) | undefined) | undefined;
  /** What prompts were compiled to, the oldest first. */
  readonly compiled: { readonly texts: Map<string, PromptReference>; characters: number };
  /** What `Prompt.use` says of the calls around which it runs. */
  readonly chosenPrompt: AsyncLocalStorage<PromptReference | undefined>;
  /** The replay around the running code. */
  readonly replay: AsyncLocalStorage<Replay>;
  /** Set by an integration: lets replays answer the framework's calls. */
  answerFramework: (() => void) | undefined;
};

const KEY = Symbol.for("@sightline/sdk 0.5");

/**
 * The SDK's one client. The application calls plain functions (`observe`, `score`, …) from anywhere, without handing anything around, so
 * there is one per process, even when the application loads this package both as ESM and as CommonJS.
 */
export const sdkState: SdkState = findState();

function findState(): SdkState {
  const found: unknown = Reflect.get(globalThis, KEY);
  if (found !== undefined) {
    return found as SdkState;
  }
  const state: SdkState = {
    publisher: undefined,
    closing: undefined,
    removeExitHooks: undefined,
    capturePrompts: false,
    isFirstTraceTold: false,
    metrics: createMetrics(),
    spans: new AsyncLocalStorage(),
    frameworkSpan: undefined,
    compiled: { texts: new Map(), characters: 0 },
    chosenPrompt: new AsyncLocalStorage(),
    replay: new AsyncLocalStorage(),
    answerFramework: undefined,
  };
  Object.defineProperty(globalThis, KEY, { value: state });
  return state;
}

/** The innermost span around the running code: one of ours, unless the framework opened a run inside it. */
export function currentSpan(): ActiveSpan | undefined {
  const own = sdkState.spans.getStore();
  const framework = sdkState.frameworkSpan?.();
  return framework === undefined || own?.insideRun === framework.insideRun ? own : framework;
}

const unconfigured = createWarnings(loggerOf({}));

/** Says something to the application's log, at most once a minute for each reason; to the console before there is a publisher. */
export function warn(reason: string, message: string): void {
  if (sdkState.publisher === undefined) {
    unconfigured.say(reason, message);
  } else {
    sdkState.publisher.warn(reason, message);
  }
}

/**
 * Turns on the capture of prompts, responses and reasoning of model calls, by whichever integration, for the whole process. Without it
 * they are recorded with model, usage, status and time only. Never throws.
 */
export function wrapLlmAdapter(): void {
  sdkState.capturePrompts = true;
}

/**
 * The SDK's metrics in the Prometheus text format, for the application's `GET /metrics`. Stream length, consumer lag and heartbeat are
 * those of the last look, at most ten seconds old while Redis answers.
 */
export function metricsText(): string {
  return formatMetrics(sdkState.metrics);
}
