import type { Node } from "web-tree-sitter";
import { wholeWord } from "#splitting/name-lines.ts";

/** Where a name stands: line and column from 1, in UTF-16 units. */
export type Spot = { readonly line: number; readonly column: number; readonly name: string };

/** A parsed file. */
export type ParsedFile = { readonly root: Node; readonly text: string; readonly language: string };

export function spotOf(leaf: Node): Spot {
  const { row, column } = leaf.startPosition;
  return { line: row + 1, column: column + 1, name: leaf.text };
}

/** Where a line begins in the text. */
export function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 1; left--) {
    const end = text.indexOf("\n", at);
    if (end === -1) {
      return text.length;
    }
    at = end + 1;
  }
  return at;
}

/** A name is looked for no more often in a file. */
const MAX_LEAVES = 5_000;

/** The leaves between two places that are a name. */
export function leavesNamed({ root, text }: ParsedFile, name: string, from = 0, to = text.length): readonly Node[] {
  const found: Node[] = [];
  for (const { index } of text.slice(from, to).matchAll(wholeWord(name))) {
    const at = from + index;
    const leaf = root.descendantForIndex(at, at + name.length);
    if (leaf !== null && found.push(leaf) === MAX_LEAVES) {
      break;
    }
  }
  return found;
}

/** The last line of what a leaf is the name of. */
export function endOf(leaf: Node): number {
  let node = leaf;
  while (
    node.parent !== null &&
    node.parent.startPosition.row === leaf.startPosition.row &&
    node.parent.parent !== null &&
    !/block|body|program|statement_list|file$|module$/.test(node.parent.type)
  ) {
    node = node.parent;
  }
  return node.endPosition.row + 1;
}
