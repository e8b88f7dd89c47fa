/** How a language binds names, where it differs from most. */
type Syntax = {
  /** Nodes within which a name that is bound in them is seen. */
  readonly scopes: RegExp;
  /** Whether to assign to a name declares it. */
  readonly assigns?: true;
  /** Whether the last of several bindings before a use is meant, and not the first. */
  readonly rebinds?: true;
  /** Whether members of the type around are named without `this`. */
  readonly implicit?: true;
};

const BLOCKS =
  /(?:func|method|constructor|lambda|closure|arrow|accessor|_block$|^block$|body$|^do_|catch|match_arm|^when_|case|class|interface|trait|impl_|struct|enum|object_decl|protocol|namespace|module|^program$|^source_file$|^compilation_unit$|comprehension|^init|^object(?:_type)?$)|^(?:for|foreach|enhanced_for|while|if|switch|using|with|try|let)_/;
/** Nodes that have such a word in their name and bind nothing. */
const NO_SCOPE =
  /param|declarator|call(?!able)|invocation|reference|(?<!object)_type$|identifier|argument|signature$|heritage|modifier|(?<!catch_|except_|case_|match_)clause$|specifier(?<!(?:class|struct|enum)_specifier)|literal(?<!(?:func|lambda)_literal)|_let$|let_condition|let_declaration/;

const PYTHON: Syntax = {
  scopes: /^(?:function_definition|lambda|class_definition|module|\w*_comprehension|generator_expression)$/,
  assigns: true,
  rebinds: true,
};
const BLOCK: Syntax = { scopes: BLOCKS };
const CLASSES: Syntax = { scopes: BLOCKS, implicit: true };

const SYNTAXES: Readonly<Record<string, Syntax>> = {
  python: PYTHON,
  ruby: {
    scopes: /^(?:method|singleton_method|lambda|block|do_block|class|module|program)$/,
    assigns: true,
    rebinds: true,
    implicit: true,
  },
  php: {
    scopes: /^(?:function_definition|method_declaration|anonymous_function\w*|arrow_function|\w*class\w*|trait_declaration|program)$/,
    assigns: true,
  },
  rust: { scopes: BLOCKS, rebinds: true },
  bash: { scopes: /^(?:function_definition|program)$/, assigns: true },
  r: { scopes: /^(?:function_definition|program)$/, assigns: true },
  julia: { scopes: BLOCKS, assigns: true },
  java: CLASSES,
  kotlin: CLASSES,
  csharp: CLASSES,
  scala: CLASSES,
  swift: CLASSES,
  cpp: CLASSES,
  dart: CLASSES,
  groovy: CLASSES,
};

export function syntaxOf(language: string): Syntax {
  return SYNTAXES[language] ?? BLOCK;
}

export function isScope({ scopes }: Syntax, type: string): boolean {
  return scopes.test(type) && (scopes !== BLOCKS || !NO_SCOPE.test(type));
}

/** Types and what is like them: their members are not seen by their names alone in most languages. */
export const TYPE_SCOPE = /class|interface|struct|trait|impl_|enum|object_decl|protocol|^object(?:_type)?$/;
export const SELF = /^(?:this(?:@\w+)?|self|cls|Self|\$this|static|self\.class|type\(self\))$/;
export const SUPER = /^(?:super(?:\(.*\))?|base|parent)$/;
