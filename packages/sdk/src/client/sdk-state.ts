import { AsyncLocalStorage } from "node:async_hooks";
import { createMetrics, type PublisherMetrics } from "../settings/metrics.ts";
import type { Publisher } from "../publish/publisher.ts";

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
  capturePrompts: boolean;
  readonly metrics: PublisherMetrics;
  readonly spans: AsyncLocalStorage<ActiveSpan>;
  /** Set by an integration: the framework's run around the running code. */
  frameworkSpan: (() => (ActiveSpan & { readonly insideRun: string }) | undefined) | undefined;
};

const KEY = Symbol.for("@sightline/sdk 0.5");

/** One per process even when an application loads this package both as ESM and as CommonJS. */
export const sdkState: SdkState = findState();

function findState(): SdkState {
  const found: unknown = Reflect.get(globalThis, KEY);
  if (found !== undefined) {
    return found as SdkState;
  }
  const state: SdkState = {
    publisher: undefined,
    capturePrompts: false,
    metrics: createMetrics(),
    spans: new AsyncLocalStorage(),
    frameworkSpan: undefined,
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
