import type {
  Attributes,
  CodeReference,
  EndStatus,
  EventBodies,
  GraphEdge,
  GraphMove,
  GraphStep,
  ObservationKind,
  Reasoning,
  ToolEntry,
  Usage,
} from "./event.ts";
import { createIdentifier } from "./identifier.ts";
import { type PayloadField, WITHHELD } from "./masking.ts";
import { countDropped, observe } from "./metrics.ts";
import type { Publisher } from "./publisher.ts";
import { boundReasoning } from "./reasoning.ts";
import { sdkState } from "./sdk-state.ts";
import type { Settings } from "./settings.ts";
import { PAYLOAD_LIMITS, safeText, takeSnapshot } from "./snapshot.ts";

const NAME_LENGTH = 500;
const ERROR_LENGTH = 8192;
const SMALL = { ...PAYLOAD_LIMITS, depth: 8, text: 8192, bytes: 32_768 };

export type TraceStart = {
  readonly name: string;
  readonly threadId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly input?: unknown;
  readonly attributes?: Attributes | undefined;
};

export type ObservationStart = {
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly kind: ObservationKind;
  readonly name: string;
  readonly model?: string | undefined;
  readonly code?: CodeReference | undefined;
  readonly graphStep?: GraphStep | undefined;
  readonly input?: unknown;
  readonly attributes?: Attributes | undefined;
  readonly startedAt?: string | undefined;
};

export type Outcome = {
  readonly status: EndStatus;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly attributes?: Attributes | undefined;
};

export type ObservationOutcome = Outcome & {
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly reasoning?: string | undefined;
  readonly tool?: ToolEntry | undefined;
  readonly next?: readonly GraphMove[] | undefined;
  readonly endedAt?: string | undefined;
  readonly duration?: number | undefined;
};

export type OpenTrace = { readonly traceId: string };
export type OpenObservation = { readonly traceId: string; readonly observationId: string; readonly startedAt: number };

/** Undefined when nothing is recorded; the caller's own work goes on either way. */
export function startTrace(start: TraceStart): OpenTrace | undefined {
  return record((publisher, now) => {
    const traceId = createIdentifier();
    publisher.enqueue("trace.start", {
      trace_id: traceId,
      name: name(start.name),
      started_at: now,
      thread_id: optionalName(start.threadId),
      session_id: optionalName(start.sessionId),
      user_id: optionalName(start.userId),
      input: payload(start.input, "input", publisher.settings),
      attributes: attributes(start.attributes, publisher.settings),
    });
    return { traceId };
  });
}

export function endTrace(trace: OpenTrace, outcome: Outcome & { readonly pausedAt?: string | undefined }): void {
  record((publisher, now) => {
    publisher.enqueue("trace.end", {
      trace_id: trace.traceId,
      ended_at: now,
      status: outcome.status,
      output: payload(outcome.output, "output", publisher.settings),
      error: errorText(outcome.error, publisher.settings),
      paused_at: outcome.pausedAt,
      attributes: attributes(outcome.attributes, publisher.settings),
    });
  });
}

export function recordResume(traceId: string, checkpointId: string): void {
  record((publisher, now) => publisher.enqueue("trace.resume", { trace_id: traceId, resumed_at: now, resumed_from: checkpointId }));
}

export function startObservation(start: ObservationStart): OpenObservation | undefined {
  return record((publisher, now) => {
    const observationId = createIdentifier();
    publisher.enqueue("observation.start", {
      trace_id: start.traceId,
      observation_id: observationId,
      parent_id: start.parentId ?? null,
      kind: start.kind,
      name: name(start.name),
      started_at: start.startedAt ?? now,
      model: optionalName(start.model),
      code: start.code,
      graph_step: start.graphStep,
      input: payload(start.input, "input", publisher.settings),
      attributes: attributes(start.attributes, publisher.settings),
    });
    return { traceId: start.traceId, observationId, startedAt: performance.now() };
  });
}

export function endObservation(observation: OpenObservation, outcome: ObservationOutcome): void {
  const duration = outcome.duration ?? performance.now() - observation.startedAt;
  record((publisher, now) => {
    const { settings } = publisher;
    publisher.enqueue("observation.end", {
      trace_id: observation.traceId,
      observation_id: observation.observationId,
      ended_at: outcome.endedAt ?? now,
      duration_ms: Math.max(0, Math.round(duration * 1000) / 1000),
      status: outcome.status,
      output: payload(outcome.output, "output", settings),
      error: errorText(outcome.error, settings),
      model: optionalName(outcome.model),
      usage: usage(outcome.usage, settings),
      reasoning: reasoning(outcome.reasoning, settings),
      tool_entry: toolEntry(outcome.tool, settings),
      next: outcome.next,
      attributes: attributes(outcome.attributes, settings),
    });
  });
}

export function recordGraph(graph: { hash: string; name: string; nodes: readonly string[]; edges: readonly GraphEdge[] }): void {
  record((publisher) => {
    const nodes = graph.nodes.map(name);
    publisher.enqueue("graph", { graph_hash: graph.hash, name: name(graph.name), nodes, edges: graph.edges });
  });
}

export function recordGraphEntry(entry: EventBodies["graph.enter"]): void {
  record((publisher) => publisher.enqueue("graph.enter", entry));
}

/** The one place where recording meets the application: measures itself, and nothing that goes wrong in it comes out. */
function record<T>(work: (publisher: Publisher, now: string) => T): T | undefined {
  const { publisher, metrics } = sdkState;
  if (publisher === undefined) {
    return undefined;
  }
  const startedAt = performance.now();
  try {
    return work(publisher, new Date().toISOString());
  } catch {
    countDropped(metrics, "unserializable", 1);
    return undefined;
  } finally {
    observe(metrics.publishSeconds, (performance.now() - startedAt) / 1000);
  }
}

function payload(value: unknown, field: PayloadField, settings: Settings, limits = PAYLOAD_LIMITS): unknown {
  if (value === undefined) {
    return undefined;
  }
  const policy = { capture: settings.captureReasoning, maximum: settings.reasoningMaxLength };
  const bounded = takeSnapshot(value, policy, limits);
  return settings.mask === undefined ? bounded : mask(bounded, field, settings, limits);
}

/** Fails closed: what the application's function could not mask does not leave. */
function mask(bounded: unknown, field: PayloadField, settings: Settings, limits: typeof PAYLOAD_LIMITS): unknown {
  try {
    const masked: unknown = settings.mask?.(bounded, field);
    if (masked instanceof Promise) {
      masked.catch(() => undefined);
      return WITHHELD;
    }
    return takeSnapshot(masked, { capture: settings.captureReasoning, maximum: settings.reasoningMaxLength }, limits) ?? null;
  } catch {
    return WITHHELD;
  }
}

function attributes(values: Attributes | undefined, settings: Settings): Attributes | undefined {
  const bounded = payload(values, "attributes", settings, SMALL);
  return isRecord(bounded) && Object.keys(bounded).length > 0 ? bounded : undefined;
}

function errorText(error: unknown, settings: Settings): string | undefined {
  if (error === undefined) {
    return undefined;
  }
  const text = describe(error);
  const bounded = payload(safeText(text, ERROR_LENGTH), "error", settings, SMALL);
  return typeof bounded === "string" ? bounded : WITHHELD;
}

/** Whatever is thrown may throw when it is read; what failed must still be told to have ended. */
function describe(error: unknown): string {
  try {
    if (error instanceof Error) {
      return `${error.name}: ${error.message}`;
    }
    return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
  } catch {
    return "[unreadable]";
  }
}

function usage(measured: Usage | undefined, settings: Settings): Usage | undefined {
  if (measured === undefined) {
    return undefined;
  }
  const { raw, ...counts } = measured;
  const boundedRaw = payload(raw, "usage", settings, SMALL);
  return { ...counts, ...(isRecord(boundedRaw) ? { raw: boundedRaw } : {}) };
}

function reasoning(text: string | undefined, settings: Settings): Reasoning | undefined {
  if (text === undefined || !settings.captureReasoning) {
    return undefined;
  }
  const masked = settings.mask === undefined ? text : mask(text, "reasoning", settings, { ...PAYLOAD_LIMITS, text: text.length });
  return boundReasoning(typeof masked === "string" ? masked : WITHHELD, settings.reasoningMaxLength);
}

function toolEntry(tool: ToolEntry | undefined, settings: Settings): ToolEntry | undefined {
  if (tool === undefined) {
    return undefined;
  }
  const parameters = payload(tool.parameters, "parameters", settings);
  return {
    tool_name: name(tool.tool_name),
    parameters: isRecord(parameters) ? parameters : { withheld: parameters },
    result: payload(tool.result, "result", settings) ?? null,
    timestamp: tool.timestamp,
    status: tool.status,
  };
}

function name(text: string): string {
  return safeText(text, NAME_LENGTH);
}

function optionalName(text: string | undefined): string | undefined {
  return text === undefined ? undefined : name(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
