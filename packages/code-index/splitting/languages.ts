import type { SupportedLanguage } from "tree-sitter-wasm";

type Language = {
  /** How its files end or, without a star, are called as a whole; in lower case. */
  readonly files: string;
  /** Programs that `#!` names for it. */
  readonly interpreters?: string;
  readonly grammar?: SupportedLanguage;
  /** The grammar reads the scripts of a page only. */
  readonly isPage?: true;
  /** Larger files are data, which is cut by lines as well and at no cost. */
  readonly isData?: true;
};

/** Every language that is told apart, by its name in the index. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  typescript: { files: "*.ts *.mts *.cts", interpreters: "deno bun", grammar: "typescript" },
  tsx: { files: "*.tsx", grammar: "tsx" },
  javascript: { files: "*.js *.mjs *.cjs *.jsx", interpreters: "node", grammar: "javascript" },
  python: { files: "*.py *.pyi", interpreters: "python", grammar: "python" },
  go: { files: "*.go", grammar: "go" },
  rust: { files: "*.rs", grammar: "rust" },
  java: { files: "*.java", grammar: "java" },
  c: { files: "*.c *.h", grammar: "c" },
  cpp: { files: "*.cc *.cpp *.cxx *.hh *.hpp *.hxx *.ipp *.inl *.tpp", grammar: "cpp" },
  csharp: { files: "*.cs", grammar: "c_sharp" },
  ruby: { files: "*.rb *.rake *.gemspec gemfile rakefile podfile vagrantfile", interpreters: "ruby", grammar: "ruby" },
  php: { files: "*.php", interpreters: "php", grammar: "php" },
  kotlin: { files: "*.kt *.kts", grammar: "kotlin" },
  swift: { files: "*.swift", grammar: "swift" },
  scala: { files: "*.scala *.sc *.sbt", grammar: "scala" },
  bash: { files: "*.sh *.bash *.zsh .bashrc .profile .zshrc", interpreters: "bash zsh sh", grammar: "bash" },
  sql: { files: "*.sql", grammar: "sql" },
  css: { files: "*.css *.scss *.less", grammar: "css", isData: true },
  html: { files: "*.html *.htm *.xhtml", grammar: "html", isData: true },
  vue: { files: "*.vue", grammar: "typescript", isPage: true },
  svelte: { files: "*.svelte", grammar: "typescript", isPage: true },
  astro: { files: "*.astro", grammar: "typescript", isPage: true },
  json: { files: "*.json *.jsonc *.json5 *.webmanifest *.ipynb", grammar: "json", isData: true },
  yaml: { files: "*.yaml *.yml", grammar: "yaml", isData: true },
  toml: { files: "*.toml", grammar: "toml", isData: true },
  markdown: { files: "*.md *.mdx *.markdown" },
  restructuredtext: { files: "*.rst" },
  xml: { files: "*.xml" },
  protobuf: { files: "*.proto", grammar: "proto" },
  graphql: { files: "*.graphql *.gql", grammar: "graphql" },
  terraform: { files: "*.tf *.tfvars *.hcl", grammar: "hcl" },
  lua: { files: "*.lua", interpreters: "lua", grammar: "lua" },
  perl: { files: "*.pl *.pm", interpreters: "perl", grammar: "perl" },
  r: { files: "*.r", interpreters: "Rscript", grammar: "r" },
  dart: { files: "*.dart", grammar: "dart" },
  elixir: { files: "*.ex *.exs", grammar: "elixir" },
  erlang: { files: "*.erl *.hrl", grammar: "erlang" },
  haskell: { files: "*.hs", grammar: "haskell" },
  ocaml: { files: "*.ml", grammar: "ocaml" },
  "ocaml-interface": { files: "*.mli", grammar: "ocaml_interface" },
  clojure: { files: "*.clj *.cljs *.cljc", grammar: "clojure" },
  zig: { files: "*.zig", grammar: "zig" },
  groovy: { files: "*.groovy *.gradle jenkinsfile", grammar: "groovy" },
  "objective-c": { files: "*.m *.mm", grammar: "objc" },
  cmake: { files: "*.cmake cmakelists.txt", grammar: "cmake" },
  powershell: { files: "*.ps1 *.psm1", grammar: "powershell" },
  solidity: { files: "*.sol", grammar: "solidity" },
  julia: { files: "*.jl", grammar: "julia" },
  nix: { files: "*.nix", grammar: "nix" },
  elm: { files: "*.elm", grammar: "elm" },
  fsharp: { files: "*.fs" },
  "visual-basic": { files: "*.vb" },
  makefile: { files: "*.mk makefile gnumakefile", grammar: "make" },
  dockerfile: { files: "dockerfile containerfile" },
  "go-module": { files: "go.mod" },
};

export const LANGUAGE_NAMES: readonly string[] = Object.keys(LANGUAGES);

const BY_FILE = languagesBy("files");
const BY_INTERPRETER = languagesBy("interpreters");

function languagesBy(column: "files" | "interpreters"): ReadonlyMap<string, string> {
  const words = Object.entries(LANGUAGES).map(([name, row]) => [name, row[column]?.split(" ") ?? []] as const);
  return new Map(words.flatMap(([name, own]) => own.map((word) => [word, name] as const)));
}

/** What C can't say; headers of both languages are called `.h`. */
const CPP =
  /^[ \t]*(?:(?:inline )?namespace\b|template ?<|class \w+[^;]*$|using (?:namespace )?\w|(?:public|private|protected):|#include <\w+>)|\bstd::|\bconstexpr\b/m;
const SHEBANG = /^#!.*?\b(bash|zsh|sh|python|ruby|perl|php|lua|node|deno|bun|Rscript)[\d.]*\b/;
const BEGINNING = 65_536;

/** The language of a file by its name, and by its beginning where the name leaves it open; `text` when nothing tells. */
export function detectLanguage(path: string, content?: Buffer): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const language = BY_FILE.get(name) ?? (name.startsWith("dockerfile.") ? "dockerfile" : BY_FILE.get(`*.${extension}`));
  if (extension === "h" && content !== undefined && CPP.test(content.toString("latin1", 0, BEGINNING))) {
    return "cpp";
  }
  const [, interpreter = ""] = SHEBANG.exec(content?.toString("latin1", 0, 200) ?? "") ?? [];
  return language ?? BY_INTERPRETER.get(interpreter) ?? "text";
}

/** A language by its name in the index; a file may be called `constructor`. */
export function findLanguage(name: string): Language | undefined {
  return Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
}
