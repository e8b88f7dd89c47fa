/** The grammars, each loaded when a file of its language is first shown. */
export const GRAMMARS = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  proto: () => import("shiki/langs/proto.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  scala: () => import("shiki/langs/scala.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
} as const;

export type Grammar = keyof typeof GRAMMARS;

/** The index knows no language by these names. */
const NOT_INDEXED: ReadonlySet<string> = new Set(["docker", "jsx", "make", "proto", "xml"]);

/** The names by which the index knows languages, for the filter. */
export const LANGUAGES = Object.keys(GRAMMARS).filter((name) => !NOT_INDEXED.has(name));

const ALIASES: Readonly<Record<string, Grammar>> = {
  "c#": "csharp",
  "c++": "cpp",
  cc: "cpp",
  cjs: "javascript",
  cs: "csharp",
  cts: "typescript",
  dockerfile: "docker",
  golang: "go",
  h: "c",
  hpp: "cpp",
  js: "javascript",
  kt: "kotlin",
  makefile: "make",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  protobuf: "proto",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  shellscript: "bash",
  ts: "typescript",
  yml: "yaml",
};

/** The language of a file by its name alone, where no index says it: its extension, or the name itself, such as `Dockerfile`. */
export function languageNamedBy(path: string): string {
  return /[^./]+$/u.exec(path)?.[0] ?? "";
}

/** The grammar for a language by any of its names; undefined for those shown as plain text. */
export function grammarFor(language: string): Grammar | undefined {
  const name = language.toLowerCase();
  return isGrammar(name) ? name : ALIASES[name];
}

function isGrammar(name: string): name is Grammar {
  return Object.hasOwn(GRAMMARS, name);
}
