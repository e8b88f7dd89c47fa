import type { Node } from "web-tree-sitter";
import { isSame, kindOfUse, roleOf, wholeOf } from "#splitting/use-kinds.ts";
import { leavesNamed, type ParsedFile } from "./place.ts";
import { isScope, syntaxOf, TYPE_SCOPE } from "./syntax-of-names.ts";

/** A place that gives a name its meaning, and the node within which it does. */
export type Binding = { readonly leaf: Node; readonly scope: Node; readonly what: "parameter" | "variable" | "member" };

const GIVEN_BY_NAME =
  /^(?:keyword_argument|named_argument|pair|keyed_element|field_initializer|shorthand_field_initializer|initializer_pair|value_argument|argument|field_pattern|literal_element)$/;

/** What binds a name for the place of a leaf: of the bindings in the innermost scope that has any. */
export function bindingOf(file: ParsedFile, leaf: Node): Binding | undefined {
  const syntax = syntaxOf(file.language);
  const bindings = leavesNamed(file, leaf.text).flatMap((found) => bindingAt(file.language, found) ?? []);
  const itself = bindings.find((binding) => isSame(binding.leaf, leaf));
  if (itself !== undefined) {
    return itself;
  }
  const own = scopeAround(file.language, leaf);
  for (let around: Node | null = leaf; around !== null; around = around.parent) {
    const scope = around;
    const isHidden = TYPE_SCOPE.test(scope.type) && syntax.implicit !== true && !isSame(scope, own ?? scope);
    const inIt = bindings.filter((binding) => isSame(binding.scope, scope) && !(isHidden && binding.what !== "parameter"));
    if (inIt.length > 0) {
      const before = syntax.rebinds === true ? inIt.findLast((binding) => isBefore(binding.leaf, leaf)) : undefined;
      return before ?? inIt[0];
    }
  }
  return undefined;
}

/** Whether a name is bound when a use of it is reached: in `x = x + 1` the second is another `x`. */
function isBefore(bound: Node, use: Node): boolean {
  let node: Node | null = bound;
  for (let steps = 0; node !== null && steps < 4 && !/assign|let_declaration/.test(node.type); steps++) {
    node = node.parent;
  }
  const isWithin =
    node !== null && /assign|let_declaration/.test(node.type) && node.endIndex >= use.endIndex && node.startIndex <= use.startIndex;
  return isSame(bound, use) || (bound.startIndex < use.startIndex && !isWithin);
}

/** The binding that a leaf is, if it is one. */
export function bindingAt(language: string, leaf: Node): Binding | undefined {
  const { parent } = leaf;
  if (parent === null) {
    return undefined;
  }
  const isTypeParameter = /^type_param|^infer_type$|^mapped_type_clause$/.test(parent.type) && isSame(parent.firstNamedChild, leaf);
  // `FnOnce(T)` binds nothing.
  const isType = leaf.type === "type_identifier" && parent.type === "parameters";
  const kind = isTypeParameter ? "write" : kindOfUse(leaf);
  if (
    isType ||
    (kind !== "write" && kind !== "definition") ||
    !isSame(wholeOf(leaf), leaf) ||
    GIVEN_BY_NAME.test(parent.type) ||
    roleOf(leaf) === "key"
  ) {
    return undefined;
  }
  const list = parameterList(leaf);
  if (list === undefined && syntaxOf(language).assigns !== true && isAssigned(language, leaf)) {
    return undefined;
  }
  const scope = list === undefined ? scopeAround(language, leaf) : holderOfParameters(list);
  if (scope === undefined) {
    return undefined;
  }
  const what = list !== undefined ? "parameter" : kind === "definition" ? "member" : "variable";
  return { leaf, scope: list === undefined && isNameOf(leaf, scope) ? (scopeAround(language, scope) ?? scope) : scope, what };
}

/** The outermost of the nodes that list parameters around a name, within its scope. */
function parameterList(leaf: Node): Node | undefined {
  let list: Node | undefined;
  for (
    let node: Node | null = leaf.parent, steps = 0;
    node !== null && steps < 6 && !/body|block|_type$|^call|value$/.test(node.type);
    node = node.parent, steps++
  ) {
    if (/param|^infer_type$|^mapped_type_clause$/.test(node.type)) {
      list = node;
    }
  }
  return list;
}

/** What parameters are of: a function, with its body where there is one. */
function holderOfParameters(list: Node): Node | undefined {
  let holder = list.parent;
  while (
    holder !== null &&
    holder.parent !== null &&
    (/declarator$|^primary_constructor$/.test(holder.type) || (list.type === "infer_type" && holder.type !== "conditional_type"))
  ) {
    holder = holder.parent;
  }
  return holder ?? undefined;
}

/** Whether a name gets another value there, which declares nothing in most languages. */
function isAssigned(language: string, leaf: Node): boolean {
  for (let node: Node | null = leaf, steps = 0; node !== null && steps < 5; node = node.parent, steps++) {
    if (/assign|^(?:update_|inc_|dec_|augmented)/.test(node.type) && !/pattern/.test(node.type)) {
      return true;
    }
    if (isScope(syntaxOf(language), node.type)) {
      return false;
    }
  }
  return false;
}

/** The innermost scope around a node, or the whole file; `undefined` for the file itself. */
function scopeAround(language: string, node: Node): Node | undefined {
  const syntax = syntaxOf(language);
  for (let { parent } = node; parent !== null; { parent } = parent) {
    if (parent.parent === null || isScope(syntax, parent.type)) {
      return parent;
    }
  }
  return undefined;
}

/** Whether a leaf is the name of a function or a type, which is known where that stands. */
function isNameOf(leaf: Node, scope: Node): boolean {
  if (/^(?:for|foreach|enhanced_for|catch|lambda|closure|arrow)/.test(scope.type)) {
    return false;
  }
  let node = leaf;
  while (node.parent !== null && node.parent.type.endsWith("declarator") && roleOf(node) === "declarator") {
    node = node.parent;
  }
  return node.parent !== null && isSame(node.parent, scope) && /^(?:name|declarator|)$/.test(roleOf(node));
}
