import type { Node } from "web-tree-sitter";
import { isSame, kindOfUse, roleOf } from "#splitting/use-kinds.ts";
import type { UsePlace } from "./explain-use.ts";
import { holderOf, marked, type Holder } from "./holder.ts";
import { leavesNamed, startOfLine, type ParsedFile } from "./place.ts";

/** What tells the type of what a line defines, and the member of that if it is taken out of it. */
export type ExplainedType = { readonly of: Holder; readonly member: string | undefined };

const NO_TYPE =
  /^(?:array_pattern|tuple_pattern|tuple_struct_pattern|list_pattern|block|statement_block|class_body|declaration_list|body_statement|program|module|source_file)$/;
const PARAMETERS = /^(?:(?:lambda_|closure_|block_|formal_|inferred_|function_value_)?parameters|parameter_list)$/;
const NAME_LINES = 8;
const TYPE_FIELDS = ["type", "return_type", "returns", "result"];
const VALUE_FIELDS = ["value", "right", "initializer"];
const TYPE_NODES = /^(?:user_type|nullable_type|type_annotation|function_type)$/;

/** What the type of a name is that a line binds or defines: as declared, as made, as returned. */
export function explainType(file: ParsedFile, { line, column, name }: UsePlace): ExplainedType | undefined {
  // Annotations may stand before it.
  const leaves = leavesNamed(file, name, startOfLine(file.text, line), startOfLine(file.text, line + NAME_LINES));
  const leaf =
    leaves.find(({ startPosition }) => startPosition.row + 1 === line && startPosition.column + 1 === column) ??
    leaves.find((one) => /write|definition/.test(kindOfUse(one))) ??
    leaves[0];
  let member: string | undefined;
  let node = leaf;
  for (let steps = 0, holder = node?.parent ?? null; node !== undefined && holder !== null && steps < 7; steps++, holder = holder.parent) {
    const { type } = holder;
    if (/^(?:object_pattern|struct_pattern)$/.test(type)) {
      member = name;
    } else if (NO_TYPE.test(type)) {
      return undefined;
    } else if (PARAMETERS.test(type) || /^parameters?$/.test(roleOf(node))) {
      const of = elementGiven(PARAMETERS.test(type) ? holder.parent : holder);
      return of === undefined ? undefined : { of, member };
    }
    const before = node;
    const typed =
      TYPE_FIELDS.map((field) => holder.childForFieldName(field)).find((child) => child !== null && !covers(child, before)) ??
      holder.namedChildren.find((child) => child !== null && TYPE_NODES.test(child.type) && child.startIndex > before.startIndex);
    const valued = VALUE_FIELDS.map((field) => holder.childForFieldName(field)).find((child) => child !== null && !covers(child, before));
    const isProperty =
      type === "as_pattern" ||
      (/^(?:property_declaration|variable_declarator|for_statement)$/.test(type) && !isSame(holder.lastNamedChild, before));
    const rest = isProperty
      ? type === "as_pattern"
        ? holder.firstNamedChild
        : type === "for_statement"
          ? holder.namedChildren[1]
          : holder.lastNamedChild
      : undefined;
    const isUntold = /^(?:var|auto|let)$/.test(typed?.text ?? "") || typed?.type === "implicit_type";
    const given = holderOf(valued?.childForFieldName("return_type") ?? valued ?? rest ?? null);
    const of =
      (isUntold ? undefined : holderOf(typed ?? null)) ?? (/^for|foreach|enhanced_for/.test(type) ? marked(given, "isTaken") : given);
    if (of !== undefined) {
      return { of, member };
    }
    node = holder;
  }
  return undefined;
}

const EACH =
  /^(?:map|forEach|filter|find\w*|some|every|flatMap|each\w*|select|reject|any|all|for_each|filter_map|Where|Select\w*|Any|All|First\w*|Single\w*|OrderBy\w*|forEachIndexed|onEach|none|collect|detect|sum\w*|partition|let|also)\??$/;

/** What a function is called with that is given to a method as `map`: one of what that is called on. */
function elementGiven(node: Node | null): Holder | undefined {
  if (node === null || !/arrow_function|lambda|closure|^block$|do_block|function_expression/.test(node.type)) {
    return undefined;
  }
  let call: Node | null = node.parent;
  for (let steps = 0; call !== null && steps < 4 && !/call|invocation/.test(call.type.replace(/call_suffix/, "")); steps++) {
    call = call.parent;
  }
  const callee =
    call?.childForFieldName("function") ?? ((call?.childForFieldName("method") ?? null) === null ? call?.firstNamedChild : call);
  const method = call?.childForFieldName("method") ?? call?.childForFieldName("name") ?? callee?.lastNamedChild;
  const own = call?.childForFieldName("receiver") ?? call?.childForFieldName("object") ?? callee?.firstNamedChild;
  return own !== null && own !== undefined && EACH.test(/\w+\??$/.exec(method?.text.slice(0, 40) ?? "")?.[0] ?? "")
    ? marked(holderOf(own), "isTaken")
    : undefined;
}

function covers(outer: Node, inner: Node): boolean {
  return outer.startIndex <= inner.startIndex && inner.endIndex <= outer.endIndex;
}
