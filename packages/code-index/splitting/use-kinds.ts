import type { Node } from "web-tree-sitter";
import type { UseKind } from "#contract.ts";

/*
 * Grammars call alike things by like names, and their fields too, so that one set of rules reads them all. Where none fits a name is
 * read.
 */

/** Code inside of a string. */
const EMBEDDED =
  /^(?:interpolation|interpolated_(?:expression|identifier)|template_substitution|(?:simple_)?expansion|command_substitution|identifier_dollar_escaped|variable(?:_name|_ref|_reference)?|varname|scalar|jsx_expression)$/;
const TEXT =
  /comment|string|^str_|_str(?:ing)?(?:_|$)|char_lit|^char$|heredoc|nowdoc|quoted|regex|^jsx_text$|^text$|raw_text|shell_text|attribute_value|template_literal|_scalar$|^literal$/;
const IMPORT = /import|include|^use_(?!ref)|namespace_use|^using_d|^open_module|extern_crate/;
/** Functions that import what they are given, where the language has no syntax of its own for it. */
const IMPORTING = /^(?:require|require_relative|library|source|import|alias|use)$/;
const CALLING = /call|invo[ck]ation|command$|apply|application/;

/** The last part of `a.b.c`, and what has its type arguments behind it, stand for the whole. */
export const ACCESS =
  /^(?:member_(?:expression|access_expression|binding_expression|access|name)|conditional_access_expression|attribute|field_(?:expression|access|path)|selector_expression|navigation_(?:expression|suffix)|dot|dot_index_expression|method_index_expression|dotted_(?:name|identifier)|extract_operator|namespace_operator|object_reference|command_name|(?:un)?conditional_assignable_selector|value_(?:expr|qid|path)|sym_lit|variable_expression|select_expression|attrpath|field|expression|user_defined_type|user_type|selector)$|^scoped_|^qualified_|^nested_/;
export const GENERIC = /^(?:generic_(?:name|type|function)|template_(?:type|function|method))$/;

export const CALL =
  /call(?!_?(?:argument|suffix))|invo[ck]ation|^new_expression$|creation_expression|decorator$|(?<!type_)annotation$|^jsx_(?:opening|self_closing)|message_expression|^command$|^apply|application_expression|^normal_command$|^emit_statement$/;
const CALLEE = ["function", "method", "macro", "constructor", "target", "name", "type", "command_name", "expr"];

const TYPED =
  /type|generic_(?:name|type)|superclass|interfaces|extends|implements|heritage|base_(?:list|clause|class)|inherit(?:ance|s)|delegation|class_interface_clause|^trait_bounds$/;
const TYPE_ROLES = /^(?:type|returns|return_type|result|superclass(?:es)?|superinterfaces|trait|ancestor|extend|inherits_from)$/;

/** What stands between a name that is bound and what binds it. */
const BETWEEN =
  /pattern(?<!^as_pattern)$|(?:pointer|reference|function|array|parenthesized|abstract\w*|struct)_declarator$|pattern_list|as_pattern_target|variable_list|expression_list|tuple|multi_variable|^tuple_|parenthesized|identifier_list|assignable|literal_element|designator|^label$|field_name|^value_argument_label$|^(?:left_)?assignment_list$|^scalar$|^attrpath$|^variable_name$/;
const BINDS =
  /assign|_declarator$|match_arm|case_clause|update_expression|update_statement|^(?:inc|dec)_statement$|postfix|declarat|definition|^let_|_let$|_spec$|_item$|^for_|foreach|range_clause|enhanced_for|range_loop|param|lambda|closure_expression|arrow_function|binding|^keyword_argument$|^named_argument$|^pair$|keyed_element|field_init|shorthand_field|initializer_pair|named_expression|catch|except|rescue|with_item|as_pattern|delete_statement|^bind$|field_update|^argument$|^value_argument$|payload|signature|variant|^enum|container_field|^field$|^column|set_expression|initialized_|_elem$|^declaration$|property_(?:declaration|element)|switch_statement|for_numeric|for_generic|^function$|^binary_operator$/;
const BINDING_ROLES =
  /^(?:left|lhs|target|pattern|name|declarator|alias|variable|key|field|item|argument|parameters?|bound_identifier|designator|operand|attrpath|universal|property)$/;
/** What binds its first child, in grammars without fields for it. */
const BINDS_FIRST =
  /^(?:assignment(?:_statement)?|typed_parameter|for_generic_clause|field_definition|input_value_definition|update_expression|(?:inc|dec)_statement|postfix_(?:unary_)?expression|parameters?|lambda_parameters|closure_parameters|block_parameters|method_parameters|method_parameter|variable_declaration|initialized_\w+|payload|delete_statement|shorthand_field_initializer|set_expression|named_argument|value_argument|field_update|enum_entry|enum_field|for_in_clause|exception_variable|script_parameter|class_parameter|field_declaration|struct_declarator)$/;
/** Where a name that is declared belongs to a type, or to a whole file. */
const MEMBERS =
  /class|interface|struct|enum|record|object_type|template_body|protocol|contract_body|field_|enumerator_list|variant|message_body|fields|column_definitions|^declaration_list|namespace|source_file|translation_unit/;
/** What stands between it and them. */
const DECLARES = /declar|definition|signature|_spec$|enumerator$|variant$|^enum_|property|container_field|column|^field$|_elem$/;
const LOCAL =
  /param|lambda|closure|argument|pattern|catch|except|^for_|assign|update_expression|_initializer|initializer_pair|^pair$|keyed_element|^bind|let_|operator/;

/** What is done with a name at a leaf of a tree; its definition is known by other means. */
export function kindOfUse(leaf: Node): UseKind {
  const kind = embeddedKind(leaf);
  if (kind !== undefined) {
    return kind;
  }
  if (leaf.parent === null) {
    return "read";
  }
  const whole = wholeOf(leaf);
  if (isInherited(whole)) {
    return "implementation";
  }
  const isOfUserType = leaf.type === "type_identifier" && leaf.parent.type === "user_type";
  if (leaf.parent.type.startsWith("type_param") || isOfUserType || isSpecified(whole)) {
    return "type";
  }
  return boundKind(whole) ?? (isCalled(whole) ? "call" : isType(leaf, whole) ? "type" : "read");
}

function embeddedKind(leaf: Node): "text" | "import" | undefined {
  let isText: boolean | undefined;
  for (let node: Node | null = leaf, calls = 0; node !== null; node = node.parent) {
    const { type } = node;
    if (/comment/.test(type)) {
      return "text";
    }
    if (
      (IMPORT.test(type) && !(leaf.type === "name" && isMixedIn(leaf))) ||
      (type === "export_statement" &&
        /export_(?:specifier|clause)/.test(leaf.parent?.type ?? "") &&
        node.childForFieldName("source") !== null)
    ) {
      return "import";
    }
    isText ??= EMBEDDED.test(type) ? false : TEXT.test(type) ? true : undefined;
    if (node !== leaf && calls < 2 && CALLING.test(type)) {
      calls++;
      const [first] = node.namedChildren;
      if (
        first !== null &&
        first !== undefined &&
        first.startIndex !== leaf.startIndex &&
        first.endIndex - first.startIndex < 20 &&
        IMPORTING.test(first.text)
      ) {
        return "import";
      }
    }
  }
  return isText === true ? "text" : undefined;
}

/** The whole of which a name is the last part: `a.b` of its `b`. */
export function wholeOf(leaf: Node): Node {
  let whole = leaf;
  for (let { parent } = whole; parent !== null; { parent } = whole) {
    const isWhole =
      (ACCESS.test(parent.type) && isSame(parent.lastNamedChild, whole)) ||
      (GENERIC.test(parent.type) && isSame(parent.firstNamedChild, whole));
    if (!isWhole) {
      break;
    }
    whole = parent;
  }
  return whole;
}

/** Where a definition names what it extends or implements. */
const INHERITS =
  /^(?:class_heritage|extends_(?:type_)?clause|implements_clause|superclass|super_interfaces|extends_interfaces|base_list|base_clause|base_class_clause|class_interface_clause|delegation_specifiers?|inheritance_specifier|interfaces|mixins|implements_interfaces)$/;
const INHERITING_ROLES = /^(?:superclass(?:es)?|trait)$/;
/** What stands within it and is inherited from no more: `B` of `extends A<B>` and of `extends mixin(B)`. */
const GIVEN = /arguments?$|argument_list$|type_param|keyword_argument|subscript|body|block/;

function isInherited(whole: Node): boolean {
  if (isMixedIn(whole)) {
    return true;
  }
  for (let node = whole, steps = 0; node.parent !== null && steps < 6; node = node.parent, steps++) {
    const { type } = node.parent;
    if (INHERITS.test(type) || (/class|impl_item/.test(type) && INHERITING_ROLES.test(roleOf(node)))) {
      return true;
    }
    // Python's argument list of a class is what it inherits from.
    // Python's `Box[A]` is inherited from as `Box`.
    const isWhole = type === "subscript" && isSame(node.parent.firstNamedChild, node);
    if (!isWhole && GIVEN.test(type) && roleOf(node.parent) !== "superclasses") {
      return false;
    }
  }
  return false;
}

/** What takes what it is given into the type around it, where the language has no syntax of its own for that. */
const MIXES = /^(?:include|extend|prepend|behaviour|defimpl)$/;

function isMixedIn(whole: Node): boolean {
  const { parent } = whole.parent?.type === "scope_resolution" && isSame(whole.parent.lastNamedChild, whole) ? whole.parent : whole;
  const call = parent?.parent ?? null;
  // A trait of PHP is used as a namespace is.
  if (parent?.type === "use_declaration") {
    return call?.type === "declaration_list";
  }
  const isCall = call?.type === "call" && /^argument(?:s|_list)$/.test(parent?.type ?? "") && call.childForFieldName("receiver") === null;
  return isCall && MIXES.test((call.childForFieldName("method") ?? call.childForFieldName("target"))?.text ?? "");
}

/** `@spec run(integer) :: atom` of Elixir says what a function takes, and does not call it. */
const SPECIFIES = /^@(?:spec|callback|macrocallback)\b/;

function isSpecified(whole: Node): boolean {
  let node: Node | null = whole;
  for (let steps = 0; node !== null && node.type !== "unary_operator" && steps < MAX_SPECIFYING; steps++) {
    node = node.parent;
  }
  return node?.type === "unary_operator" && SPECIFIES.test(node.text);
}

/** Nodes between a name and the `@` of its specification: calls, arguments, `when`. */
const MAX_SPECIFYING = 7;

export function isSame(one: Node | null, other: Node): boolean {
  // Small nodes have no identity of their own.
  return one !== null && one.id === other.id && one.startIndex === other.startIndex;
}

function isCalled(whole: Node): boolean {
  const { parent } = whole;
  if (parent === null) {
    return false;
  }
  // In Dart what is called and what it is given are neighbours.
  if (whole.nextNamedSibling?.type === "selector" && whole.nextNamedSibling.firstNamedChild?.type === "argument_part") {
    return true;
  }
  if (parent.type === "list_lit") {
    return isSame(parent.firstNamedChild, whole);
  }
  if (!CALL.test(parent.type)) {
    return false;
  }
  const role = roleOf(whole);
  return role === ""
    ? isSame(parent.firstNamedChild, whole) && !CALLEE.some((field) => parent.childForFieldName(field) !== null)
    : CALLEE.includes(role) && isSame(calleeOf(parent), whole);
}

function calleeOf(call: Node): Node | null {
  const field = CALLEE.find((name) => call.childForFieldName(name) !== null);
  return field === undefined ? null : call.childForFieldName(field);
}

function isType(leaf: Node, whole: Node): boolean {
  if (/type_identifier|^type_constructor|^named_type$/.test(leaf.type)) {
    return true;
  }
  for (let node = whole, steps = 0; node.parent !== null && steps < 4; node = node.parent, steps++) {
    if (TYPE_ROLES.test(roleOf(node)) || (TYPED.test(node.parent.type) && !/declaration|definition|typeof/.test(node.parent.type))) {
      return true;
    }
    if (!/list|type|generic|attribute|qualified|scoped|pointer|reference|array|nullable|optional|user/.test(node.parent.type)) {
      return false;
    }
  }
  return false;
}

/** Whether a name gets a value or is declared there; what is declared as part of a type, or at the top of a file, is defined. */
function boundKind(whole: Node): "definition" | "write" | undefined {
  let node = whole;
  let role = roleOf(node);
  if (node.parent?.type === "call" && role === "method") {
    // Ruby assigns by calling.
    return roleOf(node.parent) === "left" ? "write" : undefined;
  }
  if (node.parent?.type === "pair" && node.type === "identifier") {
    return undefined;
  }
  let isPrototype = false;
  for (let { parent } = node; parent !== null && BETWEEN.test(parent.type); { parent } = node) {
    if (!isBindingRole(node, parent, role)) {
      return undefined;
    }
    isPrototype ||= parent.type === "function_declarator";
    node = parent;
    role = roleOf(node);
  }
  const { parent } = node;
  if (parent === null || !BINDS.test(parent.type) || !isBindingRole(node, parent, role)) {
    return undefined;
  }
  if (parent.type === "binary_operator" && !/^(?:=|<-|<<-)$/.test(parent.childForFieldName("operator")?.text ?? "")) {
    return undefined;
  }
  return isPrototype || isMember(parent) ? "definition" : "write";
}

function isBindingRole(node: Node, parent: Node, role: string): boolean {
  if (role !== "") {
    // `{ key: name } = …`
    return (role === "value" && parent.type === "pair_pattern") || BINDING_ROLES.test(role);
  }
  if (BETWEEN.test(parent.type)) {
    return true;
  }
  const isOnly = parent.type === "value_argument" || parent.type === "argument" ? parent.namedChildCount > 1 : true;
  const isList = /^(?:parameters|lambda_parameters|closure_parameters|block_parameters|method_parameters|delete_statement)$/.test(
    parent.type,
  );
  return isOnly && (isList || (isSame(parent.firstNamedChild, node) && BINDS_FIRST.test(parent.type)));
}

/** Whether what is declared is a part of a type or of a file, rather than of a function. */
function isMember(holder: Node): boolean {
  if (LOCAL.test(holder.type)) {
    return false;
  }
  let node: Node | null = holder;
  while (node !== null && DECLARES.test(node.type) && !MEMBERS.test(node.parent?.type ?? "")) {
    node = node.parent;
  }
  return node !== null && DECLARES.test(node.type);
}

export function roleOf(node: Node): string {
  const { parent } = node;
  if (parent === null) {
    return "";
  }
  for (let index = 0; index < parent.childCount; index++) {
    if (isSame(parent.child(index), node)) {
      return parent.fieldNameForChild(index) ?? "";
    }
  }
  return "";
}
