import type { GraphMove, GraphStep } from "../event/event.ts";
import type { GraphFacts } from "./graph-facts.ts";
import type { OpenObservation, OpenTrace } from "../capture/recorder.ts";

export type Route = { readonly router: string; readonly to: readonly string[] };

/** One run of the framework: what it is recorded as, and what its end needs to know. */
export type RunRecord = {
  readonly runId: string;
  readonly traceId: string;
  /** The observation children hang under; undefined directly under the trace. */
  readonly parentId: string | undefined;
  readonly parent: RunRecord | undefined;
  readonly role: "trace" | "graph" | "node" | "router" | "tool" | "model" | "retriever" | "span" | "hidden";
  readonly name: string;
  readonly trace: OpenTrace | undefined;
  readonly observation: OpenObservation | undefined;
  facts: GraphFacts | undefined;
  readonly tool: { readonly parameters: Readonly<Record<string, unknown>>; readonly timestamp: string } | undefined;
  readonly routes: Route[];
  /** Where the routers of this node led. */
  readonly routed: GraphMove[];
  /** Which task of its graph a node runs as. */
  readonly step: GraphStep | undefined;
  /** The functional API's graph goes on from a checkpoint, or it was said where it begins. */
  isEntered: boolean;
  /** The graph below ended by a Command to the graph this node belongs to. */
  innerCommand: boolean;
  /** The checkpoint an interrupted graph waits at. */
  pausedAt: string | undefined;
  /** Names of tools whose calls were seen under this node. */
  readonly seenTools: string[];
  /** Tool entries of the agent's state that this trace has recorded already. */
  readonly seenEntries: Set<string>;
  interrupts: unknown;
  /** The error of the last run below that ended, if it failed. */
  childFailure: unknown;
  ended: boolean;
};

const MAX_RUNNING = 20_000;
const MAX_ENDED = 2000;

/**
 * Run ids are LangChain's and one for the whole process: handlers of several graphs are told of the same run, and an observation inside
 * it finds it without any handler. So all handlers share these.
 */
const running = new Map<string, RunRecord>();
/** Ended runs are kept for a while, so that work that a node left behind still finds its place. */
const ended = new Map<string, RunRecord>();

export function findRun(runId: string | undefined): RunRecord | undefined {
  return runId === undefined ? undefined : (running.get(runId) ?? ended.get(runId));
}

export function findRunning(runId: string): RunRecord | undefined {
  return running.get(runId);
}

export function rememberRun(record: RunRecord): void {
  ended.delete(record.runId);
  running.set(record.runId, record);
  forgetOldest(running, MAX_RUNNING);
}

export function endRun(record: RunRecord): void {
  record.ended = true;
  running.delete(record.runId);
  ended.set(record.runId, record);
  forgetOldest(ended, MAX_ENDED);
}

function forgetOldest(records: Map<string, RunRecord>, maximum: number): void {
  if (records.size > maximum) {
    const [oldest] = records.keys();
    if (oldest !== undefined) {
      records.delete(oldest);
    }
  }
}
