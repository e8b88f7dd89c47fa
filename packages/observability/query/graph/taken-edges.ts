import type { GraphMove } from "#schema.ts";
import type { GraphRun, Task } from "#query/steps/graph-runs.ts";
import type { TakenEdge } from "#contract.ts";

const [START, END, PUSH] = ["__start__", "__end__", "__pregel_push"];

/**
 * The edges that were gone, by joining where each step said it leads with what then started, by step numbers and channels and never by
 * time: an edge that a node chose but whose target never ran is not among them. Equal runs give equal lists.
 */
export function findTakenEdges(runs: readonly GraphRun[]): readonly TakenEdge[] {
  const edges = new Map<string, TakenEdge>();
  for (const [run, sources] of sourcesByRun(runs)) {
    const tasks = [...run.tasks.values()].toSorted((left, right) => left.step.step - right.step.step);
    if (sources.every(({ moves }) => moves.length === 0)) {
      for (const { from, to } of edgesBySteps(tasks, run.succeeded)) {
        add(from === null ? null : `${run.path}${from}`, `${run.path}${to}`, "unknown");
      }
      continue;
    }
    const lastStep = tasks.at(-1)?.step.step ?? -Infinity;
    const sent = lineUpSent(sources);
    const leading = Map.groupBy(
      sources
        .flatMap((source) => source.moves.map((move) => ({ source, move })))
        .toSorted((left, right) => left.source.step - right.source.step),
      ({ move }) => leadKey(move.to, channelOf(move)),
    );
    const leadsTo = (node: string, channel: string) => leading.get(leadKey(node, channel)) ?? [];
    const lastPulls = new Map<string, number>();
    for (const task of tasks) {
      for (const { name, via } of causesOf(task, leadsTo, sent, lastPulls)) {
        add(name, `${run.path}${task.node}`, via);
      }
    }
    for (const { name, step, moves } of sources) {
      if (run.succeeded || lastStep > step) {
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

/** The edges of a run whose nodes did not say where they lead: a step is led to by what ran in the step before, which is known when that was one node. */
function edgesBySteps(tasks: readonly Task[], succeeded: boolean): readonly { readonly from: string | null; readonly to: string }[] {
  const steps = [...Map.groupBy(tasks, ({ step }) => step.step)].map(([step, { length, 0: first }]) => ({
    step,
    only: length === 1 ? (first?.node ?? null) : null,
  }));
  const before = new Map(steps.map(({ step, only }) => [step + 1, only]));
  const lowest = steps[0]?.step;
  const edges = tasks.map(({ node, step: { step } }) => ({ from: step === lowest ? START : (before.get(step) ?? null), to: node }));
  const last = steps.at(-1);
  return succeeded && last !== undefined && last.only !== null ? [...edges, { from: last.only, to: END }] : edges;
}

type Cause = { readonly name: string | null; readonly via: TakenEdge["via"] };
type Lead = { readonly source: Source; readonly move: Source["moves"][number] };

const UNKNOWN: Cause = { name: null, via: "unknown" };

/** What a move writes to, so that each trigger of a task looks at those moves alone that can have pulled it. */
function channelOf({ via, to, trigger = "" }: Source["moves"][number]): string {
  return via === "error" || via === "send" ? via : `pull ${via === "join" ? trigger : `branch:to:${to}`}`;
}

function leadKey(node: string, channel: string): string {
  return JSON.stringify([node, channel]);
}

/** What led to a task, by each channel that triggered it. `leadsTo` gives the moves to a node by a channel, by their steps. */
function causesOf(
  task: Task,
  leadsTo: (node: string, channel: string) => readonly Lead[],
  sent: SentTasks,
  lastPulls: Map<string, number>,
): readonly Cause[] {
  const { step, triggers, index } = task.step;
  const errors = leadsTo(task.node, "error");
  const handled = errors[firstFrom(errors, step)];
  if (handled?.source.step === step) {
    return [{ name: handled.source.name, via: "error" }];
  }
  const causes = triggers.map((trigger): readonly Cause[] => {
    if (trigger === PUSH) {
      // A task without a place among those that were sent was called by a node, and no edge leads to it.
      return index === undefined ? [] : [sentBy(task.node, step, index, sent)];
    }
    const key = leadKey(task.node, trigger);
    const since = lastPulls.get(key) ?? -Infinity;
    // The functional API's function reads the input itself.
    const leads = leadsTo(task.node, `pull ${trigger === START ? `branch:to:${task.node}` : trigger}`);
    const pulling = leads.slice(firstFrom(leads, since), firstFrom(leads, step));
    if (pulling.length === 0 || !isWhole(trigger, task.node, pulling)) {
      return [UNKNOWN];
    }
    lastPulls.set(key, step);
    return [
      ...new Map(
        pulling.map(({ source, move }) => [JSON.stringify([source.key, move.via]), { name: source.name, via: move.via }]),
      ).values(),
    ];
  });
  // LangGraph for Python names every channel that can trigger a node; those that nobody wrote to did not.
  const known = causes.filter((found) => found[0] !== UNKNOWN);
  return (known.length > 0 ? known : causes).flat();
}

/** A join leads on only when all nodes that its channel lists (`join:a+b:target`) have ended. Their names may hold its signs. */
function isWhole(trigger: string, node: string, leads: readonly Lead[]): boolean {
  const end = `:${node}`;
  if (!trigger.startsWith("join:") || !trigger.endsWith(end)) {
    return true;
  }
  const awaited = trigger.slice("join:".length, -end.length);
  return [...new Set(leads.map(({ source }) => source.node))].join("+").length === awaited.length;
}

/** Where in the list, which is in the order of its steps, the first of that step or a later one is. */
function firstFrom(leads: readonly Lead[], step: number): number {
  let [low, high] = [0, leads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((leads[middle]?.source.step ?? Infinity) < step) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** By step: what was sent there, in the order in which the graph numbers it; each with the number after its last. */
type SentTasks = readonly {
  readonly step: number;
  readonly line: readonly { readonly name: string; readonly to: string; readonly end: number }[];
}[];

/** A graph lines up what a step sent in the order of the tasks that sent it. */
function lineUpSent(sources: readonly Source[]): SentTasks {
  const sending = sources.filter(({ moves }) => moves.some(({ via }) => via === "send"));
  return [...Map.groupBy(sending, ({ step }) => step)]
    .toSorted(([left], [right]) => left - right)
    .map(([step, ofStep]) => {
      let end = 0;
      const line = ofStep
        .toSorted((left, right) => (left.order < right.order ? -1 : left.order > right.order ? 1 : 0))
        .flatMap(({ name, moves }) =>
          moves
            .filter(({ via }) => via === "send")
            .map(({ to, count = 1 }) => {
              end += count;
              return { name, to, end };
            }),
        );
      return { step, line };
    });
}

function sentBy(node: string, step: number, index: number, sent: SentTasks): Cause {
  const line = sent.findLast((candidate) => candidate.step < step)?.line ?? [];
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((line[middle]?.end ?? Infinity) <= index) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const found = line[low];
  return found?.to === node ? { name: found.name, via: "send" } : UNKNOWN;
}

/** A step that has said where it leads. */
export type Source = {
  readonly key: string;
  readonly node: string;
  /** The node with the path of its graph before it. */
  readonly name: string;
  readonly step: number;
  /** In which order a graph takes the writes of one step. */
  readonly order: string;
  readonly moves: readonly GraphMove[];
};

/** For each run what led somewhere in it: its beginning, its nodes, and the nodes of graphs inside that left them by a Command. */
function sourcesByRun(runs: readonly GraphRun[]): ReadonlyMap<GraphRun, readonly Source[]> {
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
            ?.push({ key: step.task, node, name: `${path}${node}`, step: place.step, order: orderOf(around, place.index), moves });
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
    node: START,
    name: `${run.path}${START}`,
    step: step ?? (run.firstSteps.get(segment) ?? lowest) - 1,
    order: orderOf(START, undefined),
    moves: next,
  }));
}

function tasksOf(run: GraphRun): Source[] {
  return [...run.tasks.values()].map(({ node, step, next }) => ({
    key: step.task,
    node,
    name: `${run.path}${node}`,
    step: step.step,
    order: orderOf(node, step.index),
    moves: next.filter((move) => move.parent !== true),
  }));
}

function orderOf(node: string, index: number | undefined): string {
  return index === undefined ? `pull ${node}` : `push ${String(index).padStart(10, "0")}`;
}
