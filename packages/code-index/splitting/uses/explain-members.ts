import type { Node } from "web-tree-sitter";
import { isSame, kindOfUse, roleOf } from "#splitting/use-kinds.ts";
import { bindingAt } from "./bindings.ts";
import { holderOf, receiverOf } from "./holder.ts";
import { endOf, leavesNamed, spotOf, startOfLine, type ParsedFile, type Spot } from "./place.ts";
import { TYPE_SCOPE } from "./syntax-of-names.ts";

/** What a definition has of a name within its lines, and what it extends or implements. */
export type ExplainedMembers = {
  readonly member: (Spot & { readonly to: number; readonly isDeclared: boolean }) | undefined;
  readonly bases: readonly Spot[];
};

/** `isGiven` where the name is that of something given, as an argument is. */
export type MembersPlace = { readonly from: number; readonly to: number; readonly name: string; readonly isGiven?: boolean };

export function explainMembers(file: ParsedFile, { from, to, name, isGiven = false }: MembersPlace): ExplainedMembers {
  const [begin, end] = [startOfLine(file.text, from), startOfLine(file.text, to + 1)];
  const ranked = leavesNamed(file, name, begin, end).flatMap((leaf) => {
    const rank = isGiven && bindingAt(file.language, leaf)?.what === "parameter" ? 0.5 : memberRank(file, leaf);
    return rank === undefined || leaf.startPosition.row + 1 < from ? [] : [{ leaf, rank }];
  });
  const [best] = ranked.toSorted((one, other) => one.rank - other.rank);
  return {
    member: best === undefined ? undefined : { ...spotOf(best.leaf), to: endOf(best.leaf), isDeclared: best.rank !== WRITTEN },
    // What is declared there is not looked for in bases.
    bases: best !== undefined && best.rank !== WRITTEN ? [] : basesOf(file, from, to),
  };
}

/** A member that is only assigned, as `this.name = …`, may be declared elsewhere. */
const WRITTEN = 1;

function memberRank(file: ParsedFile, leaf: Node): number | undefined {
  const kind = kindOfUse(leaf);
  if (kind === "definition") {
    return 0;
  }
  const receiver = receiverOf(leaf);
  if (kind === "write" && (leaf.type === "instance_variable" || (receiver !== undefined && holderOf(receiver) === "self"))) {
    return WRITTEN;
  }
  const binding = bindingAt(file.language, leaf);
  if (binding !== undefined && binding.what !== "parameter" && TYPE_SCOPE.test(binding.scope.type)) {
    return 0;
  }
  const { parent } = leaf;
  if (
    /^(?:class_parameter|property_promotion_parameter)$/.test(parent?.type ?? "") ||
    (/^(?:required|optional)_parameter$/.test(parent?.type ?? "") && parent?.firstNamedChild?.type.endsWith("modifier") === true)
  ) {
    return 0.5;
  }
  if (leaf.type === "simple_symbol" && leaf.parent?.parent?.text.startsWith("attr_") === true) {
    return 1;
  }
  if (parent?.type === "enum_body" || parent?.type === "enum_assignment") {
    return 0;
  }
  if (roleOf(leaf) === "key") {
    return 3;
  }
  return binding?.what === "parameter" ? 2 : undefined;
}

/** Characters of a definition that its bases stand in. */
const HEAD = 4_000;

function basesOf(file: ParsedFile, from: number, to: number): readonly Spot[] {
  const begin = startOfLine(file.text, from);
  const head = file.text.slice(begin, Math.min(startOfLine(file.text, to + 1), begin + HEAD));
  const found: Spot[] = [];
  for (const match of head.matchAll(/[A-Za-z_$][\w$]*/g)) {
    const leaf = file.root.descendantForIndex(begin + match.index, begin + match.index + match[0].length);
    if (leaf === null || !leaf.isNamed || leaf.text !== match[0]) {
      continue;
    }
    const isEmbedded = leaf.type === "type_identifier" && isUnnamedField(leaf);
    if (isEmbedded || (kindOfUse(leaf) === "implementation" && isLastPart(leaf) && isOwn(leaf, from))) {
      found.push(spotOf(leaf));
    }
  }
  return found.slice(0, 10);
}

const TYPE_NODE =
  /^(?:class|interface|struct|trait|impl|module|object|enum|protocol|record)(?:_(?:declaration|definition|item|specifier))?$/;

/** Whether the type right around is the one of that line, and none within it. */
function isOwn(leaf: Node, line: number): boolean {
  let node: Node | null = leaf;
  while (node !== null && !TYPE_NODE.test(node.type)) {
    node = node.parent;
  }
  return node === null || node.startPosition.row < line;
}

function isLastPart(leaf: Node): boolean {
  const { parent } = leaf;
  return parent === null || !/attribute|member_expression|scoped|qualified|nested/.test(parent.type) || isSame(parent.lastNamedChild, leaf);
}

/** A struct of Go has what a field without a name has. */
function isUnnamedField(leaf: Node): boolean {
  let node = leaf;
  while (node.parent !== null && /^(?:pointer_type|qualified_type|generic_type)$/.test(node.parent.type)) {
    node = node.parent;
  }
  return (node.parent?.type === "field_declaration" && node.parent.childForFieldName("name") === null) || node.parent?.type === "type_elem";
}
