import { FUNCTIONAL_DEFINITIONS } from "./functional-queries.ts";

/**
 * What each grammar calls the definition of a name. A pattern captures the whole definition by its kind and the name as
 * `@name`; `@scope` is for what has a name that it does not define, as an `impl` of Rust or a heading. Neighbours of one name
 * that are called `.clause` are one definition, as a function of Haskell with its signature. A method is what is also a function, but stands
 * in a class; `@receiver` is the type that it belongs to where it does not.
 */
const SCRIPT = `
  (function_declaration name: (identifier) @name) @function
  (generator_function_declaration name: (identifier) @name) @function
  (method_definition name: (_) @name) @method
  (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (class)]) @function
  (assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function) (function_expression) (class)]) @function
  (pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @function
  (program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
  (program (variable_declaration (variable_declarator name: (identifier) @name) @constant))
  (program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
  (program (expression_statement (assignment_expression left: (member_expression property: (property_identifier) @name)) @constant))
`;

const JAVASCRIPT = `${SCRIPT}
  (class_declaration name: (identifier) @name) @class
  (field_definition property: (_) @name value: (arrow_function)) @method
`;

const TYPESCRIPT = `${SCRIPT}
  (class_declaration name: (type_identifier) @name) @class
  (abstract_class_declaration name: (type_identifier) @name) @class
  (interface_declaration name: (type_identifier) @name) @interface
  (type_alias_declaration name: (type_identifier) @name) @type
  (enum_declaration name: (identifier) @name) @enum
  (function_signature name: (identifier) @name) @function
  (method_signature name: (_) @name) @method
  (abstract_method_signature name: (_) @name) @method
  (public_field_definition name: (_) @name value: (arrow_function)) @method
  (internal_module name: (_) @name) @module
`;

const C = `
  (function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
  (function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
  (function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @function
  (struct_specifier name: (type_identifier) @name body: (_)) @type
  (union_specifier name: (type_identifier) @name body: (_)) @type
  (enum_specifier name: (type_identifier) @name body: (_)) @enum
  (type_definition declarator: (type_identifier) @name) @type
  (preproc_def name: (identifier) @name) @macro
  (preproc_function_def name: (identifier) @name) @macro
`;

const CPP = `${C}
  (class_specifier name: (type_identifier) @name body: (_)) @class
  (namespace_definition name: (_) @name) @module
  (alias_declaration name: (type_identifier) @name) @type
  (function_definition declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)) @method
  (function_definition declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier)] @name))) @method
  (function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier)] @name))) @method
`;

const JULIA_CALL = "(call_expression . [(identifier) @name (field_expression (identifier) @name .)])";

export const DEFINITION_QUERIES: Readonly<Record<string, string>> = {
  ...FUNCTIONAL_DEFINITIONS,
  javascript: JAVASCRIPT,
  typescript: TYPESCRIPT,
  tsx: TYPESCRIPT,
  c: C,
  cpp: CPP,
  python: `
    (function_definition name: (identifier) @name) @function
    (class_definition body: (block (function_definition name: (identifier) @name) @method))
    (class_definition body: (block (decorated_definition definition: (function_definition name: (identifier) @name) @method)))
    (class_definition name: (identifier) @name) @class
    (module (expression_statement (assignment left: (identifier) @name) @constant))
  `,
  go: `
    (function_declaration name: (identifier) @name) @function
    (method_declaration name: (field_identifier) @name) @method
    (method_declaration receiver: (parameter_list (parameter_declaration type: [
      (type_identifier) @receiver
      (generic_type type: (type_identifier) @receiver)
      (pointer_type (type_identifier) @receiver)
      (pointer_type (generic_type type: (type_identifier) @receiver))
    ])) name: (field_identifier) @name) @method
    (type_spec name: (type_identifier) @name type: (interface_type)) @interface
    (method_elem name: (field_identifier) @name) @method
    (type_spec name: (type_identifier) @name) @type
    (type_alias name: (type_identifier) @name) @type
    (source_file (const_declaration (const_spec name: (identifier) @name) @constant))
    (source_file (var_declaration (var_spec name: (identifier) @name) @constant))
    (source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @constant)))
  `,
  rust: `
    (function_item name: (identifier) @name) @function
    (function_signature_item name: (identifier) @name) @function
    (struct_item name: (type_identifier) @name) @type
    (enum_item name: (type_identifier) @name) @enum
    (union_item name: (type_identifier) @name) @type
    (trait_item name: (type_identifier) @name) @interface
    (type_item name: (type_identifier) @name) @type
    (mod_item name: (identifier) @name) @module
    (const_item name: (identifier) @name) @constant
    (static_item name: (identifier) @name) @constant
    (macro_definition name: (identifier) @name) @macro
    (impl_item type: (_) @name) @scope
    (impl_item body: (declaration_list (function_item name: (identifier) @name) @method))
    (trait_item body: (declaration_list [(function_item name: (identifier) @name) (function_signature_item name: (identifier) @name)] @method))
  `,
  java: `
    (class_declaration name: (identifier) @name) @class
    (interface_declaration name: (identifier) @name) @interface
    (enum_declaration name: (identifier) @name) @enum
    (record_declaration name: (identifier) @name) @class
    (annotation_type_declaration name: (identifier) @name) @interface
    (method_declaration name: (identifier) @name) @method
    (constructor_declaration name: (identifier) @name) @method
    (field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
    (field_declaration (modifiers "static") declarator: (variable_declarator name: (identifier) @name)) @constant
    (enum_constant name: (identifier) @name) @constant
  `,
  c_sharp: `
    (class_declaration name: (identifier) @name) @class
    (interface_declaration name: (identifier) @name) @interface
    (struct_declaration name: (identifier) @name) @type
    (record_declaration name: (identifier) @name) @class
    (enum_declaration name: (identifier) @name) @enum
    (delegate_declaration name: (identifier) @name) @type
    (method_declaration name: (identifier) @name) @method
    (constructor_declaration name: (identifier) @name) @method
    (method_declaration name: (identifier) @name parameters: (parameter_list . (parameter (modifier) @keyword type: (_) @receiver) (#eq? @keyword "this"))) @method
    (property_declaration name: (identifier) @name) @property
    (field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
    (namespace_declaration name: (_) @name) @scope
  `,
  ruby: `
    (method name: (_) @name) @method
    (singleton_method name: (_) @name) @method
    (class name: (_) @name) @class
    (module name: (_) @name) @module
    (assignment left: (constant) @name) @constant
  `,
  php: `
    (function_definition name: (name) @name) @function
    (method_declaration name: (name) @name) @method
    (class_declaration name: (name) @name) @class
    (interface_declaration name: (name) @name) @interface
    (trait_declaration name: (name) @name) @interface
    (enum_declaration name: (name) @name) @enum
    (const_element (name) @name) @constant
  `,
  kotlin: `
    (class_declaration (type_identifier) @name) @class
    (object_declaration (type_identifier) @name) @class
    (function_declaration (simple_identifier) @name) @function
    (class_body (function_declaration (simple_identifier) @name) @method)
    (function_declaration (user_type (type_identifier) @receiver) . "." . (simple_identifier) @name) @function
    (type_alias (type_identifier) @name) @type
    (source_file (property_declaration (variable_declaration (simple_identifier) @name)) @constant)
  `,
  swift: `
    (class_declaration name: (_) @name) @class
    (class_declaration "extension" name: (_) @name) @scope
    (protocol_declaration name: (type_identifier) @name) @interface
    (function_declaration name: (simple_identifier) @name) @function
    (class_body (function_declaration name: (simple_identifier) @name) @method)
    (protocol_function_declaration name: (simple_identifier) @name) @method
    (typealias_declaration name: (type_identifier) @name) @type
    (source_file (property_declaration (pattern (simple_identifier) @name)) @constant)
  `,
  scala: `
    (class_definition name: (identifier) @name) @class
    (object_definition name: (identifier) @name) @class
    (trait_definition name: (identifier) @name) @interface
    (enum_definition name: (identifier) @name) @enum
    (function_definition name: (_) @name) @function
    (function_declaration name: (_) @name) @function
    (template_body [(function_definition name: (_) @name) (function_declaration name: (_) @name)] @method)
    (type_definition name: (type_identifier) @name) @type
    (template_body (val_definition pattern: (identifier) @name) @constant)
  `,
  bash: `(function_definition name: (word) @name) @function`,
  sql: `
    (create_table (object_reference name: (identifier) @name)) @type
    (create_view (object_reference name: (identifier) @name)) @type
    (create_materialized_view (object_reference name: (identifier) @name)) @type
    (create_function (object_reference name: (identifier) @name)) @function
    (create_trigger (object_reference name: (identifier) @name)) @function
    (create_type (object_reference name: (identifier) @name)) @type
    (create_index column: (identifier) @name) @constant
  `,
  toml: `
    (table [(bare_key) (dotted_key) (quoted_key)] @name) @scope
    (table_array_element [(bare_key) (dotted_key) (quoted_key)] @name) @scope
  `,
  lua: `
    (function_declaration name: (_) @name) @function
    (assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition))) @function
    (chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)
      (expression_list value: [(number) (string) (table_constructor)]))) @constant)
    (chunk (assignment_statement (variable_list name: (_) @name) (expression_list value: [(number) (string) (table_constructor)])) @constant)
  `,
  dart: `
    (class_definition name: (identifier) @name) @class
    (mixin_declaration (identifier) @name) @class
    (enum_declaration name: (identifier) @name) @enum
    (function_signature name: (identifier) @name) @function
  `,
  proto: `
    (message (message_name) @name) @type
    (service (service_name) @name) @interface
    (enum (enum_name) @name) @enum
    (rpc (rpc_name) @name) @method
  `,
  graphql: `
    (object_type_definition (name) @name) @type
    (input_object_type_definition (name) @name) @type
    (interface_type_definition (name) @name) @interface
    (enum_type_definition (name) @name) @enum
    (scalar_type_definition (name) @name) @type
    (union_type_definition (name) @name) @type
  `,
  zig: `
    (function_declaration name: (identifier) @name) @function
    (variable_declaration . (identifier) @name [(struct_declaration) (union_declaration) (opaque_declaration) (error_set_declaration)]) @type
    (variable_declaration . (identifier) @name (enum_declaration)) @enum
    (source_file (variable_declaration . (identifier) @name [
      (integer) (float) (string) (multiline_string) (call_expression) (struct_initializer) (anonymous_struct_initializer) (switch_expression)
      (if_expression) (unary_expression) (binary_expression) (pointer_type)
    ]) @constant)
    (source_file (variable_declaration . (identifier) @name type: (_)) @constant)
    (container_field name: (identifier) @name) @field
  `,
  julia: `
    (function_definition (signature [${JULIA_CALL} (where_expression ${JULIA_CALL}) (typed_expression ${JULIA_CALL})])) @function
    (assignment . [${JULIA_CALL} (where_expression ${JULIA_CALL}) (typed_expression ${JULIA_CALL})]) @function
    (macro_definition (signature ${JULIA_CALL})) @macro
    (struct_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))])) @type
    (abstract_definition (type_head [(identifier) @name (_ . (identifier) @name)])) @type
    (module_definition name: (identifier) @name) @module
    (const_statement (assignment . (identifier) @name)) @constant
  `,
  groovy: `
    (class_definition name: (identifier) @name) @class
    (class_definition body: (closure [(function_definition function: (identifier) @name) (function_declaration function: (identifier) @name)] @method))
    (function_definition function: (identifier) @name) @function
  `,
  objc: `${C}
    (class_interface . (identifier) @name) @class
    (class_implementation . (identifier) @name) @class
    (protocol_declaration . (identifier) @name) @interface
    (method_declaration (method_type) . (identifier) @name) @method
    (method_definition (method_type) . (identifier) @name) @method
    (property_declaration (struct_declaration (struct_declarator (identifier) @name))) @property
    (property_declaration (struct_declaration (struct_declarator (pointer_declarator (identifier) @name)))) @property
  `,
  perl: `
    (subroutine_declaration_statement name: (bareword) @name) @function
    (package_statement name: (package) @name) @module
    (use_statement module: (package) @keyword (list_expression . (autoquoted_bareword) @name) (#eq? @keyword "constant")) @constant
  `,
  powershell: `
    (function_statement (function_name) @name) @function
    (class_statement . (simple_name) @name) @class
    (class_method_definition (simple_name) @name) @method
    (class_property_definition (variable) @name) @property
    (enum_statement . (simple_name) @name) @enum
  `,
  solidity: `
    (contract_declaration name: (identifier) @name) @class
    (interface_declaration name: (identifier) @name) @interface
    (library_declaration name: (identifier) @name) @module
    (function_definition name: (identifier) @name) @function
    (contract_body (function_definition name: (identifier) @name) @method)
    (modifier_definition name: (identifier) @name) @function
    (event_definition name: (identifier) @name) @type
    (error_declaration name: (identifier) @name) @type
    (struct_declaration name: (identifier) @name) @type
    (enum_declaration name: (identifier) @name) @enum
    (state_variable_declaration name: (identifier) @name) @constant
  `,
  hcl: `
    (config_file (body (block . (identifier) @keyword (string_lit (template_literal) @name) . (block_start)
      (#any-of? @keyword "resource" "data")) @type))
    (config_file (body (block . (identifier) @keyword (string_lit (template_literal) @name) . (block_start)
      (#any-of? @keyword "variable" "output" "provider")) @constant))
    (config_file (body (block . (identifier) @keyword (string_lit (template_literal) @name) . (block_start) (#eq? @keyword "module")) @module))
    (config_file (body (block . (identifier) @keyword (body (attribute (identifier) @name) @constant) (#eq? @keyword "locals"))))
  `,
  cmake: `
    (function_def (function_command (argument_list . (argument) @name))) @function
    (macro_def (macro_command (argument_list . (argument) @name))) @macro
  `,
  make: `(rule (targets (word) @name)) @function`,
};
