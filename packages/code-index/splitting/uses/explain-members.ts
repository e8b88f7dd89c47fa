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
    member: best === undefined ? undefined : { ...spotOf(best.leaf), to: endOf(best.leaf), isDeclared: best.rank !== 1 },
    bases: basesOf(file, begin, end),
  };
}

function memberRank(file: ParsedFile, leaf: Node): number | undefined {
  const kind = kindOfUse(leaf);
  if (kind === "definition") {
    return 0;
  }
  const receiver = receiverOf(leaf);
  if (kind === "write" && (leaf.type === "instance_variable" || (receiver !== undefined && holderOf(receiver) === "self"))) {
    return 1;
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
const INCLUDES = /^[ \t]*(?:include|extend|prepend|use)[ \t]+([\w:\\]+)/gm;

function basesOf(file: ParsedFile, begin: number, end: number): readonly Spot[] {
  const head = file.text.slice(begin, Math.min(end, begin + HEAD));
  const found: Spot[] = [];
  for (const match of head.matchAll(/[A-Za-z_$][\w$]*/g)) {
    const leaf = file.root.descendantForIndex(begin + match.index, begin + match.index + match[0].length);
    if (leaf === null || !leaf.isNamed || leaf.text !== match[0]) {
      continue;
    }
    const isEmbedded = leaf.type === "type_identifier" && isUnnamedField(leaf);
    if (isEmbedded || (kindOfUse(leaf) === "implementation" && isLastPart(leaf))) {
      found.push(spotOf(leaf));
    } else if (/body|block|declaration_list/.test(leaf.parent?.type ?? "") && found.length > 0) {
      break;
    }
  }
  for (const { 1: included = "", index, 0: whole } of head.matchAll(INCLUDES)) {
    const leaf = file.root.descendantForIndex(begin + index + whole.length - 1, begin + index + whole.length);
    if (leaf !== null && included.endsWith(leaf.text)) {
      found.push(spotOf(leaf));
    }
  }
  return found.slice(0, 10);
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
