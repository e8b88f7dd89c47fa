import { asObject, type Values } from "../capture/loose-values.ts";
import type { Attributes, ObservationKind } from "../event/event.ts";
import { announceGraph, factsOfSubgraph, type TracedGraphFacts } from "./graph-facts.ts";
import { commandMoves, readStep } from "./graph-moves.ts";
import { type OpenTrace, recordGraphEntry, startObservation, startTrace } from "../capture/recorder.ts";
import { findRun, rememberRun, type RunRecord } from "./run-records.ts";
import { sdkState } from "../client/sdk-state.ts";

export type RunStart = {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly kind: "chain" | "tool" | "model" | "retriever";
  /** Of a model call, also where its input is not recorded. */
  readonly messages?: unknown;
  readonly name: string | undefined;
  readonly serialized: unknown;
  readonly tags: readonly string[];
  readonly metadata: Values;
  readonly input: unknown;
  readonly model?: string | undefined;
  readonly attributes?: Attributes | undefined;
};

/** Where a run belongs: under another run, under a span of the application, or at the top. */
type ParentPlace = { readonly parent: RunRecord | undefined; readonly parentId: string | undefined };

const HIDDEN_TAG = "langsmith:hidden";
const START = "__start__";
const KINDS: Readonly<Record<RunRecord["role"], ObservationKind | undefined>> = {
  trace: undefined,
  hidden: undefined,
  router: undefined,
  graph: "graph",
  node: "node",
  tool: "tool",
  model: "llm",
  retriever: "retriever",
  span: "span",
};

/** Records the start of a run that is new; undefined when it belongs to nothing that is traced. */
export function openRun(start: RunStart, ownFacts: TracedGraphFacts): RunRecord | undefined {
  const { traceId, ...place } = findPlace(start);
  if (traceId !== undefined) {
    return openInside(start, place, traceId);
  }
  if (isGraph(start) || (ownFacts.anyRoot === true && start.kind === "chain")) {
    return openTrace(start, ownFacts);
  }
  return ownFacts.anyRoot === true ? openTraceOfOne(start, ownFacts) : undefined;
}

/** A model or a tool that nothing runs around: its trace holds just this call. */
function openTraceOfOne(start: RunStart, facts: TracedGraphFacts): RunRecord | undefined {
  const trace = startTraceOf(start, facts, undefined);
  return trace === undefined ? undefined : openInside(start, { parent: undefined, parentId: undefined }, trace.traceId, trace);
}

function openInside(start: RunStart, place: ParentPlace, traceId: string, trace?: OpenTrace): RunRecord | undefined {
  const role = roleOf(start, place.parent);
  const graph = place.parent?.facts;
  const name = start.name ?? serializedName(start.serialized);
  const kind = KINDS[role];
  const timestamp = new Date().toISOString();
  const observation =
    kind === undefined
      ? undefined
      : startObservation({
          traceId,
          parentId: place.parentId,
          kind,
          name,
          model: start.model,
          messages: start.messages,
          input: start.input,
          code: role === "node" ? graph?.code.get(name) : undefined,
          graphStep: role === "node" ? readStep(start.metadata) : undefined,
          attributes: {
            run_id: start.runId,
            ...(role === "node" ? { step: start.metadata["langgraph_step"], triggers: start.metadata["langgraph_triggers"] } : {}),
            ...start.attributes,
          },
        });
  if (kind !== undefined && observation === undefined) {
    return undefined;
  }
  if (role === "tool") {
    place.parent?.seenTools.push(name);
  }
  const tool = role === "tool" ? { parameters: start.input as Record<string, unknown>, timestamp } : undefined;
  // A graph's facts are its own; those of the graph around it say nothing about its nodes.
  const facts = role === "graph" ? factsOfSubgraph(graph, start.metadata["langgraph_node"]) : graph;
  const record = createRecord(start, place, { role, name, observation, trace, tool, traceId, facts });
  if (role === "graph") {
    enterByCommand(record, start.input);
  } else if (role === "node" && record.step?.triggers.includes(START) === true && place.parent?.isEntered === false) {
    enterByFunction(record, place.parent);
  }
  return record;
}

/** The functional API has no beginning of its own: its function reads the input. */
function enterByFunction(record: RunRecord, graph: RunRecord): void {
  graph.isEntered = true;
  recordGraphEntry({
    trace_id: record.traceId,
    graph_id: graph.observation?.observationId ?? null,
    graph_hash: graph.facts?.declared?.hash,
    step: (record.step?.step ?? 0) - 1,
    next: [{ to: record.name, via: "static" }],
  });
}

/** A Command that is a graph's input may say where to begin. */
function enterByCommand(record: RunRecord, input: unknown): void {
  const next = commandMoves(input);
  if (next.length > 0) {
    const hash = record.facts?.declared?.hash;
    recordGraphEntry({ trace_id: record.traceId, graph_id: record.observation?.observationId ?? null, graph_hash: hash, next });
  }
}

/** Notes that a run is the graph these facts are about. */
export function openGraphRun(record: RunRecord, facts: TracedGraphFacts): void {
  record.facts = facts;
  announceGraph(facts);
}

function openTrace(start: RunStart, facts: TracedGraphFacts): RunRecord | undefined {
  const trace = startTraceOf(start, facts, start.input);
  if (trace === undefined) {
    return undefined;
  }
  announceGraph(facts);
  const place: ParentPlace = { parent: undefined, parentId: undefined };
  const record = createRecord(start, place, { role: "trace", name: facts.traceName, trace, traceId: trace.traceId, facts });
  enterByCommand(record, start.input);
  return record;
}

function startTraceOf(start: RunStart, facts: TracedGraphFacts, input: unknown): OpenTrace | undefined {
  const { metadata } = start;
  return startTrace({
    name: facts.traceName === "" ? (start.name ?? serializedName(start.serialized)) : facts.traceName,
    threadId: metadata["thread_id"],
    sessionId: metadata["session_id"],
    userId: metadata["user_id"],
    input,
    attributes: {
      run_id: start.runId,
      ...(facts.declared === undefined ? {} : { graph_hash: facts.declared.hash }),
      ...(start.tags.length > 0 ? { tags: start.tags } : {}),
      metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !/^(?:langgraph_|ls_|checkpoint_|__)/.test(key))),
    },
  });
}

function createRecord(
  start: RunStart,
  place: ParentPlace,
  known: Pick<RunRecord, "role" | "name" | "traceId" | "facts"> & Partial<Pick<RunRecord, "observation" | "trace" | "tool">>,
): RunRecord {
  const record: RunRecord = {
    observation: undefined,
    trace: undefined,
    tool: undefined,
    ...known,
    runId: start.runId,
    parent: place.parent,
    parentId: known.observation?.observationId ?? place.parentId,
    routes: [],
    routed: [],
    step: known.role === "node" || known.role === "hidden" ? readStep(start.metadata) : undefined,
    isEntered: false,
    innerCommand: false,
    pausedAt: undefined,
    seenTools: [],
    seenEntries: place.parent?.seenEntries ?? new Set(),
    interrupts: undefined,
    childFailure: undefined,
    ended: false,
  };
  rememberRun(record);
  return record;
}

function findPlace(start: RunStart): ParentPlace & { readonly traceId: string | undefined } {
  const parent = findRun(start.parentRunId);
  const own = sdkState.spans.getStore();
  // A span of the application that was opened inside the very run that is the parent lies between the two.
  if (own !== undefined && own.insideRun === (parent === undefined ? undefined : start.parentRunId)) {
    return { parent, traceId: own.traceId, parentId: own.observationId };
  }
  return { parent, traceId: parent?.traceId, parentId: parent?.parentId };
}

function roleOf(start: RunStart, parent: RunRecord | undefined): RunRecord["role"] {
  if (start.kind !== "chain") {
    return start.kind;
  }
  const node = start.metadata["langgraph_node"];
  const underGraph = parent?.role === "trace" || parent?.role === "graph";
  if (underGraph && start.name === node && start.tags.some((tag) => tag.startsWith("graph:step:"))) {
    return start.tags.includes(HIDDEN_TAG) ? "hidden" : "node";
  }
  if (parent !== undefined && start.name !== undefined && parent.facts?.structure?.routers.get(parent.name)?.has(start.name) === true) {
    return "router";
  }
  if (start.tags.includes(HIDDEN_TAG)) {
    return "hidden";
  }
  return isGraph(start) ? "graph" : "span";
}

function isGraph(start: RunStart): boolean {
  const { id } = asObject(start.serialized);
  return start.kind === "chain" && Array.isArray(id) && id[0] === "langgraph" && id[1] === "pregel";
}

function serializedName(serialized: unknown): string {
  const { id } = asObject(serialized);
  return Array.isArray(id) ? String(id.at(-1)) : "run";
}
