import type { Node, Query } from "web-tree-sitter";
import { escapeExpression } from "@sightline/foundation/patterns";
import { useKindSchema, type UseKind } from "#contract.ts";
import type { Grammar } from "./grammars.ts";
import { parseSource } from "./parse-source.ts";
import { readSourceText } from "./source-text.ts";
import { kindOfUse } from "./use-kinds.ts";

/** A place of a text that has a name: its line from 1, and where in the text it begins. */
export type NameUse = { readonly line: number; readonly at: number; readonly kind: UseKind };

/** Finds a name where it is a whole word, as `git grep -w` does: letters beyond ASCII end a word. */
export function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_])${escapeExpression(name)}(?![A-Za-z0-9_])`, "g");
}

/** The places of a text that have a name, all of one kind: for what is not parsed. */
export function usesOfKind(text: string, name: string, kind: UseKind): readonly NameUse[] {
  return usesIn(text, name, () => kind);
}

type Named = {
  readonly name: string;
  /** Whether the file is known to define the name: to look for definitions takes as long as to parse. */
  readonly isDefined: boolean;
};

/** Every place of a file that has a name, with what it does with it; a name is read where no rule says otherwise. */
export function findNameUses(text: string, { name, isDefined }: Named, grammar: Grammar): readonly NameUse[] {
  const source = readSourceText(Buffer.from(text));
  const parsed = source.text.length > grammar.maxBytes ? undefined : parseSource(source, grammar);
  if (parsed === undefined) {
    return usesOfKind(text, name, source.text.length > grammar.maxBytes ? "text" : "read");
  }
  const { rootNode } = parsed.tree;
  try {
    const defined = isDefined && grammar.names !== undefined ? namesDefined(rootNode, grammar.names) : [];
    return usesIn(source.text, name, (at) => {
      const end = at + name.length;
      if (defined.some(({ startIndex, endIndex }) => startIndex <= at && end <= endIndex && endIndex - end <= 1)) {
        return "definition";
      }
      const leaf = rootNode.descendantForIndex(at, end);
      return leaf === null ? "read" : kindOfUse(leaf);
    });
  } finally {
    parsed.tree.delete();
  }
}

/** The names of what a file defines; of `Server::start` the last part is what is defined. */
function namesDefined(root: Node, query: Query): readonly Node[] {
  return query.matches(root).flatMap(({ captures }) => {
    const isScope = captures.some(({ name }) => name === "scope");
    return isScope ? [] : captures.filter(({ name }) => name === "name").map(({ node }) => node);
  });
}

function usesIn(text: string, name: string, kindAt: (at: number) => UseKind): readonly NameUse[] {
  const found: NameUse[] = [];
  let line = 1;
  let from = 0;
  for (const { index: at } of text.matchAll(wholeWord(name))) {
    for (let end = text.indexOf("\n", from); end !== -1 && end < at; end = text.indexOf("\n", from)) {
      line++;
      from = end + 1;
    }
    found.push({ line, at, kind: kindAt(at) });
  }
  return found;
}

/** One use of each line, by line: a line that does several things with a name is counted once, as the strongest of them. */
export function strongestOfLines(uses: readonly NameUse[]): readonly NameUse[] {
  const found: NameUse[] = [];
  for (const use of uses) {
    const before = found.at(-1);
    if (before?.line !== use.line) {
      found.push(use);
    } else if (STRENGTH.indexOf(use.kind) < STRENGTH.indexOf(before.kind)) {
      found[found.length - 1] = use;
    }
  }
  return found;
}

const STRENGTH = useKindSchema.options;
