/** What the grammars of functional languages call definitions and uses; `definition-queries.ts` says what the captures are. */
const OCAML_DEFINITIONS = `
  (value_specification (value_name) @name) @function
  (external (value_name) @name) @function
  (type_binding name: (_) @name) @type
  (constructor_declaration (constructor_name) @name) @constant
  (module_binding (module_name) @name) @module
  (module_type_definition (module_type_name) @name) @interface
`;

/** Forms of Clojure that define what comes second in them, by kind. */
const CLOJURE = Object.entries({
  function: '"defn" "defn-" "deftest"',
  "function.clause": '"defmulti" "defmethod"',
  macro: '"defmacro"',
  constant: '"def" "defonce"',
  interface: '"defprotocol" "definterface"',
  type: '"defrecord" "deftype"',
  scope: '"ns"',
})
  .map(
    ([kind, forms]) =>
      `(list_lit . (sym_lit name: (sym_name) @keyword) . (sym_lit name: (sym_name) @name) (#any-of? @keyword ${forms})) @${kind}`,
  )
  .join("\n");

const OCAML_REFERENCES = `
  (type_constructor_path (type_constructor) @used)
  (module_path (module_name) @used)
`;

export const FUNCTIONAL_DEFINITIONS: Readonly<Record<string, string>> = {
  elixir: `
    (call target: (identifier) @keyword (arguments (alias) @name) (#any-of? @keyword "defmodule" "defprotocol")) @module
    (call target: (identifier) @keyword (arguments (alias) @name) (#eq? @keyword "defimpl")) @scope
    (call target: (identifier) @keyword (arguments [(identifier) @name (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")])
      (#any-of? @keyword "def" "defp" "defmacro" "defmacrop" "defguard" "defdelegate")) @function.clause
  `,
  haskell: `
    (declarations (signature name: (_) @name) @function.clause)
    (declarations (function name: (_) @name) @function.clause)
    (declarations (bind name: (variable) @name) @function.clause)
    (declarations (function (infix operator: (_) @name)) @function.clause)
    (data_type name: (_) @name) @type
    (newtype name: (_) @name) @type
    (type_synomym name: (_) @name) @type
    (type_family name: (_) @name) @type
    (data_constructor constructor: (_ name: (constructor) @name)) @constant
    (class name: (_) @name) @interface
    (class_declarations declaration: (signature name: (_) @name) @method)
    (field (field_name) @name) @field
    (instance name: (_) @name) @scope
  `,
  ocaml: `${OCAML_DEFINITIONS}
    (compilation_unit (value_definition (let_binding pattern: (value_name) @name (parameter)) @function))
    (structure (value_definition (let_binding pattern: (value_name) @name (parameter)) @function))
    (compilation_unit (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @function))
    (structure (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @function))
    (compilation_unit (value_definition (let_binding pattern: (value_name) @name) @constant))
    (structure (value_definition (let_binding pattern: (value_name) @name) @constant))
    (class_binding (class_name) @name) @class
    (method_definition (method_name) @name) @method
  `,
  ocaml_interface: OCAML_DEFINITIONS,
  clojure: `${CLOJURE}
    (list_lit . (sym_lit name: (sym_name) @keyword) (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit)) @method (#eq? @keyword "defprotocol"))
  `,
  erlang: `
    (fun_decl clause: (function_clause name: (atom) @name)) @function.clause
    (record_decl name: (atom) @name) @type
    (pp_define lhs: (macro_lhs name: (_) @name)) @macro
    (type_alias name: (type_name name: (atom) @name)) @type
    (opaque name: (type_name name: (atom) @name)) @type
    (callback fun: (atom) @name) @method
    (module_attribute name: (atom) @name) @module
  `,
  elm: `
    (file (type_annotation name: (lower_case_identifier) @name) @function.clause)
    (file (value_declaration functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)) @function.clause)
    (type_declaration name: (upper_case_identifier) @name) @type
    (union_variant name: (upper_case_identifier) @name) @constant
    (type_alias_declaration name: (upper_case_identifier) @name) @type
    (port_annotation name: (lower_case_identifier) @name) @function
    (module_declaration name: (upper_case_qid) @name) @module
  `,
  r: `
    (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"] rhs: (function_definition)) @function
    (program (binary_operator lhs: (identifier) @name operator: ["<-" "="]) @constant)
    (call function: (identifier) @keyword arguments: (arguments . (argument value: (string content: (string_content) @name)))
      (#any-of? @keyword "setClass" "setRefClass" "R6Class")) @class
    (call function: (identifier) @keyword arguments: (arguments . (argument value: (string content: (string_content) @name)))
      (#any-of? @keyword "setGeneric" "setMethod")) @function
  `,
  nix: `
    (binding attrpath: (attrpath) @name expression: (function_expression)) @function
    (binding attrpath: (attrpath) @name expression: (apply_expression)) @constant
    (let_expression (binding_set (binding attrpath: (attrpath) @name) @constant))
  `,
};

export const FUNCTIONAL_REFERENCES: Readonly<Record<string, string>> = {
  elixir: `
    (call target: (identifier) @used)
    (call target: (dot right: (identifier) @used))
    (alias) @used
    (unary_operator operand: (call target: (identifier) @used))
  `,
  haskell: `
    (apply function: (variable) @used)
    (infix operator: (operator) @used)
    (name) @used
    (constructor) @used
    (import_name variable: (variable) @used)
    (variable) @mentioned
  `,
  ocaml: `${OCAML_REFERENCES}
    (application_expression function: (value_path (value_name) @used))
    (constructor_path (constructor_name) @used)
    (value_path (value_name) @mentioned)
  `,
  ocaml_interface: OCAML_REFERENCES,
  clojure: `
    (list_lit . (sym_lit name: (sym_name) @used))
    (sym_lit name: (sym_name) @mentioned)
  `,
  erlang: `
    (call expr: (atom) @used)
    (remote_module module: (atom) @used)
    (macro_call_expr name: (_) @used)
    (record_name name: (atom) @used)
    (fa fun: (atom) @mentioned)
  `,
  elm: `
    (function_call_expr target: (value_expr (value_qid (lower_case_identifier) @used)))
    (upper_case_qid (upper_case_identifier) @used)
    (exposed_value (lower_case_identifier) @used)
    (exposed_type (upper_case_identifier) @used)
    (value_qid (lower_case_identifier) @mentioned)
  `,
};
