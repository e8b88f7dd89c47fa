import type { Node } from "web-tree-sitter";
import { ACCESS, CALL, GENERIC, isSame, roleOf } from "#splitting/use-kinds.ts";
import { spotOf, type Spot } from "./place.ts";
import { SELF, SUPER } from "./syntax-of-names.ts";

/** What a name is a member of: what stands at a spot, or the type around (`self`) or what that extends (`super`). */
export type Holder = HeldSpot | "self" | "super";

/** A name that tells a type: of one of many where it `isList`; the one is taken out of what stands there where it `isTaken`. */
export type HeldSpot = Spot & { readonly isList?: true; readonly isTaken?: true };

const NAVIGATES =
  /^(?:navigation_expression|conditional_access_expression|method_invocation|member_call_expression|nullsafe_member_\w+|scoped_call_expression|class_constant_access_expression|scoped_property_access_expression|scope_resolution|member_access_expression|qualified_(?:name|type|identifier)|nested_type_identifier|nested_identifier)$/;
const WRAPS =
  /^(?:parenthesized_expression|await_expression|await|non_null_expression|try_expression|unary_expression|reference_expression|pointer_expression|expression_list|expression_statement|literal_element|postfix_expression|postfix_unary_expression|clone_expression|spread_element|type|type_annotation|reference_type|pointer_type|nullable_type|named_type|optional_type|user_type|variable_name|parameter_list|parameter_declaration|union_type|readonly_type|assignment_expression)$/;
const CASTS = /^(?:as_expression|satisfies_expression|cast_expression|type_cast_expression|type_assertion|type_conversion_expression)$/;
/** Types that stand for what they hold, and those that hold many of it. */
const TRANSPARENT =
  /^(?:Promise|Awaited|Readonly|Partial|Required|NonNullable|Optional|Option|Result|Box|Rc|Arc|Ref|RefCell|Mutex|RwLock|Union|Type|type|Task|ValueTask|Nullable|Lazy|Future|CompletableFuture|Supplier|Provider|Cow|Pin|Weak|ClassVar|Final|Annotated|Awaitable|Coroutine|ContextManager|Mono)$/;
const LISTS =
  /^(?:Array|ReadonlyArray|(?:Mutable|Array|Linked|Immutable)?(?:List|Set|Map|Collection)|Vec|VecDeque|HashSet|BTreeSet|HashMap|BTreeMap|(?:Async)?(?:Iterable|Iterator|Generator)|Sequence|list|set|frozenset|tuple|dict|Dict|Tuple|IEnumerable|IList|ICollection|IReadOnly(?:List|Collection|Dictionary)|Dictionary|Record|Flow|Flux|Stream|Channel)$/;
/** Methods that give what they are called on, or some of it. */
const PASSES =
  /^(?:filter|slice|concat|sort|sorted|reverse|toSorted|toReversed|iter|iter_mut|into_iter|clone|cloned|copied|unwrap|expect|as_ref|as_mut|borrow|borrow_mut|lock|Where|ToList|ToArray|OrderBy|stream|toList|values|let|also|apply|copy)$/;
const TAKES_ONE =
  /^(?:find|findLast|at|pop|shift|first|last|next|get|First|FirstOrDefault|Single|SingleOrDefault|Last|firstOrNull|detect|iter_next)$/;
const MAX_DEPTH = 8;

/** What an expression or a type is of, by the name in it that tells. */
export function holderOf(node: Node | null, depth = 0): Holder | undefined {
  if (node === null || depth > MAX_DEPTH) {
    return undefined;
  }
  const next = (inner: Node | null | undefined) => holderOf(inner ?? null, depth + 1);
  const { type } = node;
  const text = node.endIndex - node.startIndex < 60 ? node.text : "";
  if (SELF.test(text)) {
    return "self";
  }
  if (SUPER.test(text)) {
    return "super";
  }
  const [first] = node.namedChildren;
  if (node.namedChildCount === 0 || first === null || first === undefined) {
    return /^[\w$@\u0080-\uffff]+$/.test(text) ? spotOf(node) : undefined;
  }
  if (CASTS.test(type)) {
    return next(node.childForFieldName("type") ?? node.lastNamedChild);
  }
  if (GENERIC.test(type) || type === "user_type" || type === "generic_type") {
    const args = node.lastNamedChild;
    const own = /\w+$/.exec(first.text)?.[0] ?? "";
    const held =
      args === null || isSame(args, first)
        ? undefined
        : TRANSPARENT.test(own)
          ? next(args)
          : LISTS.test(own)
            ? marked(next(args), "isList")
            : undefined;
    return held ?? next(first);
  }
  if (/^(?:array_type|slice_type|map_type)$/.test(type)) {
    return marked(next(node.childForFieldName("element") ?? node.childForFieldName("value") ?? node.lastNamedChild), "isList");
  }
  if (/^(?:subscript_expression|subscript|index_expression|element_access_expression|indexing_expression|element_reference)$/.test(type)) {
    return marked(next(first), "isTaken");
  }
  if (/^(?:type_arguments|type_argument_list|type_parameter|type_projection)$/.test(type)) {
    return next(node.lastNamedChild);
  }
  if (/^(?:composite_literal|struct_expression|object_creation_expression|new_expression|instance_expression)$/.test(type)) {
    return next(node.childForFieldName("type") ?? node.childForFieldName("name") ?? node.childForFieldName("constructor") ?? first);
  }
  if (type === "call" && node.childForFieldName("method")?.text === "new") {
    return next(node.childForFieldName("receiver"));
  }
  if (NAVIGATES.test(type) || (type === "call" && node.childForFieldName("receiver") !== null)) {
    return next(node.childForFieldName("name") ?? node.childForFieldName("method") ?? node.lastNamedChild);
  }
  if (CALL.test(type)) {
    const callee = node.childForFieldName("function") ?? first;
    const [own, method] = [callee.firstNamedChild, callee.lastNamedChild];
    if (own !== null && method !== null && !isSame(own, method)) {
      const name = /\w+$/.exec(method.text.slice(0, 40))?.[0] ?? "";
      if (PASSES.test(name)) {
        return next(own);
      }
      if (TAKES_ONE.test(name)) {
        return marked(next(own), "isTaken") ?? next(callee);
      }
    }
    return next(
      node.childForFieldName("function") ??
        node.childForFieldName("method") ??
        node.childForFieldName("constructor") ??
        node.childForFieldName("type") ??
        first,
    );
  }
  if (ACCESS.test(type) || type === "member_binding_expression") {
    return next(node.lastNamedChild);
  }
  if (type === "binary_expression" || type === "binary_operator" || type === "logical_expression" || type === "boolean_operator") {
    return next(first);
  }
  return WRAPS.test(type) ? next(first) : undefined;
}

export function marked(holder: Holder | undefined, mark: "isList" | "isTaken"): Holder | undefined {
  return typeof holder === "object" ? { ...holder, [mark]: true } : holder;
}

const RECEIVERS = [
  "object",
  "receiver",
  "operand",
  "expression",
  "condition",
  "scope",
  "target",
  "table",
  "path",
  "qualifier",
  "argument",
  "value",
  "package",
  "prefix",
];
const MEMBER =
  /^(?:member_expression|member_access_expression|member_binding_expression|conditional_access_expression|attribute|field_expression|field_access|selector_expression|navigation_suffix|dot|dot_index_expression|method_index_expression|method_invocation|member_call_expression|nullsafe_member_\w+|scoped_call_expression|class_constant_access_expression|scoped_property_access_expression|scoped_identifier|scoped_type_identifier|qualified_(?:name|type|identifier)|nested_type_identifier|nested_identifier|scope_resolution|call|method_reference|callable_reference)$/;

/** The expression before `.name`; `undefined` where the name stands alone. */
export function receiverOf(leaf: Node): Node | undefined {
  let member = leaf;
  for (
    let { parent } = member;
    parent !== null &&
    (GENERIC.test(parent.type) || /^(?:variable_name|user_type)$/.test(parent.type)) &&
    isSame(parent.firstNamedChild, member);
    { parent } = member
  ) {
    member = parent;
  }
  let { parent } = member;
  if (parent === null || !MEMBER.test(parent.type)) {
    return undefined;
  }
  if (parent.type === "member_binding_expression" || parent.type === "navigation_suffix") {
    member = parent;
    ({ parent } = parent);
  }
  const field = RECEIVERS.find((name) => (parent?.childForFieldName(name) ?? null) !== null);
  const receiver = field === undefined ? parent?.firstNamedChild : parent?.childForFieldName(field);
  const isReceiver = receiver !== null && receiver !== undefined && !isSame(receiver, member) && receiver.endIndex <= member.startIndex;
  return isReceiver && (parent?.type !== "call" || roleOf(member) === "method") ? receiver : undefined;
}

const KEYED =
  /^(?:keyword_argument|named_argument|keyed_element|field_initializer|shorthand_field_initializer|initializer_pair|value_argument|argument|field_pattern|jsx_attribute)$/;
const TAKES =
  /call|invocation|creation|^new_expression|composite_literal|struct_expression|struct_pattern|jsx_\w*element|annotation$|^attribute$/;

/** What a name is given to by that name: the function of `f(name=1)`, the type of `T{name: 1}`. */
export function takerOf(leaf: Node): Holder | undefined {
  let key = leaf;
  while (key.parent?.type === "literal_element") {
    key = key.parent;
  }
  const { parent } = key;
  if (parent === null || !KEYED.test(parent.type) || !isSame(parent.firstNamedChild, key) || parent.namedChildCount < 2) {
    return undefined;
  }
  for (let node = parent.parent, steps = 0; node !== null && steps < 4; node = node.parent, steps++) {
    if (TAKES.test(node.type) && !/arguments|suffix/.test(node.type)) {
      return holderOf(node);
    }
  }
  return undefined;
}
