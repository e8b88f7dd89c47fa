import { asObject, type Values } from "../capture/loose-values.ts";
import type { ToolEntry } from "../event/event.ts";
import { endObservation, startObservation } from "../capture/recorder.ts";
import type { RunRecord } from "./run-records.ts";

/** Longer arguments are not parsed on the application's thread; they are recorded as the text they are. */
const MAX_PARSED_LENGTH = 65_536;
const MAX_ENTRIES = 1000;

/** LangChain hands a tool's arguments over as JSON text, or as the bare text of a tool that takes one. */
export function parseToolParameters(input: string): Values {
  if (input.length <= MAX_PARSED_LENGTH && input.startsWith("{")) {
    try {
      return JSON.parse(input) as Values;
    } catch {
      return { input };
    }
  }
  return { input };
}

/** A ToolMessage carries the result as its content, and whether the tool failed. */
export function readToolResult(output: unknown): { result: unknown; status: ToolEntry["status"] } {
  if (typeof output === "object" && output !== null && "tool_call_id" in output && "content" in output) {
    return { result: output.content, status: "status" in output && output.status === "error" ? "failure" : "success" };
  }
  return { result: output, status: "success" };
}

/**
 * Records the tool entries a node wrote into the agent's state and that no callback has shown. `_tools_executed_by` must be the
 * node's name; where it is not, the entry is flagged. Returns the node's own attributes.
 */
export function recordStateTools(node: RunRecord, output: unknown): Values {
  const update = stateUpdate(output);
  const entries = update["_tools_executed"];
  if (!Array.isArray(entries) || entries.length === 0) {
    return {};
  }
  const executedBy = typeof update["_tools_executed_by"] === "string" ? update["_tools_executed_by"] : undefined;
  const mismatch = executedBy !== undefined && executedBy !== node.name;
  const flags: Values = {
    ...(executedBy === undefined ? {} : { tools_executed_by: executedBy }),
    ...(mismatch ? { tools_executed_by_mismatch: true } : {}),
  };
  const seenTools = [...node.seenTools];
  for (const value of entries.slice(0, MAX_ENTRIES)) {
    const entry = readToolEntry(value);
    const key = entry === undefined ? "" : `${entry.tool_name}\n${entry.timestamp}\n${entry.status}`;
    if (entry !== undefined && !node.seenEntries.has(key)) {
      node.seenEntries.add(key);
      const seen = seenTools.indexOf(entry.tool_name);
      if (seen === -1) {
        recordToolEntry(node, entry, flags);
      } else {
        seenTools.splice(seen, 1);
      }
    }
  }
  return flags;
}

function recordToolEntry(node: RunRecord, entry: ToolEntry, flags: Values): void {
  const opened = startObservation({
    traceId: node.traceId,
    parentId: node.parentId,
    kind: "tool",
    name: entry.tool_name,
    startedAt: entry.timestamp,
    input: entry.parameters,
    attributes: { source: "_tools_executed", ...flags },
  });
  if (opened !== undefined) {
    const { status, result } = entry;
    endObservation(opened, { status, output: result, tool: entry, duration: 0, endedAt: entry.timestamp });
  }
}

/** A node returns its update or a Command around it. */
function stateUpdate(output: unknown): Values {
  const value = asObject(output);
  return value["lg_name"] === "Command" ? asObject(value["update"]) : value;
}

function readToolEntry(value: unknown): ToolEntry | undefined {
  const entry = asObject(value);
  const time = new Date(typeof entry["timestamp"] === "string" || entry["timestamp"] instanceof Date ? entry["timestamp"] : Number.NaN);
  if (typeof entry["tool_name"] !== "string" || (entry["status"] !== "success" && entry["status"] !== "failure")) {
    return undefined;
  }
  return {
    tool_name: entry["tool_name"],
    parameters: asObject(entry["parameters"]),
    result: entry["result"],
    timestamp: (Number.isNaN(time.getTime()) ? new Date() : time).toISOString(),
    status: entry["status"],
  };
}
