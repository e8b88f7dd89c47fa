import type { TakenEdge } from "#contract.ts";
import type { GraphMove } from "#schema.ts";
import type { GraphRun, Task } from "./graph-runs.ts";

const [START, END, PUSH] = ["__start__", "__end__", "__pregel_push"];

/** A step that has said where it leads. */
type Source = {
  readonly name: string;
  readonly step: number;
  /** In which order a graph takes the writes of one step. */
  readonly order: string;
  readonly moves: readonly GraphMove[];
};

/**
 * The edges that were gone, by joining where each step said it leads with what then started, by step numbers and channels and never by
 * time: an edge that a node chose but whose target never ran is not among them. Equal runs give equal lists.
 */
export function findTakenEdges(runs: readonly GraphRun[]): readonly TakenEdge[] {
  const edges = new Map<string, TakenEdge>();
  for (const run of runs) {
    const sources = sourcesOf(run, runs);
    const tasks = [...run.tasks.values()].toSorted((left, right) => left.step.step - right.step.step);
    const lastPulls = new Map<string, number>();
    for (const task of tasks) {
      for (const { name, via } of causesOf(task, sources, lastPulls)) {
        add(name, `${run.path}${task.node}`, via);
      }
    }
    for (const { name, step, moves } of sources) {
      if (run.succeeded || tasks.some((task) => task.step.step > step)) {
        for (const via of new Set(moves.filter(({ to }) => to === END).map((move) => move.via))) {
          add(name, `${run.path}${END}`, via);
        }
      }
    }
  }
  return [...edges].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, edge]) => edge);

  function add(from: string | null, to: string, via: TakenEdge["via"]): void {
    const key = JSON.stringify([from ?? "", to, via]);
    edges.set(key, { from, to, via, count: (edges.get(key)?.count ?? 0) + 1 });
  }
}

type Cause = { readonly name: string | null; readonly via: TakenEdge["via"] };

/** What led to a task, by each channel that triggered it. */
function causesOf(task: Task, sources: readonly Source[], lastPulls: Map<string, number>): readonly Cause[] {
  const { step, triggers, index } = task.step;
  const handled = sources.filter((source) => source.step === step && source.moves.some(({ to, via }) => via === "error" && to === task.node));
  if (handled.length > 0) {
    return handled.slice(0, 1).map(({ name }) => ({ name, via: "error" }));
  }
  return triggers.flatMap((trigger): readonly Cause[] => {
    if (trigger === PUSH) {
      // A task without a place among those that were sent was called by a node, and no edge leads to it.
      return index === undefined ? [] : [sentBy(task.node, step, index, sources)];
    }
    const since = lastPulls.get(`${task.node} ${trigger}`) ?? -Infinity;
    lastPulls.set(`${task.node} ${trigger}`, step);
    const causes = sources
      .filter((source) => source.step >= since && source.step < step)
      .flatMap(({ name, moves }) =>
        [...new Set(moves.filter((move) => leadsTo(move, task.node, trigger)).map(({ via }) => via))].map((via) => ({ name, via })),
      );
    return causes.length > 0 ? causes : [{ name: null, via: "unknown" }];
  });
}

function leadsTo({ to, via, trigger }: GraphMove, node: string, by: string): boolean {
  return to === node && via !== "send" && (via === "join" ? trigger === by : by === `branch:to:${node}`);
}

/** A graph lines up what the steps before sent, step by step and in the order of the tasks. */
function sentBy(node: string, step: number, index: number, sources: readonly Source[]): Cause {
  const sending = sources.filter((source) => source.step < step && source.moves.some(({ via }) => via === "send"));
  const last = Math.max(...sending.map((source) => source.step));
  let place = 0;
  for (const { name, moves } of sending.filter((source) => source.step === last).toSorted(byOrder)) {
    for (const { to, via, count = 1 } of moves) {
      if (via === "send") {
        if (index < place + count) {
          return to === node ? { name, via } : { name: null, via: "unknown" };
        }
        place += count;
      }
    }
  }
  return { name: null, via: "unknown" };
}

function byOrder(left: Source, right: Source): number {
  return left.order < right.order ? -1 : left.order > right.order ? 1 : 0;
}

function sourcesOf(run: GraphRun, runs: readonly GraphRun[]): readonly Source[] {
  const lowest = Math.min(...run.firstSteps.values());
  const entries = run.entries.map(({ step, next, segment }) => ({
    name: `${run.path}${START}`,
    step: step ?? (run.firstSteps.get(segment) ?? lowest) - 1,
    order: orderOf(START, undefined),
    moves: next,
  }));
  const own = [...run.tasks.values()].map(({ node, step, next }) => ({
    name: `${run.path}${node}`,
    step: step.step,
    order: orderOf(node, step.index),
    moves: next.filter((move) => move.parent !== true),
  }));
  // A Command to the graph around goes the way of the task that ran the inner graph.
  const inner = runs.flatMap(({ outer, path, tasks }) =>
    outer?.run === run
      ? [...tasks.values()].map(({ node, next }) => ({
          name: `${path}${node}`,
          step: outer.task.step.step,
          order: orderOf(outer.task.node, outer.task.step.index),
          moves: next.filter((move) => move.parent === true),
        }))
      : [],
  );
  return [...entries, ...own, ...inner].filter(({ moves }) => moves.length > 0);
}

function orderOf(node: string, index: number | undefined): string {
  return index === undefined ? `pull ${node}` : `push ${String(index).padStart(10, "0")}`;
}
