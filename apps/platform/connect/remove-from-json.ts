import type { Node } from "jsonc-parser";
import type { Step } from "./add-to-json.ts";
import { childAt, childrenOf, commaAfter, isBehindRemark, readTree, type Segment } from "./json-tree.ts";
import { applyEdits, type Edit } from "./text-edit.ts";

/** Takes back what `addToJson` did: the value itself, then what was made around it, as far as nothing else stands in it by now. */
export function removeFromJson(text: string, steps: readonly Step[]): string {
  return steps.toReversed().reduce((edited, step, index) => (index === 0 ? takeBack(edited, step) : takeBackEmpty(edited, step)), text);
}

/** The node at a path, with what it stands in. */
export function findInJson(text: string, path: readonly Segment[]): { readonly node: Node; readonly parents: readonly Node[] } | undefined {
  let node = readTree(text);
  const parents: Node[] = [];
  for (const segment of path) {
    const child = childAt(node, segment);
    if (child === undefined) {
      return undefined;
    }
    parents.push(node);
    node = child.value;
  }
  return { node, parents };
}

function takeBack(text: string, { path, was }: Step): string {
  const found = findInJson(text, path);
  if (found === undefined) {
    return text;
  }
  const { node, parents } = found;
  if (was !== null) {
    return applyEdits(text, [{ start: node.offset, end: node.offset + node.length, text: was }]);
  }
  const container = parents.at(-1);
  return container === undefined ? text : applyEdits(text, removal(text, container, node));
}

/** A container that has no children, and no comments but those it had. */
function takeBackEmpty(text: string, step: Step): string {
  const node = findInJson(text, step.path)?.node;
  if (node === undefined || childrenOf(node).length > 0) {
    return text;
  }
  const left = withoutBlanks(text.slice(node.offset, node.offset + node.length));
  const isAsItWas = step.was === null ? left === "{}" || left === "[]" : left === withoutBlanks(step.was);
  return isAsItWas ? takeBack(text, step) : text;
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, "");
}

function removal(text: string, container: Node, value: Node): readonly Edit[] {
  const children = childrenOf(container);
  const index = children.findIndex((child) => child.value === value);
  const whole = children[index]?.whole ?? value;
  const end = whole.offset + whole.length;
  const following = commaAfter(text, end);
  if (following !== undefined) {
    const alone = { start: whole.offset, end: following.end, text: "" };
    const line = lineOf(text, alone);
    return [line.start < alone.start ? line : withBlanks(text, alone)];
  }
  const previous = children[index - 1]?.whole;
  const comma = previous === undefined ? undefined : commaAfter(text, previous.offset + previous.length);
  const rest = lineOf(text, { start: whole.offset, end, text: "" });
  if (comma === undefined) {
    return [rest];
  }
  return text.slice(comma.end, rest.start).trim() === ""
    ? [{ start: comma.start, end: rest.end, text: "" }]
    : [{ start: comma.start, end: comma.end, text: "" }, rest];
}

/** Takes the line end before it along when nothing else stands on its lines, or only a brace that does not land behind a comment. */
function lineOf(text: string, { start, end }: Edit): Edit {
  const before = /\r?\n[ \t]*$/.exec(text.slice(0, start));
  const after = /^[ \t]*(\r?\n|$|[}\]])/.exec(text.slice(end))?.[1];
  const isLast = after !== undefined && (after.trim() === "" || !isBehindRemark(text, before?.index ?? start));
  return before !== null && isLast ? { start: before.index, end, text: "" } : { start, end, text: "" };
}

/** A comma that goes too leaves blanks on both sides; the one before was put there with the value. */
function withBlanks(text: string, { start, end }: Edit): Edit {
  const after = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return /[ \t]/.test(text.charAt(start - 1)) ? { start: start - 1, end, text: "" } : { start, end: end + after, text: "" };
}
