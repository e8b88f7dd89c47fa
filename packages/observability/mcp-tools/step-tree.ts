import type { Step } from "#contract.ts";
import type { Failures } from "#trace-facts/find-failures.ts";
import { stepAmbiguous, stepUnknown } from "./tools.errors.ts";

export type StepNode = {
  readonly step: Step;
  readonly parent: Step | undefined;
  readonly children: readonly StepNode[];
  /** Steps below it. */
  readonly inside: number;
  /** It failed, or something below it. */
  readonly leadsToFailure: boolean;
};

export type StepTree = { readonly roots: readonly StepNode[]; readonly nodes: ReadonlyMap<string, StepNode> };

/** Steps come parents before children; one whose parent was not before it stands at the top. Any depth may come: nothing here calls itself. */
export function growTree(steps: readonly Step[]): StepTree {
  const before = new Map<string, Step>();
  const parents = new Map<string, Step | undefined>();
  for (const step of steps) {
    parents.set(step.id, step.parent_id === null ? undefined : before.get(step.parent_id));
    before.set(step.id, step);
  }
  const below = Map.groupBy(steps, ({ id }) => parents.get(id)?.id ?? null);
  const nodes = new Map<string, StepNode>();
  // From the end, so that all children of a step are grown before it.
  for (const step of steps.toReversed()) {
    const children = nodesOf(below.get(step.id), nodes);
    nodes.set(step.id, {
      step,
      parent: parents.get(step.id),
      children,
      inside: children.reduce((sum, { inside }) => sum + inside + 1, 0),
      leadsToFailure: step.status === "failure" || children.some(({ leadsToFailure }) => leadsToFailure),
    });
  }
  return { roots: nodesOf(below.get(null), nodes), nodes };
}

function nodesOf(steps: readonly Step[] | undefined, nodes: ReadonlyMap<string, StepNode>): readonly StepNode[] {
  return (steps ?? []).flatMap(({ id }) => nodes.get(id) ?? []);
}

/** Steps that led to one, the nearest last; `most` of them. */
export function pathTo({ nodes }: StepTree, step: Step, most: number): readonly Step[] {
  const path: Step[] = [];
  for (let parent = nodes.get(step.id)?.parent; parent !== undefined && path.length < most; parent = nodes.get(parent.id)?.parent) {
    path.unshift(parent);
  }
  return path;
}

/** A step in which a failure arose, who caught it, and how many failed alike. */
export type Failure = { readonly step: Step; readonly caughtBy: Step | undefined; readonly times: number };

/** Failures that arose in steps and below them: that in `first`, then the last ones first. */
export function failuresIn(roots: readonly StepNode[], { causes, caughtBy }: Failures<Step>, first: Step | undefined): readonly Failure[] {
  const inside = new Set<string>();
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    inside.add(node.step.id);
    open.push(...node.children.filter(({ leadsToFailure }) => leadsToFailure));
  }
  const endOf = (step: Step) => (step === first ? Infinity : Date.parse(step.ended_at ?? step.started_at));
  const ordered = causes.filter(({ id }) => inside.has(id)).toSorted((one, other) => endOf(other) - endOf(one));
  const alike = Map.groupBy(ordered, ({ id, kind, name, error }) => JSON.stringify([kind, name, error, caughtBy.get(id)?.name]));
  return [...alike.values()].flatMap(([last, ...before]) =>
    last === undefined ? [] : [{ step: last, caughtBy: caughtBy.get(last.id), times: before.length + 1 }],
  );
}

/** A line of an outline: a step, or several alike that came one after the other. */
export type OutlineLine = {
  readonly depth: number;
  readonly node: StepNode;
  readonly alike: readonly StepNode[];
  readonly isClosed: boolean;
};

/** Fewer are told one by one. */
const ALIKE = 3;

/** Steps down to a depth, and on the way to failures at any depth; `most` lines of them. */
export function outline(roots: readonly StepNode[], mostDepth: number, most: number): readonly OutlineLine[] {
  const lines: OutlineLine[] = [];
  const open = runsOf(roots, 1).toReversed();
  for (let next = open.pop(); next !== undefined && lines.length < most; next = open.pop()) {
    const { depth, alike } = next;
    const [node] = alike;
    if (node === undefined) {
      continue;
    }
    const shown = depth < mostDepth ? node.children : node.children.filter(({ leadsToFailure }) => leadsToFailure);
    const isClosed = node.children.length > 0 && shown.length === 0;
    lines.push({ depth, node, alike, isClosed });
    open.push(...runsOf(shown, depth + 1).toReversed());
  }
  return lines;
}

type StepRun = { readonly depth: number; readonly alike: readonly StepNode[] };

/** Neighbours without steps of their own that do and end the same stand together. */
function runsOf(nodes: readonly StepNode[], depth: number): readonly StepRun[] {
  const runs: StepNode[][] = [];
  for (const node of nodes) {
    const last = runs.at(-1);
    const [before] = last ?? [];
    if (last !== undefined && before !== undefined && isAlike(before, node)) {
      last.push(node);
    } else {
      runs.push([node]);
    }
  }
  return runs.flatMap((run) => (run.length >= ALIKE ? [run] : run.map((node) => [node]))).map((alike) => ({ depth, alike }));
}

function isAlike(one: StepNode, other: StepNode): boolean {
  const { kind, name, status } = one.step;
  return one.inside === 0 && other.inside === 0 && kind === other.step.kind && name === other.step.name && status === other.step.status;
}

/** Random in both kinds of ids, so that few digits tell a trace's steps apart. */
const DIGITS = 8;

/** How steps are named to assistants: a whole id costs as much as the rest of the line. */
export function nameSteps(steps: readonly Pick<Step, "id">[]): (id: string) => string {
  const sharing = new Map<string, number>();
  for (const { id } of steps) {
    sharing.set(id.slice(-DIGITS), (sharing.get(id.slice(-DIGITS)) ?? 0) + 1);
  }
  return (id) => ((sharing.get(id.slice(-DIGITS)) ?? 0) > 1 ? id : id.slice(-DIGITS));
}

/** @throws {AppError} `observation_not_found` when no id can end like that. */
export function endingOf(asked: string): string {
  const wanted = asked.trim().toLowerCase();
  if (wanted.length < DIGITS || !/^[0-9a-f-]+$/.test(wanted)) {
    throw stepUnknown(asked);
  }
  return wanted;
}

/** @throws {AppError} `observation_not_found`, `observation_ambiguous` */
export function findStep<Known extends Pick<Step, "id">>(steps: readonly Known[], asked: string): Known {
  const wanted = endingOf(asked);
  const [found, ...others] = steps.filter(({ id }) => id.endsWith(wanted));
  if (found === undefined) {
    throw stepUnknown(asked);
  }
  if (others.length > 0) {
    throw stepAmbiguous(wanted);
  }
  return found;
}
