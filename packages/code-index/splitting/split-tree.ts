import type { Node } from "web-tree-sitter";
import type { SourceText } from "./source-text.ts";
import { MAX_CHUNK_CHARACTERS, splitText } from "./split-lines.ts";

/** A run of text that stays together; `follows` when it only closes what is before it. */
type Unit = { readonly from: number; readonly to: number; readonly weight: number; readonly kind: "code" | "comment" | "token" };

/** Characters kept free for what closes a group: `}`, `);`. */
const CLOSING = 16;
/** Groups lighter than this join a neighbour they fit with. */
const SMALL_GROUP = 200;
/** Deeper trees are no code that anybody wrote; they are cut by lines. */
const MAX_DEPTH = 200;

/**
 * Where a text is cut so that nodes of its syntax tree stay whole: a node that fits is kept, one that does not is descended
 * into, neighbours are merged while they fit (cAST, Zhang et al. 2025, arXiv:2506.15655). Comments go with what they precede.
 *
 * @returns the places at which pieces begin, the first of them 0, in order.
 */
export function findCuts(root: Node, source: SourceText): readonly number[] {
  const cuts = [0];
  for (const { from } of mergeSmallGroups(groupsOf(root, source, 0, [])).slice(1)) {
    const cut = source.startOfLine(from);
    if (cut > (cuts.at(-1) ?? 0)) {
      cuts.push(cut);
    }
  }
  return cuts;
}

/** `head` is what stands before the node and belongs to it: its comments, or the name of the function whose body it is. */
function groupsOf(node: Node, source: SourceText, depth: number, head: readonly Unit[]): readonly Unit[] {
  const groups: Unit[] = [];
  let open = [...head];
  // Added up as it grows: a node may have a hundred thousand children.
  let weight = weightOf(open);
  const close = () => {
    if (open.length > 0) {
      groups.push(join(open));
    }
    open = [];
    weight = 0;
  };
  for (const child of node.children) {
    const unit = unitOf(child, source);
    if (unit.weight > MAX_CHUNK_CHARACTERS) {
      const isHead = depth > 0 && groups.length === 0 && weight <= SMALL_GROUP;
      const before = isHead ? open.splice(0) : takeComments(open, unit.weight);
      close();
      groups.push(
        ...(depth < MAX_DEPTH && child.childCount > 0
          ? groupsOf(child, source, depth + 1, before)
          : introduce(before, splitLeaf(unit, source))),
      );
      continue;
    }
    const room = unit.kind === "token" ? MAX_CHUNK_CHARACTERS : MAX_CHUNK_CHARACTERS - CLOSING;
    if (weight + unit.weight > room) {
      const comments = takeComments(open, unit.weight);
      close();
      open = [...comments];
      weight = weightOf(open);
    }
    open.push(unit);
    weight += unit.weight;
  }
  close();
  return groups;
}

function unitOf(node: Node, source: SourceText): Unit {
  const { startIndex: from, endIndex: to } = node;
  const weight = source.weightOf(from, to);
  const kind = /comment|attribute_item|decorator|annotation/.test(node.type) ? "comment" : weight <= 2 && !node.isNamed ? "token" : "code";
  return { from, to, weight, kind };
}

/** The comments at the end of a group belong to what comes next, where they fit with it. */
function takeComments(open: Unit[], room: number): readonly Unit[] {
  let first = open.length;
  while (first > 1 && open[first - 1]?.kind === "comment") {
    first--;
  }
  const comments = open.slice(first);
  if (comments.length === 0 || (room <= MAX_CHUNK_CHARACTERS && weightOf(comments) + room > MAX_CHUNK_CHARACTERS - CLOSING)) {
    return [];
  }
  open.length = first;
  return comments;
}

function introduce(introduction: readonly Unit[], groups: readonly Unit[]): readonly Unit[] {
  const [first, ...others] = groups;
  if (introduction.length === 0 || first === undefined) {
    return groups;
  }
  return weightOf(introduction) + first.weight <= MAX_CHUNK_CHARACTERS
    ? [join([...introduction, first]), ...others]
    : [join(introduction), ...groups];
}

/** A leaf that is too long, as a template or a text of many lines. */
function splitLeaf(unit: Unit, source: SourceText): readonly Unit[] {
  return splitText(source, unit).map(({ from, to }) => ({ from, to, weight: source.weightOf(from, to), kind: "code" }));
}

function mergeSmallGroups(groups: readonly Unit[]): readonly Unit[] {
  const merged: Unit[] = [];
  for (const group of groups) {
    const before = merged.at(-1);
    const fits = before !== undefined && before.weight + group.weight <= MAX_CHUNK_CHARACTERS;
    if (before !== undefined && fits && (before.weight < SMALL_GROUP || group.weight < SMALL_GROUP)) {
      merged[merged.length - 1] = join([before, group]);
    } else {
      merged.push(group);
    }
  }
  return merged;
}

function join(units: readonly Unit[]): Unit {
  const [first] = units;
  const last = units.at(-1);
  if (first === undefined || last === undefined) {
    throw new Error("a group of nothing");
  }
  return { from: first.from, to: last.to, weight: weightOf(units), kind: "code" };
}

function weightOf(units: readonly Unit[]): number {
  return units.reduce((sum, { weight }) => sum + weight, 0);
}
