import type { GraphMove, GraphStep } from "../event/event.ts";
import type { GraphStructure } from "./graph-structure.ts";
import type { RunRecord } from "./run-records.ts";

const END = "__end__";
const MAX_NAME_LENGTH = 600;
const MAX_MOVES = 1000;
const MAX_TRIGGERS = 1000;
const MAX_CHANNEL_LENGTH = 4000;

/** Where a router led, in the order of its answer. */
export type RoutedMoves = readonly GraphMove[];

/** Which task of its graph a node runs as, as LangGraph's metadata says. */
export function readStep(metadata: Readonly<Record<string, unknown>>): GraphStep | undefined {
  const { langgraph_checkpoint_ns: task, langgraph_step: step, langgraph_triggers: triggers, langgraph_path: path } = metadata;
  if (typeof task !== "string" || typeof step !== "number" || !Array.isArray(triggers)) {
    return undefined;
  }
  const place: unknown = Array.isArray(path) && path[0] === "__pregel_push" ? path[1] : undefined;
  return {
    task: task.slice(0, MAX_CHANNEL_LENGTH),
    step,
    triggers: triggers.slice(0, MAX_TRIGGERS).map((trigger) => String(trigger).slice(0, MAX_CHANNEL_LENGTH)),
    ...(typeof place === "number" ? { index: place } : {}),
  };
}

/** Where a node that ended well leads: what its Command says, its edges, its routers; the end when nothing else. */
export function movesAfter(record: RunRecord, output: unknown): readonly GraphMove[] {
  const moves = [...commandMoves(output), ...declaredMoves(record.facts?.structure, record.name), ...record.routed];
  return bounded(moves.length === 0 ? [{ to: END, via: "static" }] : moves);
}

/** A node whose inner graph ended by a Command to this one: the Command's target is the inner node's move. */
export function movesAfterInnerCommand(record: RunRecord): readonly GraphMove[] {
  return bounded([...declaredMoves(record.facts?.structure, record.name), ...record.routed]);
}

/** A node that left its graph by a Command to the graph around it. */
export function movesToParent(command: unknown): readonly GraphMove[] {
  return bounded(gotoMoves(command).map((move) => ({ ...move, parent: true })));
}

export function movesAfterFailure(record: RunRecord): readonly GraphMove[] | undefined {
  const handler = record.facts?.structure?.errorHandlers.get(record.name);
  return handler === undefined ? undefined : bounded([{ to: handler, via: "error" }]);
}

/** A router answers a name, a Send, or a list of them; declared ends say which node a name means. */
export function routedMoves(record: RunRecord, output: unknown): RoutedMoves {
  const answer: unknown = typeof output === "object" && output !== null && "output" in output ? output.output : output;
  const ends = record.parent?.facts?.structure?.routers.get(record.parent.name)?.get(record.name)?.ends;
  return (Array.isArray(answer) ? answer : [answer]).map((target: unknown) =>
    isSend(target) ? { to: target.node, via: "send" } : { to: ends?.[String(target)] ?? String(target), via: "conditional" },
  );
}

/** The targets of a Command that is a graph's input, or of those that a node answered for its own graph. */
export function commandMoves(output: unknown): readonly GraphMove[] {
  if (isSend(output)) {
    return [{ to: output.node, via: "send" }];
  }
  const commands = (Array.isArray(output) ? output : [output]).filter(isCommand);
  return commands.filter((command) => command.graph !== "__parent__").flatMap(gotoMoves);
}

function gotoMoves(command: unknown): readonly GraphMove[] {
  const goto: unknown = typeof command === "object" && command !== null && "goto" in command ? command.goto : [];
  return (Array.isArray(goto) ? goto : [goto]).map((target: unknown) =>
    isSend(target) ? { to: target.node, via: "send" } : { to: String(target), via: "goto" },
  );
}

function declaredMoves(structure: GraphStructure | undefined, node: string): readonly GraphMove[] {
  const edges = structure?.edges.get(node) ?? [];
  const joins = (structure?.joins ?? []).filter(({ from }) => from.includes(node));
  return [
    ...edges.map((to) => ({ to, via: "static" as const })),
    ...joins.map(({ from, to }) => ({ to, via: "join" as const, trigger: `join:${from.join("+")}:${to}` })),
  ];
}

/** Equal moves in a row become one with a count: a fan-out to thousands of tasks stays small. */
function bounded(moves: readonly GraphMove[]): readonly GraphMove[] {
  const merged: GraphMove[] = [];
  for (const { trigger, ...given } of moves) {
    const move = {
      ...given,
      to: given.to.slice(0, MAX_NAME_LENGTH),
      ...(trigger === undefined ? {} : { trigger: trigger.slice(0, MAX_CHANNEL_LENGTH) }),
    };
    const last = merged.at(-1);
    if (last !== undefined && last.to === move.to && last.via === move.via && last.trigger === move.trigger) {
      merged[merged.length - 1] = { ...last, count: (last.count ?? 1) + 1 };
    } else {
      merged.push(move);
    }
  }
  return merged.slice(0, MAX_MOVES);
}

function isSend(target: unknown): target is { readonly node: string } {
  return typeof target === "object" && target !== null && "lg_name" in target && target.lg_name === "Send" && "node" in target;
}

function isCommand(value: unknown): value is { readonly graph?: unknown } {
  return typeof value === "object" && value !== null && "lg_name" in value && value.lg_name === "Command";
}
