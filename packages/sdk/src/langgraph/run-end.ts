import type { Attributes, GraphMove } from "../event/event.ts";
import { movesAfter, movesAfterFailure, movesAfterInnerCommand, movesToParent, routedMoves } from "./graph-moves.ts";
import { endObservation, endTrace, type ObservationOutcome, recordGraphEntry } from "../capture/recorder.ts";
import { noteClass } from "../capture/returned.ts";
import type { RunRecord } from "./run-records.ts";
import { recordStateTools } from "./tool-call.ts";

/** How a run ended; `command` is the one it ended by, for the graph around its own. */
export type RunOutcome = ObservationOutcome & { readonly command?: unknown };

/** Records the end of a run in the way its role asks for. */
export function closeRun(record: RunRecord, outcome: RunOutcome): void {
  switch (record.role) {
    case "trace":
    case "graph":
      closeGraph(record, outcome);
      break;
    case "router":
      closeRouter(record, outcome);
      break;
    case "hidden":
      closeHidden(record, outcome);
      break;
    case "node":
      endRecord(
        record,
        { ...outcome, next: nextOf(record, outcome) },
        { ...recordStateTools(record, outcome.output), ...routesOf(record), ...gotoOf(outcome.output) },
      );
      break;
    case "tool":
      closeTool(record, outcome);
      break;
    case "model":
    case "retriever":
    case "span":
      endRecord(record, outcome, {});
      break;
    default:
      record.role satisfies never;
  }
}

function closeRouter(record: RunRecord, outcome: RunOutcome): void {
  if (record.parent !== undefined && outcome.status === "success") {
    const moves = routedMoves(record, outcome.output);
    record.parent.routed.push(...moves);
    record.parent.routes.push({ router: record.name, to: moves.map((move) => move.to) });
  }
}

/** The hidden beginning of a graph has edges and routers as a node has. */
function closeHidden(record: RunRecord, outcome: RunOutcome): void {
  const graph = record.parent;
  if (graph === undefined || (graph.role !== "graph" && graph.role !== "trace")) {
    return;
  }
  graph.routes.push(...record.routes);
  const known = record.facts?.structure !== undefined;
  if (known && outcome.status === "success" && record.step !== undefined && record.name === "__start__") {
    recordGraphEntry({
      trace_id: record.traceId,
      graph_id: graph.observation?.observationId ?? null,
      graph_hash: graph.facts?.declared?.hash,
      step: record.step.step,
      next: movesAfter(record, undefined),
    });
  }
}

function nextOf(record: RunRecord, outcome: RunOutcome): readonly GraphMove[] | undefined {
  if (outcome.status === "failure") {
    return movesAfterFailure(record);
  }
  if (outcome.status !== "success" || record.facts?.structure?.nodes.has(record.name) !== true) {
    return undefined;
  }
  if (outcome.command === undefined) {
    return movesAfter(record, outcome.output);
  }
  return record.innerCommand ? movesAfterInnerCommand(record) : movesToParent(outcome.command);
}

function closeGraph(record: RunRecord, outcome: RunOutcome): void {
  if (outcome.command !== undefined && record.parent !== undefined) {
    record.parent.innerCommand = true;
  }
  // An interrupted graph ends without an error; only the lifecycle callback reported the interrupt.
  const paused = record.interrupts !== undefined && outcome.status === "success";
  // A time-out reaches the graph as a mere abort; the node below knows that it was a failure.
  const failed = outcome.status === "interrupted" && record.childFailure !== undefined;
  const settled: ObservationOutcome = paused
    ? { ...outcome, status: "interrupted" }
    : failed
      ? { status: "failure", error: record.childFailure }
      : outcome;
  const hash = record.facts?.declared?.hash;
  const attributes: Attributes = {
    ...routesOf(record),
    ...(record.interrupts === undefined ? {} : { interrupts: record.interrupts }),
    ...(hash === undefined ? {} : { graph_hash: hash }),
  };
  endRecord(record, settled, attributes);
}

function closeTool(record: RunRecord, outcome: RunOutcome): void {
  const { parameters = {}, timestamp = new Date().toISOString() } = record.tool ?? {};
  const status = outcome.status === "success" ? "success" : "failure";
  const result = outcome.output ?? null;
  endRecord(record, { ...noteClass(outcome), tool: { tool_name: record.name, parameters, result, timestamp, status } }, {});
}

function endRecord(record: RunRecord, outcome: RunOutcome, attributes: Attributes): void {
  if (record.parent !== undefined) {
    record.parent.childFailure = outcome.status === "failure" ? (outcome.error ?? "failure") : undefined;
  }
  const ended = { ...outcome, attributes: { ...attributes, ...outcome.attributes } };
  if (record.observation !== undefined) {
    endObservation(record.observation, ended);
  }
  if (record.trace !== undefined) {
    const { status, output, error } = ended;
    const own = record.observation === undefined ? ended : { status, output, error };
    endTrace(record.trace, { ...own, pausedAt: status === "interrupted" ? record.pausedAt : undefined });
  }
}

function routesOf(record: RunRecord): Attributes {
  return record.routes.length === 0 ? {} : { routes: record.routes };
}

/** A node that answers a Command says itself where to go on. */
function gotoOf(output: unknown): Attributes {
  if (typeof output !== "object" || output === null || !("lg_name" in output) || output.lg_name !== "Command" || !("goto" in output)) {
    return {};
  }
  const targets: readonly unknown[] = Array.isArray(output.goto) ? output.goto : [output.goto];
  return targets.length === 0 ? {} : { goto: targets.map(targetName) };
}

function targetName(target: unknown): string {
  return typeof target === "object" && target !== null && "node" in target ? String(target.node) : String(target);
}
