/** What a chunk defines; more are of no use in a search. */
const MOST = 50;
/** Names in longer lines are data. */
const LONGEST_LINE = 500;

const SCRIPT = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|enum|namespace|type)\s+([\w$]+)/,
  /^\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]{1,200})?=\s*(?:async\s*)?(?:function\b|\([^)]{0,300}\)\s*(?::[^=]{1,200})?=>|[\w$]+\s*=>|<)/,
  /^(?:export\s+)?const\s+([\w$]+)\s*[:=]/,
  /^\s+(?:(?:public|private|protected|static|readonly|async|override|get|set)\s+)*(?!(?:if|for|while|switch|catch|return|function|super|await|new|throw|typeof|do|else)\b)([\w$#]+)\s*(?:<[^>]{0,100}>)?\([^)]{0,300}\)\s*(?::[^{;]{1,200})?\{\s*$/,
  /^\s*(?:module\.)?exports\.([\w$]+)\s*=/,
  /^([\w$]+)\.prototype\.([\w$]+)\s*=/,
];

const JVM = [
  /^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|partial|inner|case|override|implicit|lazy)\s+)*(?:class|interface|enum|record|object|trait|struct|namespace|@interface)\s+(\w+)/,
  /^\s*(?:(?:public|private|protected|internal|open|override|suspend|inline|abstract|final|static|operator)\s+)*(?:fun|def)\s+(?:<[^>]{0,100}>\s*)?(?:\w+\.)?(\w+)/,
  /^\s+(?:(?:public|private|protected|internal|static|final|abstract|synchronized|native|async|override|virtual|sealed|default)\s+)+(?:<[^>]{0,100}>\s*)?[\w<>[\],.? ]+?\s+(\w+)\s*\(/,
];

const C = [
  /^\s*(?:typedef\s+)?(?:struct|union|enum|class|namespace)\s+(?:class\s+)?(\w+)\s*(?:[:{]|$)/,
  /^(?!\s*(?:return|else|if|for|while|switch|typedef|using)\b)[A-Za-z_][\w\s*&:<>,~]*?[\s*&]((?:\w+::)*~?\w+)\s*\([^;]*$/,
  /^\s*#\s*define\s+(\w+)/,
  /^\s*\}\s*(\w+)\s*;/,
  /^\s*using\s+(\w+)\s*=/,
];

const SHELL = [/^\s*(?:function\s+)?([\w-]+)\s*\(\)\s*\{?/, /^\s*function\s+([\w-]+)/];

const PATTERNS: Readonly<Record<string, readonly RegExp[]>> = {
  typescript: SCRIPT,
  tsx: SCRIPT,
  javascript: SCRIPT,
  vue: SCRIPT,
  svelte: SCRIPT,
  python: [/^\s*(?:async\s+)?(?:def|class)\s+(\w+)/, /^([A-Za-z_]\w*)\s*(?::[^=]{1,100})?=(?!=)/],
  go: [
    /^func\s+(?:\([^)]{0,200}\)\s*)?(\w+)/,
    /^type\s+(\w+)/,
    /^(?:var|const)\s+(\w+)/,
    /^\t(\w+)\s+(?:struct|interface)\s*\{/,
    /^\t([A-Z]\w*)(?:\s+\w+)?\s*=/,
  ],
  rust: [
    /^\s*(?:pub(?:\([^)]{0,50}\))?\s+)?(?:default\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?(?:extern\s+"[^"]{0,20}"\s+)?(?:fn|struct|enum|trait|union|mod|type|static|const)\s+(?:mut\s+)?(\w+)/,
    /^\s*macro_rules!\s*(\w+)/,
  ],
  java: JVM,
  kotlin: JVM,
  scala: JVM,
  csharp: JVM,
  groovy: JVM,
  dart: JVM,
  c: C,
  cpp: C,
  ruby: [/^\s*(?:def|class|module)\s+(?:self\.)?([\w:?!=]+)/, /^\s*([A-Z][A-Z0-9_]+)\s*=/],
  php: [
    /^\s*(?:(?:public|private|protected|static|abstract|final|readonly)\s+)*(?:function|class|interface|trait|enum)\s+&?(\w+)/,
    /^\s*const\s+(\w+)/,
  ],
  swift: [
    /^\s*(?:(?:public|private|internal|open|fileprivate|static|final|override|mutating|class)\s+)*(?:func|class|struct|enum|protocol|extension|actor|typealias)\s+(\w+)/,
  ],
  bash: SHELL,
  sql: [
    /^\s*create\s+(?:or\s+replace\s+)?(?:unique\s+|temp(?:orary)?\s+|materialized\s+)?(?:table|view|index|function|procedure|type|trigger|schema|sequence)\s+(?:if\s+not\s+exists\s+)?"?([\w.]+)/i,
  ],
  protobuf: [/^\s*(?:message|service|enum|rpc)\s+(\w+)/],
  graphql: [/^\s*(?:type|input|interface|enum|scalar|union)\s+(\w+)/],
  terraform: [/^\s*(?:resource|data)\s+"[^"]+"\s+"([^"]+)"/, /^\s*(?:variable|module|output)\s+"([^"]+)"/],
  lua: [/^\s*(?:local\s+)?function\s+([\w.:]+)/],
  elixir: [/^\s*(?:def|defp|defmodule|defmacro)\s+([\w.?!]+)/],
  makefile: [/^([\w.-]+)\s*:(?!=)/],
};

/** Names that a chunk of code defines, in order, each once; found line by line, so a thin answer that needs no parser. */
export function symbolsOf(content: string, language: string): readonly string[] {
  const patterns = Object.hasOwn(PATTERNS, language) ? PATTERNS[language] : undefined;
  const names = new Set<string>();
  for (const line of patterns === undefined ? [] : content.split(/\r?\n/)) {
    if (line === "" || line.length > LONGEST_LINE) {
      continue;
    }
    // Patterns try a long gap in every way to split it; to one space there is only one way.
    const plain = line.replaceAll(/(?<=\S)\s{2,}/g, " ");
    for (const pattern of patterns ?? []) {
      const name = pattern.exec(plain)?.findLast((group) => group !== undefined);
      if (name !== undefined) {
        names.add(name);
        break;
      }
    }
    if (names.size >= MOST) {
      break;
    }
  }
  return [...names];
}
