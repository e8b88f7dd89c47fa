import type {
  Attributes,
  CodeReference,
  EndStatus,
  EventBodies,
  EventType,
  GraphEdge,
  GraphMove,
  GraphStep,
  ObservationKind,
  ToolEntry,
  Usage,
} from "../event/event.ts";
import { createIdentifier } from "../event/identifier.ts";
import { countDropped, observe } from "../settings/metrics.ts";
import { tellFirstTrace } from "./first-trace.ts";
import { PayloadCopies } from "./payload-copies.ts";
import { deploymentOfProcess } from "../settings/settings.ts";
import { sdkState } from "../client/sdk-state.ts";
import { timestamp } from "../event/timestamp.ts";

const MAX_SCORE_NAME_LENGTH = 200;
/** The schema's 4000 less what a cut text says about its length. */
const MAX_COMMENT_LENGTH = 3900;

/** What traces are found by beside their names. */
export type TraceLabels = {
  /** Default `OBS_ENVIRONMENT`. */
  readonly environment?: string | undefined;
  /** Default `OBS_RELEASE`. */
  readonly release?: string | undefined;
  /** The version of the agent. */
  readonly version?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Found by `metadata.<key>:<value>` in the list. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

const MAX_TAGS = 50;

export type TraceStart = {
  readonly name: string;
  readonly threadId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly labels?: TraceLabels | undefined;
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
  /** Milliseconds, from a library that measures them itself. */
  readonly timeToFirstToken?: number | undefined;
  readonly reasoning?: string | undefined;
  readonly tool?: ToolEntry | undefined;
  readonly next?: readonly GraphMove[] | undefined;
  readonly endedAt?: string | undefined;
  readonly duration?: number | undefined;
};

export type OpenTrace = { readonly traceId: string };
export type OpenObservation = {
  readonly traceId: string;
  readonly observationId: string;
  readonly startedAt: number;
  timeToFirstToken: number | undefined;
};

/** Undefined when nothing is recorded; the caller's own work goes on either way. */
export function startTrace(start: TraceStart): OpenTrace | undefined {
  const opened = record((copies, publish, now) => {
    const traceId = createIdentifier();
    const { environment, release, version, tags, metadata } = { ...deploymentOfProcess(), ...withoutMissing(start.labels) };
    publish("trace.start", {
      trace_id: traceId,
      name: copies.name(start.name),
      started_at: now,
      thread_id: copies.optionalName(start.threadId),
      session_id: copies.optionalName(start.sessionId),
      user_id: copies.optionalName(start.userId),
      environment: copies.optionalName(environment),
      release: copies.optionalName(release),
      version: copies.optionalName(version),
      tags: tags === undefined || tags.length === 0 ? undefined : tags.slice(0, MAX_TAGS).map((tag) => copies.name(tag)),
      input: copies.payload(start.input, "input"),
      attributes: copies.attributes(metadata === undefined ? start.attributes : { ...start.attributes, metadata }),
    });
    return { traceId };
  });
  if (opened !== undefined) {
    tellFirstTrace(opened);
  }
  return opened;
}

function withoutMissing(labels: TraceLabels = {}): TraceLabels {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== undefined));
}

export function endTrace(trace: OpenTrace, outcome: Outcome & { readonly pausedAt?: string | undefined }): void {
  record((copies, publish, now) => {
    publish("trace.end", {
      trace_id: trace.traceId,
      ended_at: now,
      status: outcome.status,
      output: copies.payload(outcome.output, "output"),
      error: copies.errorText(outcome.error),
      paused_at: outcome.pausedAt,
      attributes: copies.attributes(outcome.attributes),
    });
  });
}

export function recordResume(traceId: string, checkpointId: string): void {
  record((_copies, publish, now) => publish("trace.resume", { trace_id: traceId, resumed_at: now, resumed_from: checkpointId }));
}

export function startObservation(start: ObservationStart): OpenObservation | undefined {
  return record((copies, publish, now) => {
    const observationId = createIdentifier();
    publish("observation.start", {
      trace_id: start.traceId,
      observation_id: observationId,
      parent_id: start.parentId ?? null,
      kind: start.kind,
      name: copies.name(start.name),
      started_at: start.startedAt ?? now,
      model: copies.optionalName(start.model),
      code: start.code,
      graph_step: start.graphStep,
      input: copies.payload(start.input, "input"),
      attributes: copies.attributes(start.attributes),
    });
    return { traceId: start.traceId, observationId, startedAt: performance.now(), timeToFirstToken: undefined };
  });
}

/** Notes that the streamed answer of a model call has content now; only the first time counts. */
export function noteFirstToken(observation: OpenObservation): void {
  observation.timeToFirstToken ??= performance.now() - observation.startedAt;
}

export function endObservation(observation: OpenObservation, outcome: ObservationOutcome): void {
  record((copies, publish, now) => {
    const duration = outcome.duration ?? performance.now() - observation.startedAt;
    const timeToFirstToken = outcome.timeToFirstToken ?? observation.timeToFirstToken;
    publish("observation.end", {
      trace_id: observation.traceId,
      observation_id: observation.observationId,
      ended_at: outcome.endedAt ?? now,
      duration_ms: Math.max(0, Math.round(duration * 1000) / 1000),
      status: outcome.status,
      output: copies.payload(outcome.output, "output"),
      error: copies.errorText(outcome.error),
      model: copies.optionalName(outcome.model),
      usage: copies.usage(outcome.usage),
      time_to_first_token_ms: timeToFirstToken === undefined ? undefined : Math.max(0, Math.round(timeToFirstToken)),
      reasoning: copies.reasoning(outcome.reasoning),
      tool_entry: copies.toolEntry(outcome.tool),
      next: outcome.next,
      attributes: copies.attributes(outcome.attributes),
    });
  });
}

export function recordGraph(graph: { hash: string; name: string; nodes: readonly string[]; edges: readonly GraphEdge[] }): void {
  record((copies, publish) => {
    const nodes = graph.nodes.map((node) => copies.name(node));
    publish("graph", { graph_hash: graph.hash, name: copies.name(graph.name), nodes, edges: graph.edges });
  });
}

export function recordGraphEntry(entry: EventBodies["graph.enter"]): void {
  record((_copies, publish) => publish("graph.enter", entry));
}

export function recordScore(score: EventBodies["score"]): boolean {
  const recorded = record((copies, publish) => {
    publish("score", {
      ...score,
      name: copies.name(score.name, MAX_SCORE_NAME_LENGTH),
      comment: score.comment === undefined ? undefined : copies.text(score.comment, MAX_COMMENT_LENGTH, "comment"),
    });
    return true;
  });
  return recorded ?? false;
}

type Publish = <Type extends EventType>(type: Type, body: EventBodies[Type]) => void;

/** The one place where recording meets the application: measures itself, and nothing that goes wrong in it comes out. */
function record<T>(work: (copies: PayloadCopies, publish: Publish, now: string) => T): T | undefined {
  const { publisher, metrics } = sdkState;
  if (publisher === undefined) {
    return undefined;
  }
  let startedAt: number | undefined;
  try {
    startedAt = performance.now();
    const copies = new PayloadCopies(publisher.settings);
    return work(copies, (type, body) => publisher.enqueue(type, body, copies.size), timestamp());
  } catch {
    countDropped(metrics, "unserializable", 1);
    publisher.warn("unserializable", "a call was not recorded, as what describes it can't be read; is its name a text?");
    return undefined;
  } finally {
    if (startedAt !== undefined) {
      observe(metrics.publishSeconds, (performance.now() - startedAt) / 1000);
    }
  }
}
