import type { GraphMove, GraphStep, ObservationRow } from "#schema.ts";

export type GraphObservation = Pick<ObservationRow, "id" | "trace_id" | "parent_id" | "kind" | "name" | "graph_step" | "next"> & {
  readonly end_status: string | null;
};

/** Where a graph's beginning leads. Its owner is the graph's observation, or the trace of which it is the graph. */
export type GraphEntry = {
  readonly trace_id: string;
  readonly owner_id: string;
  readonly value: { readonly graph_hash?: string; readonly step?: number; readonly next: readonly GraphMove[] };
};

type Found = {
  /** One part of a trace each: from its start, or from a resume, to its end or its pause. */
  readonly segments: readonly { readonly id: string; readonly status?: string }[];
  /** The runs in the order of their start. */
  readonly observations: readonly GraphObservation[];
  readonly entries: readonly GraphEntry[];
};

/** A node's run in one graph: all its attempts, and those after interrupts. */
export type Task = {
  readonly node: string;
  readonly step: GraphStep;
  /** What its last attempt that said so said. */
  next: readonly GraphMove[];
};

/** One run of one graph, from its beginning to its end, pauses included. */
export type GraphRun = {
  /** What its nodes' names begin with: the nodes around it. */
  path: string;
  /** The task of the graph around it that ran it. */
  outer: { readonly run: GraphRun; readonly task: Task } | undefined;
  readonly tasks: Map<string, Task>;
  /** Tasks by the observations that ran them. */
  readonly taskOf: Map<string, Task>;
  readonly entries: { readonly step: number | undefined; readonly next: readonly GraphMove[]; readonly segment: number }[];
  readonly hashes: Set<string>;
  /** The lowest step of each segment. */
  readonly firstSteps: Map<number, number>;
  succeeded: boolean;
};

/**
 * The runs of graphs in a trace. A run that was interrupted and resumed is one run: what belongs together has the same tasks. Of several
 * graphs beside each other at the top, the names of the nodes begin with the name of the graph.
 */
export function findGraphRuns({ segments, ...found }: Found): readonly GraphRun[] {
  const observationsOf = Map.groupBy(found.observations, ({ trace_id: traceId }) => traceId);
  const entriesOf = Map.groupBy(found.entries, ({ trace_id: traceId, owner_id: owner }) => `${traceId} ${owner}`);
  const runs = new Map<string, GraphRun>();
  const tops = new Map<GraphRun, string>();
  for (const [index, { id: traceId, status }] of segments.entries()) {
    const observations = observationsOf.get(traceId) ?? [];
    const byId = new Map(observations.map((observation) => [observation.id, observation]));
    const nodesOf = Map.groupBy(observations.filter(isStep), ({ parent_id: parentId }) => parentId ?? traceId);
    const graphs = observations.filter(({ id, kind }) => kind === "graph" || nodesOf.has(id));
    const counts = new Map<string, number>();
    const runOf = new Map<string, GraphRun>();
    const nodeAround = createNodeFinder(byId);
    for (const owner of [undefined, ...graphs]) {
      const id = owner?.id ?? traceId;
      const nodes = nodesOf.get(id) ?? [];
      const entries = entriesOf.get(`${traceId} ${id}`) ?? [];
      if (owner === undefined && nodes.length === 0 && entries.length === 0) {
        continue;
      }
      const run = openRun(owner === undefined ? "trace" : keyOf(owner, nodes, counts));
      runOf.set(id, run);
      // The last segment that ran it knows how it ended.
      run.succeeded = (owner === undefined ? status : owner.end_status) === "success";
      for (const node of nodes) {
        addTask(run, node, index);
      }
      for (const { graph_hash: hash, step, next } of entries.map(({ value }) => value)) {
        run.entries.push({ step, next, segment: index });
        if (hash !== undefined) {
          run.hashes.add(hash);
        }
      }
      if (owner !== undefined) {
        const around = nodeAround(owner);
        const outer = around === undefined ? undefined : runOf.get(around.parent_id ?? traceId);
        const task = around === undefined ? undefined : outer?.tasks.get(around.graph_step.task);
        if (outer !== undefined && task !== undefined) {
          run.outer = { run: outer, task };
        } else {
          tops.set(run, owner.name ?? "");
        }
      }
    }
  }
  const isOneAtTheTop = new Set(tops.values()).size <= 1;
  for (const run of runs.values()) {
    const name = tops.get(run);
    // Graphs are found from the outside to the inside.
    const path =
      run.outer === undefined ? (name === undefined || isOneAtTheTop ? "" : `${name}:`) : `${run.outer.run.path}${run.outer.task.node}:`;
    run.path = path.slice(0, MAX_PATH);
  }
  return [...runs.values()];

  function openRun(key: string): GraphRun {
    const known = runs.get(key);
    if (known !== undefined) {
      return known;
    }
    const run: GraphRun = {
      path: "",
      outer: undefined,
      tasks: new Map(),
      taskOf: new Map(),
      entries: [],
      hashes: new Set(),
      firstSteps: new Map(),
      succeeded: false,
    };
    runs.set(key, run);
    return run;
  }
}

/** What the graph calls the nodes that observations ran as, by the ids of these. */
export function nodeNames(runs: readonly GraphRun[]): ReadonlyMap<string, string> {
  return new Map(runs.flatMap(({ path, taskOf }) => [...taskOf].map(([id, { node }]) => [id, `${path}${node}`] as const)));
}

/** Characters; of names that are longer, as of thousands of graphs inside each other, the beginning tells. */
const MAX_PATH = 4_000;

/** A graph's run is known by the namespace its tasks share, and by which of several graphs in that namespace it is. */
function keyOf(graph: GraphObservation, nodes: readonly Step[], counts: Map<string, number>): string {
  const [first] = nodes;
  if (first === undefined) {
    return graph.id;
  }
  const namespace = first.graph_step.task.split("|").slice(0, -1).join("|");
  const count = counts.get(namespace) ?? 0;
  counts.set(namespace, count + 1);
  return `${namespace}#${count}`;
}

type Step = GraphObservation & { readonly graph_step: GraphStep; readonly name: string };

function isStep(observation: GraphObservation): observation is Step {
  return observation.graph_step !== null && observation.name !== null;
}

function addTask(run: GraphRun, { id, graph_step: step, name, next }: Step, segment: number): void {
  const known = run.tasks.get(step.task);
  const task = known ?? { node: name, step, next: next ?? [] };
  if (known === undefined) {
    run.tasks.set(step.task, task);
  } else if (next !== null) {
    known.next = next;
  }
  run.taskOf.set(id, task);
  run.firstSteps.set(segment, Math.min(run.firstSteps.get(segment) ?? Infinity, step.step));
}

/** Climbs from a graph to the node that ran it. What was climbed once is known: of many graphs inside each other none is climbed again. */
function createNodeFinder(byId: ReadonlyMap<string, GraphObservation>): (graph: GraphObservation) => Step | undefined {
  const known = new Map<string, Step | undefined>();
  return (graph) => {
    const climbed: string[] = [];
    let found: Step | undefined;
    for (let id = graph.parent_id; id !== null;) {
      if (known.has(id)) {
        found = known.get(id);
        break;
      }
      // Parents that lead in a circle come by here again.
      known.set(id, undefined);
      climbed.push(id);
      const above = byId.get(id);
      if (above !== undefined && isStep(above)) {
        found = above;
        break;
      }
      id = above?.parent_id ?? null;
    }
    for (const id of climbed) {
      known.set(id, found);
    }
    return found;
  };
}
