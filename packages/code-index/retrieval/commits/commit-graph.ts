import type { CommitNode } from "./read-changes.store.ts";

/**
 * The kept commits of a branch. Along first parents they are a tree, so between any two of them there is one way: back from one to the
 * commit that both began from, then forward to the other. What each commit changed against its first parent is all it takes to go it.
 */
export type CommitGraph = {
  readonly at: (position: number) => CommitNode | undefined;
  readonly of: (commit: string) => CommitNode | undefined;
  readonly parent: (node: CommitNode) => CommitNode | undefined;
};

export type Step = { readonly node: CommitNode; readonly back: boolean };

export function createGraph(nodes: readonly CommitNode[]): CommitGraph {
  const byPosition = new Map(nodes.map((node) => [node.position, node]));
  const byCommit = new Map(nodes.map((node) => [node.commit, node]));
  return {
    at: (position) => byPosition.get(position),
    of: (commit) => byCommit.get(commit),
    parent: ({ parents: [first] }) => (first === undefined ? undefined : byCommit.get(first)),
  };
}

/** The parents of a merge but for its first one, as far as they are kept. */
export function otherParents(graph: CommitGraph, { parents: [, ...others] }: CommitNode): readonly CommitNode[] {
  return others.flatMap((commit) => graph.of(commit) ?? []);
}

/** The way from one commit to another; `undefined` when they have no first parents in common that are kept. */
export function stepsBetween(graph: CommitGraph, from: CommitNode, to: CommitNode): readonly Step[] | undefined {
  const back: Step[] = [];
  const forward: Step[] = [];
  let [one, other]: [CommitNode | undefined, CommitNode | undefined] = [from, to];
  while (one !== undefined && other !== undefined && one !== other) {
    // A child's position is higher than its parents'.
    if (one.position > other.position) {
      back.push({ node: one, back: true });
      one = graph.parent(one);
    } else {
      forward.push({ node: other, back: false });
      other = graph.parent(other);
    }
  }
  return one === undefined || other === undefined ? undefined : [...back, ...forward.toReversed()];
}

/** The way from a commit back to the oldest one that is kept of its first parents, which is undone, too. */
export function stepsBack(graph: CommitGraph, from: CommitNode | undefined): readonly Step[] {
  const steps: Step[] = [];
  for (let node = from; node !== undefined; node = graph.parent(node)) {
    steps.push({ node, back: true });
  }
  return steps;
}
