import type { Attributes } from "./event.ts";
import { endObservation, endTrace, type ObservationOutcome } from "./recorder.ts";
import type { Route, RunRecord } from "./run-records.ts";
import { recordStateTools } from "./tool-call.ts";

/** Records the end of a run in the way its role asks for. */
export function closeRun(record: RunRecord, outcome: ObservationOutcome): void {
  switch (record.role) {
    case "trace":
    case "graph":
      closeGraph(record, outcome);
      break;
    case "router":
      record.parent?.routes.push(readRoute(record, outcome.output));
      break;
    case "hidden":
      record.parent?.routes.push(...record.routes);
      break;
    case "node":
      close(record, outcome, { ...recordStateTools(record, outcome.output), ...routesOf(record), ...gotoOf(outcome.output) });
      break;
    case "tool":
      closeTool(record, outcome);
      break;
    case "model":
    case "retriever":
    case "span":
      close(record, outcome, {});
      break;
    default:
      record.role satisfies never;
  }
}

function closeGraph(record: RunRecord, outcome: ObservationOutcome): void {
  // An interrupted graph ends without an error; only the lifecycle callback told of it.
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
  close(record, settled, attributes);
}

function closeTool(record: RunRecord, outcome: ObservationOutcome): void {
  const { parameters = {}, timestamp = new Date().toISOString() } = record.tool ?? {};
  const status = outcome.status === "success" ? "success" : "failure";
  const result = outcome.output ?? null;
  close(record, { ...outcome, tool: { tool_name: record.name, parameters, result, timestamp, status } }, {});
}

function close(record: RunRecord, outcome: ObservationOutcome, attributes: Attributes): void {
  if (record.parent !== undefined) {
    record.parent.childFailure = outcome.status === "failure" ? (outcome.error ?? "failure") : undefined;
  }
  const ended = { ...outcome, attributes: { ...attributes, ...outcome.attributes } };
  if (record.trace !== undefined) {
    endTrace(record.trace, ended);
  } else if (record.observation !== undefined) {
    endObservation(record.observation, ended);
  }
}

function routesOf(record: RunRecord): Attributes {
  return record.routes.length === 0 ? {} : { routes: record.routes };
}

/** A router answers a name, a Send, or a list of them; declared ends say which node a name means. */
function readRoute(record: RunRecord, output: unknown): Route {
  const answer: unknown = typeof output === "object" && output !== null && "output" in output ? output.output : output;
  const ends = record.parent?.facts?.routers.get(record.parent.name)?.get(record.name)?.ends;
  const to = (Array.isArray(answer) ? answer : [answer]).map((target: unknown) => {
    const name = typeof target === "object" && target !== null && "node" in target ? String(target.node) : String(target);
    return ends?.[name] ?? name;
  });
  return { router: record.name, to };
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
