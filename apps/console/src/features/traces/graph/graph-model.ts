import type { ObservationStatus, Step, TakenEdge, Trace } from "@sightline/observability/contract";

/** A box of the graph: a node, its beginning or end, or a single run. */
export type GraphBox = {
  readonly id: string;
  readonly label: string;
  readonly parent: string | undefined;
  readonly kind: "start" | "end" | "step";
  /** The runs, sorted by their start. */
  readonly runs: readonly Step[];
};

export type GraphLink = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly isDeclared: boolean;
  /** How often it was taken, and how it came about. */
  readonly taken: readonly Pick<TakenEdge, "via" | "count">[];
};

export type GraphModel = {
  readonly boxes: readonly GraphBox[];
  readonly links: readonly GraphLink[];
  /** Runs in the order of their start: the moments that can be played back. */
  readonly runs: readonly Step[];
  /** Boxes there would be without a bound. */
  readonly total: number;
};

export const MAX_BOXES = 200;

type Graph = NonNullable<Trace["graph"]>;

/** The graph that ran, if one did: OpenTelemetry calls every agent one, and seldom tells of nodes. */
export function graphThatRan<Given extends Graph>(graph: Given | null, steps: readonly Step[]): Given | null {
  const isKnown = graph !== null && (graph.declared !== null || graph.taken.length > 0);
  return isKnown || steps.some(({ graph_node: node }) => node !== null) ? graph : null;
}

/** One box for each node, wherever it stands: declared, gone through, or both. */
export function aggregatedGraph(graph: Graph, steps: readonly Step[]): GraphModel {
  const runs = byStart(steps.filter(({ graph_node: node }) => node !== null));
  const runsOf = Map.groupBy(runs, ({ graph_node: node }) => node ?? "");
  const taken = graph.taken.filter((edge): edge is TakenEdge & { from: string } => edge.from !== null);
  // Those that ran come first, so that a bound leaves out what only could have.
  const names = new Set([
    ...runsOf.keys(),
    ...taken.flatMap(({ from, to }) => [from, to]),
    ...graph.taken.map(({ to }) => to),
    ...(graph.declared?.nodes ?? []),
    ...(graph.declared?.edges ?? []).flatMap(({ from, to }) => [from, to]),
  ]);
  const all = withParents(names);
  const kept = new Set([...all].slice(0, MAX_BOXES));
  for (const name of kept) {
    parentsOf(name).forEach((parent) => kept.add(parent));
  }
  const boxes = [...kept].map((name) => ({
    id: name,
    label: labelOf(name),
    parent: parentsOf(name)[0],
    kind: kindOf(name),
    runs: runsOf.get(name) ?? [],
  }));
  return { boxes, links: joinLinks(graph, taken, kept), runs, total: all.size };
}

/** One box for each run of a node, in the steps of its graph. */
export function expandedGraph(graph: Graph, steps: readonly Step[]): GraphModel {
  const all = byStart(steps.filter(({ graph_node: node }) => node !== null));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const runs = all.slice(0, MAX_BOXES);
  const kept = new Set(runs.map(({ id }) => id));
  const sources = Map.groupBy(graph.taken, ({ to }) => to);
  const boxes = runs.map((step) => ({
    id: step.id,
    label: labelOf(step.graph_node ?? step.name),
    parent: nodeAround(step, byId, kept),
    kind: "step" as const,
    runs: [step],
  }));
  const siblings = Map.groupBy(boxes, ({ parent, runs: [run] }) => `${parent ?? ""} ${run?.run_id ?? ""}`);
  const links = [...siblings.values()].flatMap((group) => runLinks(group, sources));
  return { boxes, links, runs, total: all.length };
}

/** Where no graph ran: what called what, below the trace if several steps began it. */
export function callGraph(trace: { readonly id: string; readonly name: string }, steps: readonly Step[]): GraphModel {
  const shown = steps.slice(0, MAX_BOXES);
  const known = new Set(shown.map(({ id }) => id));
  const root: GraphBox = { id: trace.id, label: trace.name, parent: undefined, kind: "start", runs: [] };
  const boxes = shown.map((step) => ({ id: step.id, label: step.name, parent: undefined, kind: "step" as const, runs: [step] }));
  const callerOf = ({ parent_id: parent }: Step) => (parent !== null && known.has(parent) ? parent : undefined);
  const hasOneRoot = shown.filter((step) => callerOf(step) === undefined).length === 1;
  const links = shown.flatMap((step) => {
    const caller = callerOf(step) ?? (hasOneRoot ? undefined : trace.id);
    return caller === undefined ? [] : [linkOf(caller, step.id, { isDeclared: false, taken: [{ via: "static", count: 1 }] })];
  });
  return { boxes: hasOneRoot ? boxes : [root, ...boxes], links, runs: byStart(shown), total: steps.length };
}

/** `outer` of `outer:inner`, and what is around it: the nearest first. */
function parentsOf(name: string): readonly string[] {
  const parts = name.split(":");
  return parts
    .slice(0, -1)
    .map((_part, index) => parts.slice(0, index + 1).join(":"))
    .toReversed();
}

function withParents(names: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const name of names) {
    for (const parent of parentsOf(name).toReversed()) {
      all.add(parent);
    }
    all.add(name);
  }
  return all;
}

function labelOf(name: string): string {
  const label = name.split(":").at(-1) ?? name;
  return label === "__start__" ? "Start" : label === "__end__" ? "End" : label;
}

function kindOf(name: string): GraphBox["kind"] {
  return name.endsWith("__start__") ? "start" : name.endsWith("__end__") ? "end" : "step";
}

function linkOf(from: string, to: string, rest: Pick<GraphLink, "isDeclared" | "taken">): GraphLink {
  return { id: JSON.stringify([from, to]), from, to, ...rest };
}

function joinLinks(
  graph: Graph,
  taken: readonly (TakenEdge & { readonly from: string })[],
  kept: ReadonlySet<string>,
): readonly GraphLink[] {
  const declared = new Set((graph.declared?.edges ?? []).map(({ from, to }) => JSON.stringify([from, to])));
  const takenBy = Map.groupBy(taken, ({ from, to }) => JSON.stringify([from, to]));
  return [...new Set([...takenBy.keys(), ...declared])].flatMap((key) => {
    const [from, to] = JSON.parse(key) as [string, string];
    const ways = (takenBy.get(key) ?? []).map(({ via, count }) => ({ via, count }));
    return kept.has(from) && kept.has(to) ? [linkOf(from, to, { isDeclared: declared.has(key), taken: ways })] : [];
  });
}

/**
 * A run comes from those runs of the step before its own whose nodes led to its node; an edge that waits for others, from their last ones
 * however long ago.
 */
function runLinks(group: readonly GraphBox[], sources: ReadonlyMap<string, readonly TakenEdge[]>): readonly GraphLink[] {
  const placed = group.flatMap((box) => box.runs.map((run) => ({ box, run })));
  const byNode = Map.groupBy(placed, ({ run }) => run.graph_node);
  return placed.flatMap(({ box, run }) => {
    const before = (sources.get(run.graph_node ?? "") ?? []).flatMap(({ from, via }) => {
      const earlier = (byNode.get(from) ?? []).filter((other) => stepOf(other.run) < stepOf(run));
      const last = earlier.reduce((latest, other) => Math.max(latest, stepOf(other.run)), -1);
      return earlier.filter((other) => stepOf(other.run) === last).map((other) => ({ ...other, via }));
    });
    const next = before.filter((other) => other.via === "join" || stepOf(other.run) === stepOf(run) - 1);
    return next.map((other) => linkOf(other.box.id, box.id, { isDeclared: false, taken: [{ via: other.via, count: 1 }] }));
  });
}

function stepOf({ graph_step: step }: Step): number {
  return step ?? -1;
}

/** The nearest run of a node around it. */
function nodeAround(step: Step, byId: ReadonlyMap<string, Step>, kept: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>();
  for (let id = step.parent_id; id !== null && !seen.has(id);) {
    seen.add(id);
    const around = byId.get(id);
    if (around !== undefined && around.graph_node !== null && kept.has(id)) {
      return id;
    }
    id = around?.parent_id ?? null;
  }
  return undefined;
}

export function byStart(steps: readonly Step[]): readonly Step[] {
  return steps.toSorted((left, right) => Date.parse(left.started_at) - Date.parse(right.started_at) || left.seq - right.seq);
}

export type BoxState = {
  readonly status: ObservationStatus | "idle";
  readonly runs: number;
  readonly failures: number;
  /** Milliseconds of all its runs together that are over. */
  readonly total: number;
  /** The last run that has begun. */
  readonly last: Step | undefined;
  readonly isCurrent: boolean;
};

/**
 * What is known of a box at a moment: so many runs of the trace have begun, and of those the ones that ended before the last of them began
 * are over. At the end it is as the trace is now.
 */
export function boxState(box: GraphBox, model: GraphModel, moment: number): BoxState {
  const last = model.runs[moment - 1];
  const isNow = moment >= model.runs.length;
  const time = last === undefined ? 0 : Date.parse(last.started_at);
  const begun = isNow ? box.runs : box.runs.filter((run) => isBegun(run, last));
  const states = begun.map((run) => (isNow || (run.id !== last?.id && endOf(run) <= time) ? run.status : "running"));
  const isCurrent = states.includes("running");
  return {
    status: isCurrent ? "running" : (states.at(-1) ?? "idle"),
    runs: begun.length,
    failures: states.filter((state) => state === "failure").length,
    total: begun.reduce((sum, run, index) => sum + (states[index] === "running" ? 0 : (run.duration_ms ?? 0)), 0),
    last: begun.at(-1),
    isCurrent,
  };
}

function isBegun(run: Step, last: Step | undefined): boolean {
  return last !== undefined && (Date.parse(run.started_at) - Date.parse(last.started_at) || run.seq - last.seq) <= 0;
}

function endOf({ started_at: started, duration_ms: duration }: Step): number {
  return duration === null ? Number.POSITIVE_INFINITY : Date.parse(started) + duration;
}
