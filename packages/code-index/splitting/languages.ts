/** Languages by extension, in lower case. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  py: "python",
  pyi: "python",
  go: "go",
  rs: "rust",
  java: "java",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hh: "cpp",
  hpp: "cpp",
  hxx: "cpp",
  ipp: "cpp",
  inl: "cpp",
  tpp: "cpp",
  cs: "csharp",
  rb: "ruby",
  rake: "ruby",
  gemspec: "ruby",
  php: "php",
  kt: "kotlin",
  kts: "kotlin",
  swift: "swift",
  scala: "scala",
  sc: "scala",
  sbt: "scala",
  sh: "bash",
  bash: "bash",
  zsh: "bash",
  sql: "sql",
  css: "css",
  scss: "css",
  less: "css",
  html: "html",
  htm: "html",
  xhtml: "html",
  vue: "vue",
  svelte: "svelte",
  astro: "astro",
  json: "json",
  jsonc: "json",
  json5: "json",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  webmanifest: "json",
  ipynb: "json",
  md: "markdown",
  mdx: "markdown",
  markdown: "markdown",
  rst: "restructuredtext",
  xml: "xml",
  proto: "protobuf",
  graphql: "graphql",
  gql: "graphql",
  tf: "terraform",
  tfvars: "terraform",
  hcl: "terraform",
  lua: "lua",
  pl: "perl",
  r: "r",
  dart: "dart",
  ex: "elixir",
  exs: "elixir",
  erl: "erlang",
  hs: "haskell",
  ml: "ocaml",
  clj: "clojure",
  zig: "zig",
  groovy: "groovy",
  gradle: "groovy",
  m: "objective-c",
  mm: "objective-c",
  cmake: "cmake",
  ps1: "powershell",
  sol: "solidity",
  jl: "julia",
  nix: "nix",
  elm: "elm",
  fs: "fsharp",
  vb: "visual-basic",
  mk: "makefile",
};

const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  containerfile: "dockerfile",
  makefile: "makefile",
  gnumakefile: "makefile",
  gemfile: "ruby",
  rakefile: "ruby",
  jenkinsfile: "groovy",
  "cmakelists.txt": "cmake",
  "go.mod": "go-module",
  podfile: "ruby",
  vagrantfile: "ruby",
  ".bashrc": "bash",
  ".profile": "bash",
  ".zshrc": "bash",
};

/** What C can't say; headers of both languages are called `.h`. */
const CPP =
  /^[ \t]*(?:(?:inline )?namespace\b|template ?<|class \w+[^;]*$|using (?:namespace )?\w|(?:public|private|protected):|#include <\w+>)|\bstd::|\bconstexpr\b/m;
const SHEBANG = /^#!.*?\b(bash|zsh|sh|python|ruby|perl|php|lua|node|deno|bun|Rscript)[\d.]*\b/;
const BY_INTERPRETER: Readonly<Record<string, string>> = {
  zsh: "bash",
  sh: "bash",
  node: "javascript",
  deno: "typescript",
  bun: "typescript",
  Rscript: "r",
};
const BEGINNING = 65_536;

/** The language of a file by its name, and by its beginning where the name leaves it open; `text` when nothing tells. */
export function languageOf(path: string, content?: Buffer): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const language = own(BY_NAME, name) ?? (name.startsWith("dockerfile.") ? "dockerfile" : own(BY_EXTENSION, extension));
  if (extension === "h" && content !== undefined && CPP.test(content.toString("latin1", 0, BEGINNING))) {
    return "cpp";
  }
  return language ?? byInterpreter(content) ?? "text";
}

function byInterpreter(content: Buffer | undefined): string | undefined {
  const [, interpreter] = SHEBANG.exec(content?.toString("latin1", 0, 200) ?? "") ?? [];
  return interpreter === undefined ? undefined : (own(BY_INTERPRETER, interpreter) ?? interpreter);
}

/** A file may be called `constructor`. */
function own(record: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
