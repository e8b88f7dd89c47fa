import type { GraphMove } from "#schema.ts";
import type { GraphRun } from "#query/steps/graph-runs.ts";

/** A step that has said where it leads. */
export type Source = {
  readonly key: string;
  readonly name: string;
  readonly step: number;
  /** In which order a graph takes the writes of one step. */
  readonly order: string;
  readonly moves: readonly GraphMove[];
};

const START = "__start__";

/** For each run what led somewhere in it: its beginning, its nodes, and the nodes of graphs inside that left them by a Command. */
export function sourcesByRun(runs: readonly GraphRun[]): ReadonlyMap<GraphRun, readonly Source[]> {
  const sources = new Map(runs.map((run) => [run, [...entriesOf(run), ...tasksOf(run)]]));
  for (const { outer, path, tasks } of runs) {
    if (outer !== undefined) {
      for (const { node, step, next } of tasks.values()) {
        const moves = next.filter((move) => move.parent === true);
        if (moves.length > 0) {
          // The Command goes the way of the task that ran the inner graph.
          const { node: around, step: place } = outer.task;
          sources
            .get(outer.run)
            ?.push({ key: step.task, name: `${path}${node}`, step: place.step, order: orderOf(around, place.index), moves });
        }
      }
    }
  }
  return sources;
}

function entriesOf(run: GraphRun): Source[] {
  const lowest = Math.min(...run.firstSteps.values());
  return run.entries.map(({ step, next, segment }, index) => ({
    key: `${START} ${index}`,
    name: `${run.path}${START}`,
    step: step ?? (run.firstSteps.get(segment) ?? lowest) - 1,
    order: orderOf(START, undefined),
    moves: next,
  }));
}

function tasksOf(run: GraphRun): Source[] {
  return [...run.tasks.values()].map(({ node, step, next }) => ({
    key: step.task,
    name: `${run.path}${node}`,
    step: step.step,
    order: orderOf(node, step.index),
    moves: next.filter((move) => move.parent !== true),
  }));
}

function orderOf(node: string, index: number | undefined): string {
  return index === undefined ? `pull ${node}` : `push ${String(index).padStart(10, "0")}`;
}
