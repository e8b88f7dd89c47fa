import { ancestorPlaces, type StepNode, type StepTree, withAncestors } from "@sightline/observability/contract";

export type StepRow = {
  readonly id: string;
  /** 0 is the trace itself. */
  readonly depth: number;
  /** Undefined where nothing can be opened: nothing is below it, or a search decides what is shown. */
  readonly expanded: boolean | undefined;
  /** Undefined for the trace itself. */
  readonly node: StepNode | undefined;
  /** Where the step stands in the tree; -1 is the trace. */
  readonly at: number;
  /** It is shown only because something below it was looked for. */
  readonly isContext: boolean;
};

/**
 * The rows of the tree: the trace and what is not below a collapsed step; of a search what it found and what leads there,
 * whatever is collapsed.
 */
export function stepRows(
  tree: StepTree,
  {
    traceId,
    rootId,
    collapsed,
    found,
  }: {
    readonly traceId: string;
    /** The step that the trace's own row stands for too. */
    readonly rootId?: string | undefined;
    readonly collapsed: ReadonlySet<string>;
    /** Places of what a search found; undefined without one. */
    readonly found: ReadonlySet<number> | undefined;
  },
): readonly StepRow[] {
  const shown = found === undefined ? undefined : withAncestors(tree, found);
  const isOpen = (id: string): boolean => found !== undefined || !collapsed.has(id);
  const rows: StepRow[] = [
    {
      id: traceId,
      depth: 0,
      expanded: tree.nodes.length === (rootId === undefined ? 0 : 1) || found !== undefined ? undefined : isOpen(traceId),
      node: undefined,
      at: -1,
      isContext: found !== undefined && !(rootId !== undefined && found.has(tree.places.get(rootId) ?? -1)),
    },
  ];
  const above = rootId === undefined ? 0 : 1;
  for (let at = isOpen(traceId) ? 0 : tree.nodes.length; at < tree.nodes.length;) {
    const node = tree.nodes[at];
    if (node === undefined) {
      break;
    }
    const open = isOpen(node.step.id);
    if (node.step.id === rootId) {
      at += 1;
      continue;
    }
    if (shown === undefined || shown.has(at)) {
      const expanded = node.after === at + 1 || found !== undefined ? undefined : open;
      rows.push({ id: node.step.id, depth: node.depth - above, expanded, node, at, isContext: found !== undefined && !found.has(at) });
    }
    at = open ? at + 1 : node.after;
  }
  return rows;
}

/** What to collapse so that this many levels below the trace are seen; 0 leaves the trace alone. */
export function collapsedBelow(
  tree: StepTree,
  { traceId, levels }: { readonly traceId: string; readonly levels: number },
): ReadonlySet<string> {
  const collapsed = new Set(levels === 0 ? [traceId] : []);
  for (const [at, { step, depth, after }] of tree.nodes.entries()) {
    if (depth >= levels && after > at + 1) {
      collapsed.add(step.id);
    }
  }
  return collapsed;
}

/** The same, with everything open that leads to a step. */
export function revealed(
  collapsed: ReadonlySet<string>,
  tree: StepTree,
  { traceId, id }: { readonly traceId: string; readonly id: string },
): ReadonlySet<string> {
  const closed = new Set(collapsed);
  if (id !== traceId) {
    closed.delete(traceId);
  }
  for (const at of ancestorPlaces(tree, tree.places.get(id) ?? -1)) {
    closed.delete(tree.nodes[at]?.step.id ?? "");
  }
  return closed.size === collapsed.size ? collapsed : closed;
}
