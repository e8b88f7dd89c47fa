import type { Node, Query } from "web-tree-sitter";
import { escapeExpression } from "@sightline/foundation/patterns";
import { findNames } from "#splitting/find-names.ts";
import { isSame, kindOfUse, roleOf } from "#splitting/use-kinds.ts";
import { bindingAt, bindingOf, type Binding } from "./bindings.ts";
import { importsOf, type FileImport } from "./file-imports.ts";
import { holderOf, receiverOf, takerOf, type Holder } from "./holder.ts";
import { endOf, leavesNamed, spotOf, startOfLine, type ParsedFile, type Spot } from "./place.ts";
import { syntaxOf } from "./syntax-of-names.ts";

/** Where a use stands; the first in its line where there is no column. */
export type UsePlace = { readonly line: number; readonly column?: number | undefined; readonly name: string };

/** What is done with a member; what is given is given by its name, as in `f(name=1)`. */
export type MemberUse = "called" | "read" | "given";

/** What a name is at a place, as far as its file's syntax tells. */
export type ExplainedUse = {
  readonly use:
    | { readonly is: "nothing"; readonly what: string }
    | {
        readonly is: "bound";
        readonly by: Spot;
        readonly what: Binding["what"];
        /** The definition's last line. */
        readonly to: number;
        readonly isTop: boolean;
        readonly isHere: boolean;
      }
    | { readonly is: "imported"; readonly by: FileImport }
    /** A module, as it is imported, or a part of its path. */
    | { readonly is: "module"; readonly module: string }
    | { readonly is: "member"; readonly of: Holder | undefined; readonly as: MemberUse }
    | { readonly is: "alone"; readonly isMember: boolean };
  /** The types around it, from the innermost. */
  readonly inside: readonly string[];
  readonly imports: readonly FileImport[];
};

const TYPES = new Set(["class", "interface", "type", "enum", "module", "scope"]);

export function explainUse(file: ParsedFile, names: Query | undefined, place: UsePlace): ExplainedUse {
  const leaf = leafAt(file, place);
  if (typeof leaf === "string") {
    return { use: { is: "nothing", what: leaf }, inside: [], imports: [] };
  }
  const definitions = names === undefined ? [] : findNames(file.root, names, file.text).definitions;
  const around = definitions.filter(({ from, to, nameAt }) => from <= leaf.startIndex && leaf.endIndex <= to && nameAt !== leaf.startIndex);
  const inside = around
    .toReversed()
    .flatMap(({ kind, name, receiver }) => (receiver === undefined ? (TYPES.has(kind) ? [lastPart(name)] : []) : [lastPart(receiver)]));
  const imports = importsOf(file.root);
  const own = definitions.find(({ kind, nameAt, to }) => kind !== "scope" && nameAt === leaf.startIndex && to >= leaf.endIndex);
  const use: ExplainedUse["use"] =
    own === undefined
      ? meaningOf(file, leaf, imports)
      : { is: "bound", by: spotOf(leaf), what: "member", to: endOf(leaf), isTop: false, isHere: true };
  return { use, inside, imports };
}

function lastPart(name: string): string {
  return /([\w$]+)(?:<.*)?$/s.exec(name)?.[1] ?? name;
}

function meaningOf(file: ParsedFile, leaf: Node, imports: readonly FileImport[]): ExplainedUse["use"] {
  const name = leaf.text;
  const line = leaf.startPosition.row + 1;
  if (kindOfUse(leaf) === "import") {
    const own = imports.filter(({ from, to }) => from <= line && line <= to);
    const by = own.find((one) => one.local === name || one.name === name);
    if (by?.name !== undefined) {
      return { is: "imported", by };
    }
    const module = own.flatMap((one) => partOf(one.module, name) ?? [])[0];
    if (module !== undefined) {
      return { is: "module", module: by?.module ?? module };
    }
  }
  if (leaf.type === "instance_variable") {
    return { is: "member", of: "self", as: "read" };
  }
  const receiver = receiverOf(leaf);
  if (receiver !== undefined) {
    return { is: "member", of: holderOf(receiver), as: kindOfUse(leaf) === "call" ? "called" : "read" };
  }
  const taker = takerOf(leaf);
  if (taker !== undefined) {
    return { is: "member", of: taker, as: "given" };
  }
  const binding = bindingOf(file, leaf);
  const imported = imports.find(({ local }) => local === name);
  const isTop = binding?.scope.parent === null;
  if (imported !== undefined && (binding === undefined || isTop)) {
    return { is: "imported", by: imported };
  }
  if (binding !== undefined) {
    const required = requiredBy(binding.leaf);
    return required === undefined
      ? { is: "bound", by: spotOf(binding.leaf), what: binding.what, to: endOf(binding.leaf), isTop, isHere: isSame(binding.leaf, leaf) }
      : { is: "imported", by: required };
  }
  const isKey = roleOf(leaf) === "key" || /^property_identifier$|^field_identifier$/.test(leaf.type);
  return isKey ? { is: "member", of: undefined, as: "given" } : { is: "alone", isMember: syntaxOf(file.language).implicit === true };
}

/** `a.b` of `a.b.c` for `b`. */
function partOf(module: string, name: string): string | undefined {
  const end = new RegExp(`(?<![\\w$])${escapeExpression(name)}(?![\\w$])`).exec(module);
  return end === null ? undefined : module.slice(0, end.index + name.length);
}

/** `const x = require("y")` */
function requiredBy(leaf: Node): FileImport | undefined {
  let node: Node | null = leaf;
  for (let steps = 0; node !== null && steps < 4 && !/declar|assign/.test(node.type); steps++) {
    node = node.parent;
  }
  const [, module] = /=\s*(?:await\s+)?(?:require|import)\s*\(?\s*["']([^"']+)["']\)?/.exec(node?.text.slice(0, 300) ?? "") ?? [];
  const line = leaf.startPosition.row + 1;
  const isPart = leaf.parent?.type.includes("pattern") === true;
  return module === undefined ? undefined : { module, name: isPart ? leaf.text : undefined, local: leaf.text, from: line, to: line };
}

/** The leaf at a place, or what stands there instead of a name that is used. */
function leafAt(file: ParsedFile, { line, column, name }: UsePlace): Node | string {
  const { root, text } = file;
  const from = startOfLine(text, line);
  const to = text.indexOf("\n", from) === -1 ? text.length : text.indexOf("\n", from);
  if (from >= text.length) {
    return "the file has no such line";
  }
  const leaves = leavesNamed(file, name, from, to).filter((leaf) => leaf.isNamed && (leaf.text === name || kindOfUse(leaf) === "text"));
  if (column !== undefined) {
    const at = Math.min(from + column - 1, to);
    const here = leaves.find(({ startIndex, endIndex }) => startIndex <= at && at <= endIndex);
    if (here === undefined) {
      return whatIs(root, text, at);
    }
    return kindOfUse(here) === "text" ? whatIs(root, text, at) : here;
  }
  const uses = leaves.filter((leaf) => kindOfUse(leaf) !== "text");
  const [first] = leaves;
  return (
    uses.find((leaf) => bindingAt(file.language, leaf) === undefined) ??
    uses[0] ??
    (first === undefined ? `no ${name} stands there` : whatIs(root, text, from + first.startPosition.column))
  );
}

function whatIs(root: Node, text: string, at: number): string {
  const leaf = root.descendantForIndex(at, at);
  for (let node = leaf; node !== null; node = node.parent) {
    if (/comment/.test(node.type)) {
      return "a comment stands there";
    }
  }
  if (leaf === null || /^\s?$/.test(text.slice(at, at + 1))) {
    return "white space stands there";
  }
  return leaf.isNamed && kindOfUse(leaf) === "text"
    ? "a string stands there"
    : `${leaf.isNamed ? "" : "the keyword "}${leaf.text.slice(0, 40)} stands there`;
}
