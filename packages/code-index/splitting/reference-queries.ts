import { FUNCTIONAL_REFERENCES } from "./functional-queries.ts";

/**
 * Where each grammar uses a name that is defined elsewhere: `@used` for calls, types and imports; `@mentioned` where it may
 * be a local name as well, as what a function is given. Names that are only computed with are left out.
 */
const SCRIPT = `
  (call_expression function: (identifier) @used)
  (call_expression function: (member_expression property: (property_identifier) @used))
  (new_expression constructor: (identifier) @used)
  (new_expression constructor: (member_expression property: (property_identifier) @used))
  (import_specifier name: (_) @used)
  (import_clause (identifier) @used)
  (namespace_import (identifier) @used)
  (export_specifier name: (_) @used)
  (arguments (identifier) @mentioned)
  (pair value: (identifier) @mentioned)
  (shorthand_property_identifier) @mentioned
  (member_expression object: (identifier) @mentioned)
  (decorator (identifier) @used)
`;

const JSX = `
  (jsx_opening_element name: (identifier) @used)
  (jsx_self_closing_element name: (identifier) @used)
  (jsx_opening_element name: (member_expression property: (property_identifier) @used))
  (jsx_self_closing_element name: (member_expression property: (property_identifier) @used))
  (jsx_attribute (jsx_expression (identifier) @mentioned))
`;

const TYPED = `
  (type_identifier) @used
  (extends_clause value: (identifier) @used)
`;

const C = `
  (call_expression function: (identifier) @used)
  (call_expression function: (field_expression field: (field_identifier) @used))
  (type_identifier) @used
  (argument_list (identifier) @mentioned)
  (initializer_pair value: (identifier) @mentioned)
  (initializer_list (identifier) @mentioned)
  (unary_expression argument: (identifier) @mentioned)
  (pointer_expression argument: (identifier) @mentioned)
  (preproc_ifdef name: (identifier) @used)
`;

export const REFERENCE_QUERIES: Readonly<Record<string, string>> = {
  ...FUNCTIONAL_REFERENCES,
  javascript: `${SCRIPT}${JSX}
    (class_heritage (identifier) @used)
    (class_heritage (member_expression property: (property_identifier) @used))
  `,
  typescript: `${SCRIPT}${TYPED}`,
  tsx: `${SCRIPT}${TYPED}${JSX}`,
  c: C,
  cpp: `${C}
    (qualified_identifier name: [(identifier) (type_identifier)] @used)
    (qualified_identifier scope: (namespace_identifier) @used)
    (template_function name: (identifier) @used)
    (template_type name: (type_identifier) @used)
    (template_method name: (field_identifier) @used)
    (using_declaration (identifier) @used)
  `,
  python: `
    (call function: (identifier) @used)
    (call function: (attribute attribute: (identifier) @used))
    (attribute object: (identifier) @mentioned)
    (import_statement name: (dotted_name (identifier) @used))
    (import_from_statement module_name: (dotted_name (identifier) @used))
    (import_from_statement name: (dotted_name (identifier) @used))
    (aliased_import name: (dotted_name (identifier) @used))
    (class_definition superclasses: (argument_list (identifier) @used))
    (class_definition superclasses: (argument_list (attribute attribute: (identifier) @used)))
    (type (identifier) @used)
    (type (attribute attribute: (identifier) @used))
    (generic_type (identifier) @used)
    (decorator (identifier) @used)
    (decorator (attribute attribute: (identifier) @used))
    (argument_list (identifier) @mentioned)
    (keyword_argument value: (identifier) @mentioned)
    (except_clause (identifier) @used)
    (raise_statement (identifier) @used)
    (list (identifier) @mentioned)
    (pair value: (identifier) @mentioned)
  `,
  go: `
    (call_expression function: (identifier) @used)
    (call_expression function: (parenthesized_expression (identifier) @used))
    (selector_expression field: (field_identifier) @used)
    (selector_expression operand: (identifier) @mentioned)
    (type_identifier) @used
    (package_identifier) @mentioned
    (argument_list (identifier) @mentioned)
    (literal_element (identifier) @mentioned)
    (keyed_element key: (literal_element (identifier) @mentioned))
  `,
  rust: `
    (call_expression function: (identifier) @used)
    (call_expression function: (field_expression field: (field_identifier) @used))
    (scoped_identifier name: (identifier) @used)
    (scoped_identifier path: (identifier) @mentioned)
    (scoped_type_identifier path: (identifier) @used)
    (generic_function function: (identifier) @used)
    (generic_function function: (field_expression field: (field_identifier) @used))
    (macro_invocation macro: (identifier) @used)
    (type_identifier) @used
    (use_declaration argument: (identifier) @used)
    (use_list (identifier) @used)
    (scoped_use_list path: (identifier) @used)
    (use_as_clause path: (identifier) @used)
    (attribute (identifier) @used)
    (arguments (identifier) @mentioned)
    (token_tree (identifier) @mentioned)
  `,
  java: `
    (method_invocation name: (identifier) @used)
    (method_invocation object: (identifier) @mentioned)
    (method_reference (identifier) @used)
    (field_access field: (identifier) @used)
    (field_access object: (identifier) @mentioned)
    (type_identifier) @used
    (scoped_identifier name: (identifier) @used)
    (marker_annotation name: (identifier) @used)
    (annotation name: (identifier) @used)
    (argument_list (identifier) @mentioned)
    (switch_label (identifier) @mentioned)
  `,
  c_sharp: `
    (invocation_expression function: (identifier) @used)
    (invocation_expression function: (generic_name (identifier) @used))
    (member_access_expression name: (identifier) @used)
    (member_access_expression name: (generic_name (identifier) @used))
    (member_access_expression expression: (identifier) @mentioned)
    (object_creation_expression type: (identifier) @used)
    (object_creation_expression type: (generic_name (identifier) @used))
    (base_list (identifier) @used)
    (base_list (generic_name (identifier) @used))
    (variable_declaration type: (identifier) @used)
    (variable_declaration type: (generic_name (identifier) @used))
    (parameter type: (identifier) @used)
    (parameter type: (generic_name (identifier) @used))
    (method_declaration returns: (identifier) @used)
    (method_declaration returns: (generic_name (identifier) @used))
    (property_declaration type: (identifier) @used)
    (property_declaration type: (generic_name (identifier) @used))
    (nullable_type (identifier) @used)
    (array_type (identifier) @used)
    (type_argument_list (identifier) @used)
    (cast_expression type: (identifier) @used)
    (typeof_expression (identifier) @used)
    (as_expression (identifier) @used)
    (attribute name: (identifier) @used)
    (using_directive (identifier) @used)
    (qualified_name name: (identifier) @used)
    (argument (identifier) @mentioned)
  `,
  ruby: `
    (call method: (_) @used)
    (constant) @used
    (identifier) @mentioned
  `,
  php: `
    (function_call_expression function: (name) @used)
    (function_call_expression function: (qualified_name (name) @used))
    (member_call_expression name: (name) @used)
    (nullsafe_member_call_expression name: (name) @used)
    (scoped_call_expression name: (name) @used)
    (scoped_call_expression scope: (name) @used)
    (class_constant_access_expression (name) @used)
    (scoped_property_access_expression scope: (name) @used)
    (object_creation_expression (name) @used)
    (object_creation_expression (qualified_name (name) @used))
    (named_type (name) @used)
    (named_type (qualified_name (name) @used))
    (base_clause (name) @used)
    (class_interface_clause (name) @used)
    (use_declaration (name) @used)
    (namespace_use_clause (qualified_name (name) @used))
    (namespace_use_clause (name) @used)
    (attribute (name) @used)
    (argument (name) @mentioned)
    (catch_clause (type_list (named_type (name) @used)))
  `,
  kotlin: `
    (call_expression (simple_identifier) @used)
    (navigation_suffix (simple_identifier) @used)
    (navigation_expression (simple_identifier) @mentioned)
    (type_identifier) @used
    (import_header (identifier (simple_identifier) @used .))
    (value_argument (simple_identifier) @mentioned)
    (callable_reference (simple_identifier) @used)
    (infix_expression (_) (simple_identifier) @mentioned (_))
  `,
  swift: `
    (call_expression (simple_identifier) @used)
    (navigation_suffix suffix: (simple_identifier) @used)
    (navigation_expression target: (simple_identifier) @mentioned)
    (type_identifier) @used
    (value_argument value: (simple_identifier) @mentioned)
    (import_declaration (identifier (simple_identifier) @used))
  `,
  scala: `
    (call_expression function: (identifier) @used)
    (call_expression function: (field_expression field: (identifier) @used))
    (field_expression field: (identifier) @used)
    (field_expression value: (identifier) @mentioned)
    (generic_function function: (identifier) @used)
    (type_identifier) @used
    (instance_expression (type_identifier) @used)
    (import_declaration (identifier) @used)
    (namespace_selectors (identifier) @used)
    (arguments (identifier) @mentioned)
    (annotation name: (type_identifier) @used)
    (infix_expression operator: (identifier) @used)
  `,
  bash: `
    (command name: (command_name (word) @used))
    (variable_name) @mentioned
  `,
  sql: `
    (object_reference name: (identifier) @used)
    (invocation (object_reference name: (identifier) @used))
  `,
  lua: `
    (function_call name: (identifier) @used)
    (function_call name: (dot_index_expression field: (identifier) @used))
    (function_call name: (method_index_expression method: (identifier) @used))
    (dot_index_expression table: (identifier) @mentioned)
    (arguments (identifier) @mentioned)
  `,
  dart: `
    (type_identifier) @used
    (identifier) @mentioned
  `,
  zig: `
    (call_expression function: (identifier) @used)
    (call_expression function: (field_expression member: (identifier) @used))
    (field_expression member: (identifier) @used)
    (identifier) @mentioned
  `,
  proto: `(message_or_enum_type (identifier) @used .)`,
  graphql: `(named_type (name) @used)`,
  julia: `
    (call_expression . (identifier) @used)
    (call_expression . (field_expression (identifier) @used .))
    (using_statement (identifier) @used)
    (import_statement (identifier) @used)
    (typed_expression (identifier) @used .)
    (macro_identifier (identifier) @used)
    (argument_list (identifier) @mentioned)
  `,
  groovy: `
    (function_call function: (identifier) @used)
    (function_call function: (dotted_identifier (identifier) @used .))
    (juxt_function_call function: (identifier) @used)
    (class_definition superclass: (identifier) @used)
    (groovy_import import: (qualified_name (identifier) @used .))
    (argument_list (identifier) @mentioned)
  `,
  objc: `${C}
    (message_expression method: (identifier) @used)
    (message_expression receiver: (identifier) @mentioned)
    (class_interface superclass: (identifier) @used)
  `,
  perl: `
    (function_call_expression function: (function) @used)
    (ambiguous_function_call_expression function: (function) @used)
    (method_call_expression method: (method) @used)
    (use_statement module: (package) @used)
  `,
  r: `
    (call function: (identifier) @used)
    (call function: (namespace_operator rhs: (identifier) @used))
    (argument value: (identifier) @mentioned)
  `,
  powershell: `
    (command command_name: (command_name) @used)
    (type_identifier) @used
  `,
  nix: `
    (apply_expression function: (variable_expression name: (identifier) @used))
    (select_expression attrpath: (attrpath attr: (identifier) @used))
    (variable_expression name: (identifier) @mentioned)
  `,
  solidity: `
    (call_expression function: (expression (identifier) @used))
    (member_expression property: (identifier) @used)
    (user_defined_type (identifier) @used)
    (modifier_invocation (identifier) @used)
    (call_argument (expression (identifier) @mentioned))
  `,
  cmake: `(normal_command (identifier) @used)`,
  make: `(prerequisites (word) @used)`,
  hcl: `(get_attr (identifier) @used) (function_call (identifier) @used) (variable_expr (identifier) @used)`,
};
