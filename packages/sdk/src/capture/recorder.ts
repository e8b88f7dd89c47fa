import type {
  Attributes,
  CodeReference,
  EndStatus,
  EventBodies,
  EventType,
  GraphEdge,
  GraphMove,
  GraphStep,
  ToolEntry,
  TracePurpose,
  Usage,
} from "../event/event.ts";
import { createIdentifier } from "../event/identifier.ts";
import { countDropped, observe } from "../settings/metrics.ts";
import { tellFirstTrace } from "./first-trace.ts";
import { quietly } from "./loose-values.ts";
import { PayloadCopies } from "./payload-copies.ts";
import { deploymentOfProcess } from "../settings/settings.ts";
import { sdkState, warn } from "../client/sdk-state.ts";
import { usedPrompt } from "../client/used-prompt.ts";
import { kindOf, numberOf, type TextLike, textOf, TEXTS } from "../settings/text-of.ts";
import { maskText } from "../mask/secret-texts.ts";
import { timestamp } from "../event/timestamp.ts";

const MAX_SCORE_NAME_LENGTH = 200;
/** The schema's 4000 less what a cut text says about its length. */
const MAX_COMMENT_LENGTH = 3900;

/** What traces are found by beside their names. */
export type TraceLabels = {
  /** Default `OBS_ENVIRONMENT`. */
  readonly environment?: TextLike | undefined;
  /** Default `OBS_RELEASE`. */
  readonly release?: TextLike | undefined;
  /** The version of the agent. */
  readonly version?: TextLike | undefined;
  readonly tags?: TextLike | Iterable<TextLike> | undefined;
  /** Default `live`; what is not counts in no figure, alert, session or user. */
  readonly purpose?: TracePurpose | null | undefined;
  /** Found by `metadata.<key>:<value>` in the list. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

/** As the application gave it; what can't be kept is left out, and the rest is recorded. */
export type TraceStart = {
  readonly [Field in "name" | "threadId" | "sessionId" | "userId" | "input" | "attributes"]?: unknown;
} & { readonly labels?: { readonly [Label in keyof TraceLabels]?: unknown } | undefined };

export type ObservationStart = {
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly kind: unknown;
  readonly name: unknown;
  readonly model?: unknown;
  /** Of a model call, also where they are not recorded: by them its prompt is known. */
  readonly messages?: unknown;
  readonly code?: CodeReference | undefined;
  readonly graphStep?: GraphStep | undefined;
  readonly input?: unknown;
  readonly attributes?: unknown;
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
  /** Its parent's id, or its trace's. */
  readonly around: string;
  readonly startedAt: number;
  timeToFirstToken: number | undefined;
};

/** Undefined when nothing is recorded; the caller's own work goes on either way. */
export function startTrace(start: TraceStart): OpenTrace | undefined {
  const opened = record("trace", (copies, publish, now) => {
    const traceId = createIdentifier();
    const { environment, release, version, tags, metadata, purpose } = start.labels ?? {};
    publish("trace.start", {
      trace_id: traceId,
      name: copies.name(start.name, "trace"),
      started_at: now,
      thread_id: copies.label("threadId", start.threadId),
      session_id: copies.label("sessionId", start.sessionId),
      user_id: copies.label("userId", start.userId),
      environment: copies.label("environment", environment) || copies.label("environment", deploymentOfProcess().environment),
      release: copies.label("release", release) || copies.label("release", deploymentOfProcess().release),
      version: copies.label("version", version),
      tags: copies.tags(tags),
      // A trace within a replay is of that replay.
      purpose: copies.purpose(sdkState.replay.getStore() === undefined ? purpose : "replay"),
      input: copies.payload(start.input, "input"),
      attributes: copies.attributes(start.attributes, metadata),
    });
    return { traceId };
  });
  if (opened !== undefined) {
    tellFirstTrace(opened);
  }
  return opened;
}

export function endTrace(trace: OpenTrace, outcome: Outcome & { readonly pausedAt?: string | undefined }): void {
  record("trace", (copies, publish, now) => {
    publish("trace.end", {
      trace_id: trace.traceId,
      ended_at: now,
      status: outcome.status,
      output: copies.payload(outcome.output, "output"),
      error: copies.errorText(outcome.error),
      stack: outcome.status === "failure" ? copies.stack(outcome.error, trace.traceId, "") : undefined,
      paused_at: outcome.pausedAt,
      attributes: copies.attributes(outcome.attributes),
    });
  });
}

export function recordResume(traceId: string, checkpointId: string): void {
  record("trace", (_copies, publish, now) => publish("trace.resume", { trace_id: traceId, resumed_at: now, resumed_from: checkpointId }));
}

export function startObservation(start: ObservationStart): OpenObservation | undefined {
  return record("observation", (copies, publish, now) => {
    const observationId = createIdentifier();
    const body = {
      trace_id: start.traceId,
      observation_id: observationId,
      parent_id: start.parentId ?? null,
      kind: copies.kind(start.kind),
      name: copies.name(start.name, start.kind === "tool" ? "tool" : "observation"),
      started_at: start.startedAt ?? now,
      model: copies.label("model", start.model),
      prompt: start.kind === "llm" ? quietly(() => usedPrompt(start.messages)) : undefined,
      code: start.code,
      graph_step: start.graphStep,
      input: copies.payload(start.input, "input"),
      attributes: copies.attributes(start.attributes),
    };
    publish("observation.start", sdkState.replay.getStore()?.note(body) ?? body);
    const around = start.parentId ?? start.traceId;
    return { traceId: start.traceId, observationId, around, startedAt: performance.now(), timeToFirstToken: undefined };
  });
}

/** Notes that the streamed answer of a model call has content now; only the first time counts. */
export function noteFirstToken(observation: OpenObservation): void {
  observation.timeToFirstToken ??= performance.now() - observation.startedAt;
}

export function endObservation(observation: OpenObservation, outcome: ObservationOutcome): void {
  record("observation", (copies, publish, now) => {
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
      stack: outcome.status === "failure" ? copies.stack(outcome.error, observation.observationId, observation.around) : undefined,
      model: copies.label("model", outcome.model),
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
  record("graph", (copies, publish) => {
    const nodes = graph.nodes.map((node) => copies.name(node, "node"));
    publish("graph", { graph_hash: graph.hash, name: copies.name(graph.name, "graph"), nodes, edges: graph.edges });
  });
}

export function recordGraphEntry(entry: EventBodies["graph.enter"]): void {
  record("graph", (_copies, publish) => publish("graph.enter", entry));
}

export type GivenScore = { readonly [Field in "traceId" | "observationId" | "name" | "value" | "comment"]?: unknown };

/** False where it was not recorded, as it needs what it has not. */
export function recordScore(given: GivenScore): boolean {
  const recorded = record("score", (copies, publish) => {
    const name = copies.needed("name", given.name, textOf(given.name) || undefined, TEXTS);
    copies.title = name;
    const isBoolean = typeof given.value === "boolean";
    const number = isBoolean ? Number(given.value) : numberOf(given.value);
    const value = copies.needed("value", given.value, number, "a finite number, or true or false");
    const traceId = copies.needed("traceId", given.traceId, identifierOf(given.traceId), "the UUID of a trace, by default the running one");
    const step = given.observationId ?? undefined;
    const observationId =
      step === undefined ? step : copies.needed("observationId", step, identifierOf(step), "the UUID of an observation");
    if (name === undefined || value === undefined || traceId === undefined || copies.leftOut !== undefined) {
      return false;
    }
    const comment = copies.label("comment", given.comment, MAX_COMMENT_LENGTH);
    publish("score", {
      trace_id: traceId,
      observation_id: observationId,
      name: copies.label("name", name, MAX_SCORE_NAME_LENGTH) ?? name,
      value,
      data_type: isBoolean ? "boolean" : undefined,
      comment: comment === undefined ? undefined : copies.text(comment, MAX_COMMENT_LENGTH, "comment"),
    });
    return true;
  });
  return recorded ?? false;
}

/** An identifier as the event schema has it. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function identifierOf(value: unknown): string | undefined {
  const text = textOf(value) ?? "";
  return UUID.test(text) ? text : undefined;
}

type Operation = "trace" | "observation" | "graph" | "score";
type Publish = <Type extends EventType>(type: Type, body: EventBodies[Type]) => void;

/** The one place where recording meets the application: measures itself, and nothing that goes wrong in it comes out. */
function record<T>(operation: Operation, work: (copies: PayloadCopies, publish: Publish, now: string) => T): T | undefined {
  const { publisher, metrics } = sdkState;
  if (publisher === undefined) {
    return undefined;
  }
  let startedAt: number | undefined;
  try {
    startedAt = performance.now();
    const copies = new PayloadCopies(publisher.settings);
    const recorded = work(copies, (type, body) => publisher.enqueue(type, body, copies.size), timestamp());
    if (copies.leftOut !== undefined) {
      tellLeftOut(operation, copies);
    }
    return recorded;
  } catch (error) {
    countDropped(metrics, "unserializable", 1);
    publisher.warn("unserializable", `the event of a call (${operation}) was not recorded, as making it failed: ${kindOf(error)}`);
    return undefined;
  } finally {
    if (startedAt !== undefined) {
      observe(metrics.publishSeconds, (performance.now() - startedAt) / 1000);
    }
  }
}

const MAX_TITLE_LENGTH = 100;

function tellLeftOut(operation: Operation, { title = "", leftOut = [] }: PayloadCopies): void {
  for (const { field, got, text } of leftOut) {
    warn(`${operation} ${field} ${got}`, `${operation} "${maskText(title).slice(0, MAX_TITLE_LENGTH)}": ${text}`);
  }
}
